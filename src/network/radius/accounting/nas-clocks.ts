import type { NasId } from '../../../domain/ids.ts'

/** Without NTP a clock may be off by a few seconds. By more than this, the times of sessions are wrong. */
export const nasClockSecondsMax = 60

const windowMs = 10 * 60_000

type Ahead = { sinceMs: number; ms: number; beforeMs: number | null }

/**
 * How far the clock of each NAS is ahead of ours, by the Event-Timestamp of its accounting (RFC 2869 section 5.3). A
 * packet that was repeated, or waited anywhere on its way, makes the clock seem to be behind and never ahead, so the
 * furthest ahead of ten to twenty minutes is the truest.
 */
export class NasClocks {
  readonly #ahead = new Map<NasId, Ahead>()

  /** `nowMs` since 1970. */
  hear(nas: NasId, aheadMs: number, nowMs: number): void {
    const known = this.#ahead.get(nas)
    if (!known) this.#ahead.set(nas, { sinceMs: nowMs, ms: aheadMs, beforeMs: null })
    else if (nowMs - known.sinceMs > windowMs) {
      known.beforeMs = nowMs - known.sinceMs > 2 * windowMs ? null : known.ms
      known.sinceMs = nowMs
      known.ms = aheadMs
    } else if (aheadMs > known.ms) known.ms = aheadMs
  }

  /** Whole seconds, negative where the clock is behind; null: its accounting bears no time, or has not come yet. */
  aheadSecondsOf(nas: NasId): number | null {
    const known = this.#ahead.get(nas)
    return known ? Math.round(Math.max(known.ms, known.beforeMs ?? Number.NEGATIVE_INFINITY) / 1000) : null
  }
}
