import { datagramWord, datagramWords, type UdpPort } from '../udp/udp-port.ts'
import { codes, PacketView } from '../wire/packet.ts'
import type { AccessHandler, AccessOutcome } from './access-handler.ts'
import type { DropFault, WorkerCounters } from './counters.ts'
import type { CryptQuestion, CryptVerdict } from './credentials.ts'
import type { PasswordAnswer, PasswordQuestion } from './messages.ts'
import { PacketReceiver, type ReceiverParts } from './packet-receiver.ts'
import type { PacketTraces } from './packet-traces.ts'
import { sourceOf } from './replies.ts'
import type { KnownNas } from './signature-rules.ts'

/** The most requests that are held, each with its datagram. One beyond that is dropped, and the NAS repeats it. */
const heldMax = 1_000

type HeldRequest = {
  readonly bytes: Buffer
  /** Describes where it came from, as UdpPort.received does. */
  readonly source: Int32Array
  readonly question: CryptQuestion
  /** What was found before: while the secret of a NAS is being changed, a password may be read in two ways. */
  readonly verdicts: readonly CryptVerdict[]
}

/**
 * Access-Requests are answered within the batch in which they arrive, except those with a password that is to be
 * compared with a hash of crypt(3): they are held, compared by a thread of the main thread's, and then served anew.
 */
export class AccessReceiver extends PacketReceiver {
  readonly #parts: ReceiverParts
  readonly #handler: AccessHandler
  readonly #counters: WorkerCounters
  readonly #ask: (question: PasswordQuestion) => void
  /** Collects what is traced; null where nothing is. */
  readonly #traces: PacketTraces | null
  readonly #held = new Map<number, HeldRequest>()
  #lastToken = 0
  /** The time of day of the batch. */
  #atMs = 0
  #answered = 0

  constructor(
    parts: ReceiverParts,
    handler: AccessHandler,
    ask: (question: PasswordQuestion) => void,
    traces: PacketTraces | null = null,
  ) {
    super('auth', parts)
    this.#parts = parts
    this.#counters = parts.counters
    this.#handler = handler
    this.#ask = ask
    this.#traces = traces
  }

  /** Requests that wait for a verdict. */
  get waiting(): number {
    return this.#held.size
  }

  protected override begin(): void {
    this.#atMs = this.#parts.dayTimeMs()
    this.#answered = 0
  }

  protected override end(_udp: UdpPort, beganMs: number): void {
    if (this.#answered === 0) return
    const tookMs = performance.now() - beganMs
    this.#counters.access(tookMs * 1000, this.#answered)
    this.#traces?.sent(tookMs)
  }

  protected take(udp: UdpPort, at: number, nas: KnownNas, nowMs: number): Exclude<AccessOutcome, 'held'> | null {
    const { packet, writer } = this
    // The request may turn out to be signed with the other secret.
    writer.signsLater = udp.digester !== null && nas.key >= 0 && (nas.other === null || nas.otherKey >= 0)
    const isStatus = packet.code === codes.statusServer
    const outcome = isStatus
      ? this.#handler.answerStatus(packet, nas, writer)
      : this.#handler.answerAccess(packet, nas, this.#atMs, writer)
    if (outcome === 'held') return this.#hold(udp.received, at, nowMs, [])
    if (outcome === 'accept' || outcome === 'reject' || outcome === 'status') {
      this.answer(udp, udp.received, at, nas, nowMs)
      if (!isStatus) this.#answered++
      if (this.#traces !== null && outcome !== 'status') this.#traces.answered(nas.record.id, outcome, this.#atMs)
    }
    return outcome
  }

  #hold(from: Int32Array, at: number, nowMs: number, verdicts: readonly CryptVerdict[]): DropFault | null {
    const { packet, replies } = this
    const { question } = this.#handler
    if (this.#held.size >= heldMax || question === null) return 'overload'
    replies.begin(sourceOf(from, at), from[at + datagramWord.port]!, packet.bytes, packet.start, nowMs)
    const bytes = Buffer.from(packet.bytes.subarray(packet.start, packet.start + packet.length))
    const token = ++this.#lastToken
    this.#held.set(token, { bytes, source: from.slice(at, at + datagramWords), question, verdicts })
    this.#ask({ kind: 'password', token, ...question })
    return null
  }

  /** Serves a held request anew. Where nothing could be compared, it is dropped and its repetition counts as new. */
  settle(udp: UdpPort, { token, isRight }: PasswordAnswer): void {
    const held = this.#held.get(token)
    if (!held) return
    this.#held.delete(token)
    const { bytes, source, question } = held
    this.replies.forget(sourceOf(source, 0), source[datagramWord.port]!, bytes, 0)
    // The table may have changed since.
    const table = this.#parts.nas()
    const place = table.find(source, 0)
    const packet = new PacketView()
    const isWhole = packet.reset(bytes, 0, bytes.length) === null
    const nas = place !== null && isWhole ? table.choose(place, packet) : null
    if (nas === null) return
    this.packet = packet
    const verdicts = isRight === null ? null : [...held.verdicts, { ...question, isRight }]
    const counted = verdicts === null ? 'overload' : this.#serveAnew(udp, source, nas, verdicts)
    if (counted) this.#counters.add('auth', nas.record.nasSlot, counted)
  }

  #serveAnew(udp: UdpPort, source: Int32Array, nas: KnownNas, verdicts: readonly CryptVerdict[]) {
    const nowMs = performance.now()
    this.writer.signsLater = false
    const outcome = this.#handler.answerAccess(this.packet, nas, this.#parts.dayTimeMs(), this.writer, verdicts)
    // Another password or hash: the secret of the NAS is being changed, or the login has another hash by now.
    if (outcome === 'held') return this.#hold(source, 0, nowMs, verdicts)
    if (outcome === 'accept' || outcome === 'reject') this.answer(udp, source, 0, nas, nowMs)
    udp.flush()
    return outcome
  }
}
