import type { NasId } from '../../../domain/ids.ts'
import type { AccessRecord } from '../../access/record.ts'
import type { PacketView } from '../wire/packet.ts'
import { AuthEntries, type AuthVerdict } from './auth-entries.ts'
import type { FromWorker } from './messages.ts'

const flushMs = 1000

/** Collects answers for the log of sign-ins and posts them every second, never more than AuthEntries has room for. */
export class AnswerNotices {
  readonly #post: (message: FromWorker) => void
  readonly #entries = new AuthEntries()
  #timer: NodeJS.Timeout | null = null

  constructor(post: (message: FromWorker) => void) {
    this.#post = post
  }

  add(verdict: AuthVerdict, packet: PacketView, nasId: NasId, record: AccessRecord | null, atMs: number): void {
    this.#entries.add(verdict, packet, nasId, record, atMs)
    this.#timer ??= setTimeout(() => this.flush(), flushMs)
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const taken = this.#entries.take()
    if (taken) this.#post({ kind: 'answered', ...taken })
  }
}
