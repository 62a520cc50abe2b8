import { operatorText, type RefusalReason } from '../../../domain/access.ts'
import type { NasId } from '../../../domain/ids.ts'
import type { AccessRecord } from '../../access/record.ts'
import { attributes } from '../wire/attribute-types.ts'
import type { PacketView } from '../wire/packet.ts'
import type { FromWorker, Rejection } from './messages.ts'

/**
 * Rejections reported per second; the rest are only counted. A flood of wrong passwords must not become a flood of
 * messages.
 */
const rejectionsPerSecondMax = 200
const flushMs = 100

/** Collects rejections for the main thread and posts them every tenth of a second, never more than the limit. */
export class RejectionNotices {
  readonly #post: (message: FromWorker) => void
  readonly #timeZone: () => string
  #waiting: Rejection[] = []
  #suppressed = 0
  #second = 0
  #inSecond = 0
  #timer: NodeJS.Timeout | null = null

  constructor(post: (message: FromWorker) => void, timeZone: () => string) {
    this.#post = post
    this.#timeZone = timeZone
  }

  add(reason: RefusalReason, packet: PacketView, nasId: NasId, record: AccessRecord | null, atMs: number): void {
    const second = Math.floor(atMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    this.#inSecond++
    if (this.#inSecond > rejectionsPerSecondMax) this.#suppressed++
    else
      this.#waiting.push({
        atMs,
        login: packet.text(attributes.userName) ?? '',
        subscriberId: record?.subscriberId ?? null,
        organizationId: record?.organizationId ?? null,
        nasId,
        reason,
        text: operatorText(reason, record, this.#timeZone()),
        station: packet.text(attributes.callingStationId),
      })
    this.#timer ??= setTimeout(() => this.flush(), flushMs)
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#waiting.length === 0 && this.#suppressed === 0) return
    this.#post({ kind: 'rejections', rejections: this.#waiting, suppressed: this.#suppressed })
    this.#waiting = []
    this.#suppressed = 0
  }
}
