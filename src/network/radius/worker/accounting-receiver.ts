import type { AccountingAnswer, AccountingBatch } from './messages.ts'
import { datagramWord, type UdpPort } from '../udp/udp-port.ts'
import { verifyMessageAuthenticator } from '../wire/authenticator.ts'
import { codes, type PacketView } from '../wire/packet.ts'
import { statusFault } from './access-handler.ts'
import type { CountedResult, DropFault, WorkerCounters } from './counters.ts'
import { PacketReceiver, type ReceiverParts } from './packet-receiver.ts'
import { PendingAccounting, pendingMax } from './pending.ts'
import { sourceOf } from './replies.ts'
import { verifyAccounting } from './secret-change.ts'
import type { KnownNas } from './signature-rules.ts'

/**
 * At an ordinary load every batch is handed over as it comes, so that a record waits in the main thread for the commit
 * that is under way, and not here for the one after it. Beyond so many, what arrives forms one more batch over as many
 * turns as it takes, because a large batch costs less a record.
 */
const batchesMax = 8

/** Accounting-Requests are checked here, posted to the main thread in batches, and answered when they are durable. */
export class AccountingReceiver extends PacketReceiver {
  readonly #counters: WorkerCounters
  readonly #post: (batch: AccountingBatch) => void
  readonly #pending = new PendingAccounting()
  /** Batches that the main thread has not answered yet. */
  #batches = 0

  constructor(parts: ReceiverParts, post: (batch: AccountingBatch) => void) {
    super('acct', parts)
    this.#counters = parts.counters
    this.#post = post
  }

  /** Requests that wait for their answer. */
  get waiting(): number {
    return this.#pending.size
  }

  protected take(udp: UdpPort, at: number, nas: KnownNas, nowMs: number): CountedResult | DropFault | null {
    const { packet, writer } = this
    const isStatus = packet.code === codes.statusServer
    const fault = isStatus ? statusFault(packet, nas) : faultOf(packet, nas)
    if (fault) return fault
    if (!isStatus && this.#pending.size >= pendingMax) return 'overload'
    // The answer does not depend on what is stored, so it is made while the request is visible.
    writer.begin(codes.accountingResponse, packet.identifier)
    writer.proxyStates(packet)
    writer.finishResponseTo(packet, nas.secret)
    if (isStatus) {
      this.answer(udp, udp.received, at, nas, nowMs)
      return 'status'
    }
    const { nasSlot, id } = nas.record
    const { received } = udp
    const port = received[at + datagramWord.port]!
    this.replies.begin(sourceOf(received, at), port, packet.bytes, packet.start, nowMs)
    this.notices.asked(nas, received, at)
    if (nas.other !== null) this.notices.proved(nas)
    this.#pending.add(id, nasSlot, packet, received, at, writer.bytes, writer.length)
    return null
  }

  protected override end(): void {
    this.#postBatch()
  }

  #postBatch(): void {
    if (this.#pending.collected === 0 || this.#batches >= batchesMax) return
    this.#batches++
    this.#post(this.#pending.takeBatch())
  }

  /** Handles the answer of the main thread to a batch: which requests are durable and which were dropped. */
  settle(udp: UdpPort, { tokens, dropped }: AccountingAnswer): void {
    this.#batches--
    this.#postBatch()
    const nowMs = performance.now()
    const { replies } = this
    for (const token of tokens) {
      const waited = this.#pending.take(token)
      if (waited === null) continue
      const { nasSlot, source, sourceAt, bytes, at, answer, answerLength } = waited
      const port = source[sourceAt + datagramWord.port]!
      replies.store(sourceOf(source, sourceAt), port, bytes, at, nowMs, answer, answerLength)
      this.#counters.add('acct', nasSlot, 'accounting')
      udp.queue(replies.at, replies.length, source, sourceAt)
    }
    udp.flush()
    for (const token of dropped) {
      const waited = this.#pending.take(token)
      if (!waited) continue
      const { source, sourceAt, bytes, at } = waited
      replies.forget(sourceOf(source, sourceAt), source[sourceAt + datagramWord.port]!, bytes, at)
    }
  }
}

function faultOf(packet: PacketView, nas: KnownNas): DropFault | null {
  if (!verifyAccounting(packet, nas)) return 'badAuthenticator'
  return verifyMessageAuthenticator(packet, nas.secret) === 'wrong' ? 'badMessageAuthenticator' : null
}
