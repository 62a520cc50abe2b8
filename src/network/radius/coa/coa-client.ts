import type { NasEntry } from '../../../domain/nas.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { attributes } from '../wire/attribute-types.ts'
import { octetTextOf } from '../wire/octet-text.ts'
import type { SharedSecret } from '../wire/shared-secret.ts'
import { type CoaRequestKind, type CoaSubject, readCoaAnswer, writeCoaRequest } from './coa-packet.ts'
import type { CoaOutcome } from './coa-outcome.ts'
import { type CoaBroadcast, endpointKey, type BroadcastReader, Broadcasts } from './coa-broadcasts.ts'
import { type CoaLimits, coaLimits } from './coa-limits.ts'
import { CoaSecrets } from './coa-secrets.ts'
import { CoaSockets } from './coa-sockets.ts'
import { Queue } from './queue.ts'
import { TokenBucket } from './token-bucket.ts'

/** A request about one session of one NAS. All requests are sent before broadcasts. */
export type CoaRequest = {
  kind: CoaRequestKind
  nas: NasEntry
  /** Where the NAS listens. */
  address: string
  subject: CoaSubject
  /** Encoded attributes that follow the others. */
  extra?: Uint8Array | undefined
  /** The maximum of packets; as many as there are waits when left out. */
  attemptsMax?: number
}

/** How long each packet of a request waits for an answer; the request fails after the last wait. Contract section 6. */
const waitsMs = [1000, 2000, 4000, 4000] as const
const pumpEveryMs = 5
/** Broadcasts are slower for so long after a request about a known session. */
const yieldingMs = 100
/** When requests have kept coming for so long, broadcasts are as fast as the rate allows again. */
const yieldingMaxMs = 10_000

type Waiting = { request: CoaRequest; settle: (outcome: CoaOutcome | null) => void }

/**
 * What became of the next packet of a queue: there is none (idle), or it waits for earlier answers (full) or for the
 * rate (paced).
 */
type Step = 'sent' | 'idle' | 'full' | 'paced'

/** A request that has been sent and waits for its answer. */
type Pending = {
  request: CoaRequest
  settle: (outcome: CoaOutcome | null) => void
  /** One, or while the secret is being changed one by each secret, which are sent in turn. */
  copies: readonly { packet: Buffer; secret: SharedSecret }[]
  queue: NasQueue
  slot: number
  attempts: number
  wasForged: boolean
  sentAt: Date
  repeatedAt: Date
  /** By Clock.elapsedMs. */
  dueMs: number
  settled: boolean
}

/** What waits to be sent to one address and what has been sent. A dead NAS fills its own queue and no other. */
type NasQueue = {
  requests: Queue<Waiting>
  broadcasts: BroadcastReader
  /** By identifier × sockets + socket, so that consecutive requests are spread over the sockets. */
  pending: (Pending | undefined)[]
  nextSlot: number
  count: number
  bucket: TokenBucket
}

/**
 * The client side of RFC 5176 for many NAS: it limits the rate, retransmits, and matches and verifies answers.
 */
export class CoaClient {
  readonly #clock: Clock
  readonly #log: Log
  readonly #limits: CoaLimits
  readonly #sockets: CoaSockets
  readonly #secrets = new CoaSecrets()
  readonly #queues = new Map<string, NasQueue>()
  /** The same queues in the order in which they are served. */
  readonly #rotation: NasQueue[] = []
  #turn = 0
  readonly #broadcasts = new Broadcasts()
  readonly #bucket: TokenBucket
  readonly #yielding: TokenBucket
  /** When the last request about a known session was sent, and the first of those that it followed closely. */
  #requestedAtMs = Number.NEGATIVE_INFINITY
  #requestedSinceMs = Number.NEGATIVE_INFINITY
  /** By the number of packets sent. The waits in a list are equal, so it is in the order of the due times. */
  readonly #due: Queue<Pending>[] = waitsMs.map(() => new Queue())
  #cancelAlarm: () => void = () => {}
  #alarmAtMs = Number.POSITIVE_INFINITY
  #pumpPlanned = false
  #stopping = false
  #idle: (() => void) | null = null
  /**
   * Packets sent and sent again, answers that match no request or are not authentic, packets that the system did not
   * send.
   */
  readonly counts = { sent: 0, repeated: 0, unknown: 0, malformed: 0, forged: 0, otherKind: 0, unsendable: 0 }

