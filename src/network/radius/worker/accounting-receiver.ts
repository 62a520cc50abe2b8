import type { AccountingSink, NasSlot } from './messages.ts'
import { datagramWord, datagramWords, type UdpPort } from '../udp/udp-port.ts'
import { statusOf } from '../wire/accounting.ts'
import { attributes } from '../wire/attribute-types.ts'
import { verifyMessageAuthenticator } from '../wire/authenticator.ts'
import { codes, type PacketView } from '../wire/packet.ts'
import { statusFault } from './access-handler.ts'
import type { CountedResult, DropFault, WorkerCounters } from './counters.ts'
import { PacketReceiver, type ReceiverParts } from './packet-receiver.ts'
import { PendingAccounting, pendingMax } from './pending.ts'
import { Replies, sourceOf } from './replies.ts'
import { verifyAccounting } from './secret-change.ts'
import type { KnownNas } from './signature-rules.ts'

/** One receiver has all of the accounting, so it remembers more answers than a worker does of sign-ins. */
const repliesMax = 1 << 17

/**
 * Hears of a request whose Acct-Status-Type is none of those that are stored; null: it has none, or not one of four
 * octets.
 */
type UnstoredListener = (nas: NasSlot, statusType: number | null) => void

/** Accounting-Requests are checked here, stored in the batches in which they arrive, and answered when durable. */
export class AccountingReceiver extends PacketReceiver {
  readonly #counters: WorkerCounters
  readonly #sink: AccountingSink
  readonly #unstored: UnstoredListener
  readonly #pending = new PendingAccounting()
  #flushes = false
  #onIdle: () => void = () => {}

  /** The sink never rejects. Its port is to be opened with `stamps`. */
  constructor(parts: ReceiverParts, sink: AccountingSink, unstored: UnstoredListener) {
    super('acct', parts, new Replies(repliesMax))
    this.#counters = parts.counters
    this.#sink = sink
    this.#unstored = unstored
  }

  /** Resolves when no request waits for its answer. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  protected take(udp: UdpPort, at: number, nas: KnownNas, nowMs: number): CountedResult | DropFault | null {
    const { packet, writer } = this
    const isQuestion = packet.code === codes.statusServer
    const fault = isQuestion ? statusFault(packet, nas) : faultOf(packet, nas)
    if (fault) return fault
    if (isQuestion) return this.#answerAtOnce(udp, at, nas, nowMs, 'status')
    if (nas.other !== null) this.notices.proved(nas)
    const status = statusOf(packet)
    if (status === null || status === 'other') this.#unstored(nas.record, packet.integer(attributes.acctStatusType))
    // RFC 2866 section 5.13 wants one in each request, and section 2 no answer to what cannot be recorded.
    if (status === null) return 'missingStatus'
    // A NAS without an answer to reports about its tunnels would turn to another server with all of its accounting.
    if (status === 'other') return this.#answerAtOnce(udp, at, nas, nowMs, 'unstoredStatus')
    if (this.#pending.size >= pendingMax) return 'overload'
    this.#writeAnswer(nas)
    const { nasSlot, id } = nas.record
    const { received } = udp
    const arrivedMs = udp.arrivedMs[at / datagramWords]!
    const port = received[at + datagramWord.port]!
    this.replies.begin(sourceOf(received, at), port, packet.bytes, packet.start, nowMs)
    this.notices.asked(nas, received, at)
    this.#pending.add(id, nasSlot, packet, arrivedMs, received, at, writer.bytes, writer.length)
    return null
  }

  /** The answer does not depend on what is stored, so it is made while the request is visible. */
  #writeAnswer(nas: KnownNas): void {
    const { packet, writer } = this
    writer.begin(codes.accountingResponse, packet.identifier)
    writer.proxyStates(packet)
    writer.finishResponseTo(packet, nas.secret)
  }

  #answerAtOnce<Counted>(udp: UdpPort, at: number, nas: KnownNas, nowMs: number, counted: Counted): Counted {
    this.#writeAnswer(nas)
    this.answer(udp, udp.received, at, nas, nowMs)
    return counted
  }

  protected override end(udp: UdpPort): void {
    if (this.#pending.collected > 0) void this.#store(udp)
  }

  async #store(udp: UdpPort): Promise<void> {
    const batch = this.#pending.takeBatch()
    const { tokens } = batch
    const isAccepted = new Uint8Array(tokens.length)
    for (const index of await this.#sink(batch)) isAccepted[index] = 1
    const nowMs = performance.now()
    for (let index = 0; index < tokens.length; index++) {
      try {
        if (isAccepted[index] === 1) this.#answerStored(udp, tokens[index]!, nowMs)
        else this.#forget(tokens[index]!)
      } catch (error) {
        // No handler of datagrams is above: nobody else would catch it, and it would end the program.
        this.fail(error)
      }
    }
    this.#flushSoon(udp)
    if (this.#pending.size === 0) this.#onIdle()
  }

  #answerStored(udp: UdpPort, token: number, nowMs: number): void {
    const waited = this.#pending.take(token)
    if (waited === null) return
    const { replies } = this
    const { nasSlot, source, sourceAt, bytes, at, answer, answerLength } = waited
    const port = source[sourceAt + datagramWord.port]!
    replies.store(sourceOf(source, sourceAt), port, bytes, at, nowMs, answer, answerLength)
    this.#counters.add('acct', nasSlot, 'accounting')
    udp.queue(replies.at, replies.length, source, sourceAt)
  }

  /** The repetition of a request that was not stored counts as new. */
  #forget(token: number): void {
    const waited = this.#pending.take(token)
    if (waited === null) return
    const { source, sourceAt, bytes, at } = waited
    this.replies.forget(sourceOf(source, sourceAt), source[sourceAt + datagramWord.port]!, bytes, at)
  }

  /** Batches that were stored together are settled one after another, and their answers leave together. */
  #flushSoon(udp: UdpPort): void {
    if (this.#flushes) return
    this.#flushes = true
    queueMicrotask(() => {
      this.#flushes = false
      udp.flush()
    })
  }
}

function faultOf(packet: PacketView, nas: KnownNas): DropFault | null {
  if (!verifyAccounting(packet, nas)) return 'badAuthenticator'
  return verifyMessageAuthenticator(packet, nas.secret) === 'wrong' ? 'badMessageAuthenticator' : null
}