  constructor(parts: { host: string; clock: Clock; log: Log; limits?: CoaLimits }) {
    this.#clock = parts.clock
    this.#log = parts.log
    this.#limits = parts.limits ?? coaLimits
    this.#sockets = new CoaSockets({
      ...parts,
      count: this.#limits.sockets,
      receive: (index, answer, address, port) => this.#receive(index, answer, address, port),
    })
    const { allPerSecond, allBurst, yieldingPerSecond } = this.#limits
    this.#bucket = new TokenBucket(allPerSecond, allBurst, this.#nowMs())
    this.#yielding = new TokenBucket(yieldingPerSecond, allBurst, this.#nowMs())
  }

  start(): Promise<void> {
    return this.#sockets.start()
  }

  /** Requests that wait to be sent or for their answer, over all NAS. */
  get depth(): number {
    let depth = this.#broadcasts.count
    for (const { requests, count } of this.#queues.values()) depth += requests.length + count
    return depth
  }

  /**
   * Resolves with the outcome, or null when the client stops first. The packet is sent before this returns if the rate
   * allows.
   */
  send(request: CoaRequest): Promise<CoaOutcome | null> {
    if (this.#stopping) return Promise.resolve(null)
    return new Promise((settle) => {
      const queue = this.#queueOf(endpointKey(request.address, request.nas.coaPort))
      queue.requests.push({ request, settle })
      this.#serve(queue)
    })
  }

  /** Asks every NAS of the recipients, as the pace allows; `answered` is called once for each. */
  broadcast(broadcast: CoaBroadcast): void {
    const { recipients, except, answered } = broadcast
    if (this.#stopping) {
      for (const { nas } of recipients.without(except)) answered(nas, null)
      return
    }
    for (const key of recipients.members.keys()) this.#queueOf(key)
    this.#broadcasts.add(broadcast)
    if (!this.#pumpPlanned) this.#pump()
  }

  /** Waits up to `graceMs` for the answers to what has been sent; the rest resolves with null. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    if (this.depth > 0 && graceMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs)
        this.#idle = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#cancelAlarm()
    for (const queue of this.#queues.values()) {
      for (const { settle } of queue.requests.rest()) settle(null)
      for (let next = queue.broadcasts.shift(); next; next = queue.broadcasts.shift())
        next.broadcast.answered(next.nas, null)
      for (const pending of queue.pending) pending?.settle(null)
    }
    this.#queues.clear()
    this.#rotation.length = 0
    await this.#sockets.close()
  }

  #nowMs(): number {
    return this.#clock.elapsedMs()
  }

  #queueOf(key: string): NasQueue {
    let queue = this.#queues.get(key)
    if (!queue) {
      const { nasPerSecond, nasBurst } = this.#limits
      const bucket = new TokenBucket(nasPerSecond, nasBurst, this.#nowMs())
      const broadcasts = this.#broadcasts.reader(key)
      queue = { requests: new Queue(), broadcasts, pending: [], nextSlot: 0, count: 0, bucket }
      this.#queues.set(key, queue)
      this.#rotation.push(queue)
    }
    return queue
  }

  /** Sends what the rate and the window allow to one address; the pump sends later what must wait for the rate. */
  #serve(queue: NasQueue): void {
    if (this.#pumpPlanned) return
    const nowMs = this.#nowMs()
    let step: Step = 'sent'
    while (step === 'sent') step = this.#sendRequest(queue, nowMs)
    if (step === 'idle') {
      step = 'sent'
      while (step === 'sent') step = this.#sendBroadcast(queue, nowMs)
    }
    if (step === 'paced') this.#planPump()
  }

  /**
   * The requests of all queues are sent before any broadcast, so that sessions that are known to exist are disconnected
   * first.
   */
  #pump(): void {
    const nowMs = this.#nowMs()
    const requestsWait = this.#roundRobin((queue) => this.#sendRequest(queue, nowMs))
    const broadcastsWait = this.#roundRobin((queue) => this.#sendBroadcast(queue, nowMs))
    if (requestsWait || broadcastsWait) this.#planPump()
  }

  /**
   * Sends one packet of each queue in turn until no queue can send, starting after the queue that was served last, so
   * that the limit for all NAS together is shared fairly. True when a queue waits for the rate.
   */
  #roundRobin(send: (queue: NasQueue) => Step): boolean {
    const queues = this.#rotation
    let isPaced = false
    for (let idle = 0; idle < queues.length; ) {
      const step = send(queues[this.#turn % queues.length]!)
      this.#turn = (this.#turn + 1) % queues.length
      idle = step === 'sent' ? 0 : idle + 1
      isPaced ||= step === 'paced'
    }
    return isPaced
  }

  #planPump(): void {
    if (this.#pumpPlanned) return
    this.#pumpPlanned = true
    this.#clock.after(pumpEveryMs, () => {
      this.#pumpPlanned = false
      this.#pump()
    })
  }

  #sendRequest(queue: NasQueue, nowMs: number): Step {
    if (queue.requests.length === 0) return 'idle'
    const step = this.#mayLaunch(queue, nowMs)
    if (step !== 'sent') return step
    const { request, settle } = queue.requests.shift()!
    if (nowMs - this.#requestedAtMs >= yieldingMs) this.#requestedSinceMs = nowMs
    this.#requestedAtMs = nowMs
    this.#launch(queue, request, settle)
    return step
  }

  #sendBroadcast(queue: NasQueue, nowMs: number): Step {
    if (!queue.broadcasts.hasNext()) return 'idle'
    const isYielding = nowMs - this.#requestedAtMs < yieldingMs && nowMs - this.#requestedSinceMs < yieldingMaxMs
    if (isYielding && !this.#yielding.has(nowMs)) return 'paced'
    const step = this.#mayLaunch(queue, nowMs)
    if (step !== 'sent') return step
    if (isYielding) this.#yielding.take()
    const { broadcast, nas, address } = queue.broadcasts.shift()!
    const login = octetTextOf(attributes.userName, broadcast.login)
    const subject = { login, nasIdentity: broadcast.nasIdentity(nas), session: null }
    const request: CoaRequest = { kind: 'disconnect', nas, address, subject }
    this.#launch(queue, request, (outcome) => broadcast.answered(nas, outcome))
    return step
  }

  /** Takes a token from both buckets when the answer is `sent`. */
  #mayLaunch(queue: NasQueue, nowMs: number): Step {
    if (queue.count >= this.#limits.window) return 'full'
    if (!queue.bucket.has(nowMs) || !this.#bucket.has(nowMs)) return 'paced'
    queue.bucket.take()
    this.#bucket.take()
    return 'sent'
  }

  #launch(queue: NasQueue, request: CoaRequest, settle: (outcome: CoaOutcome | null) => void): void {
    const { kind, nas, subject, extra } = request
    const slots = this.#limits.sockets * 256
    while (queue.pending[queue.nextSlot]) queue.nextSlot = (queue.nextSlot + 1) % slots
    const slot = queue.nextSlot
    queue.nextSlot = (slot + 1) % slots
    const sentAt = this.#clock.now()
    const copies = this.#secrets.of(nas).map((secret) => ({
      packet: writeCoaRequest(kind, Math.floor(slot / this.#limits.sockets), subject, secret, sentAt, extra),
      secret,
    }))
    const pending: Pending = {
      request,
      settle,
      copies,
      queue,
      slot,
      attempts: 0,
      wasForged: false,
      sentAt,
      repeatedAt: sentAt,
      dueMs: 0,
      settled: false,
    }
    queue.pending[slot] = pending
    queue.count++
    this.counts.sent++
    this.#transmit(pending)
  }

  #transmit(pending: Pending): void {
    const { request, copies, slot, attempts } = pending
    const { nas, address } = request
    pending.dueMs = this.#nowMs() + waitsMs[attempts]!
    pending.repeatedAt = this.#clock.now()
    this.#due[attempts]!.push(pending)
    pending.attempts++
    this.#setAlarm(pending.dueMs)
    const source = nas.coaSource ?? nas.askedIp ?? null
    const sockets = this.#sockets.to(address, source)
    const { packet } = copies[attempts % copies.length]!
    // A packet that cannot be sent is treated as one that was lost.
    sockets[slot % this.#limits.sockets]?.send(packet, nas.coaPort, address, (error) => {
      if (!error) return
      this.counts.unsendable++
      this.#sockets.failed(sockets, error)
      this.#log.debug('A Disconnect or CoA request could not be sent.', { nas: nas.name, error })
    })
  }

  #setAlarm(atMs: number): void {
    if (atMs >= this.#alarmAtMs) return
    this.#cancelAlarm()
    this.#alarmAtMs = atMs
    this.#cancelAlarm = this.#clock.after(Math.max(0, atMs - this.#nowMs()), () => this.#onAlarm())
  }

  #onAlarm(): void {
    try {
      this.#repeatDue(this.#nowMs())
    } finally {
      this.#alarmAtMs = Number.POSITIVE_INFINITY
      const next = this.#due.map((list) => list.first()?.dueMs ?? Number.POSITIVE_INFINITY)
      const earliest = Math.min(...next)
      if (earliest < Number.POSITIVE_INFINITY) this.#setAlarm(earliest)
    }
  }

  #repeatDue(nowMs: number): void {
    for (const list of this.#due) {
      for (let pending = list.first(); pending && (pending.settled || pending.dueMs <= nowMs); pending = list.first()) {
        list.shift()
        if (pending.settled) continue
        if (pending.attempts < (pending.request.attemptsMax ?? waitsMs.length)) {
          this.counts.repeated++
          this.#transmit(pending)
        } else this.#settle(pending, { result: 'no_answer', errorCause: null }, null)
      }
    }
  }

  #settle(pending: Pending, answer: Pick<CoaOutcome, 'result' | 'errorCause'>, answeredAt: Date | null): void {
    const { queue, slot, attempts, sentAt, repeatedAt, wasForged, settle } = pending
    pending.settled = true
    queue.pending[slot] = undefined
    queue.count--
    try {
      settle({ ...answer, attempts, sentAt, repeatedAt, answeredAt, wasForged })
    } finally {
      this.#serve(queue)
      if (this.#idle && this.depth === 0) this.#idle()
    }
  }

  #receive(socketIndex: number, answer: Buffer, address: string, port: number): void {
    const queue = this.#queues.get(endpointKey(address, port))
    const pending = answer.length >= 2 ? queue?.pending[answer[1]! * this.#limits.sockets + socketIndex] : undefined
    if (!pending) {
      this.counts.unknown++
      return
    }
    const { request, copies } = pending
    const reads = copies.map(({ packet, secret }) => readCoaAnswer(request.kind, answer, packet, secret))
    const read = reads.find((one) => 'answer' in one) ?? reads[0]!
    if ('fault' in read) {
      this.counts[read.fault]++
      pending.wasForged ||= read.fault === 'forged'
    } else this.#settle(pending, read.answer, this.#clock.now())
  }
}
