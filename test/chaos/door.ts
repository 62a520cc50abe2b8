import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds of the run. */
export type Outage = { fromMs: number; toMs: number }

/** `fromMs` is when the first use began that came to nothing, `failedMs` when that was known. */
type Shut = Outage & { readonly failedMs: number }

/** One way into the program: how often it was used, what came of it, and when nobody got through. */
export class Door {
  readonly name: string
  asked = 0
  served = 0
  /** Refused for what was sent: that is what should happen. */
  refused = 0
  /** No answer, or one that says to come again. */
  unserved = 0
  readonly #ended: Shut[] = []
  /** Ends at infinity until somebody is served. */
  #shut: Shut | null = null

  constructor(name: string) {
    this.name = name
  }

  /** How a use that began at `beganMs` ended at `nowMs`. */
  took(outcome: 'served' | 'refused' | 'unserved', beganMs: number, nowMs: number): void {
    this.asked++
    this[outcome]++
    if (outcome === 'unserved') {
      this.#shut ??= { fromMs: beganMs, failedMs: nowMs, toMs: Number.POSITIVE_INFINITY }
      return
    }
    if (this.#shut === null) return
    this.#ended.push({ ...this.#shut, toMs: nowMs })
    this.#shut = null
  }

  get outages(): readonly Outage[] {
    return this.#ended.map(({ fromMs, toMs }) => ({ fromMs, toMs }))
  }

  get longestOutageMs(): number {
    return Math.max(0, ...this.outages.map(({ fromMs, toMs }) => toMs - fromMs))
  }

  /** The outage of that moment, which may last for ever. Null: nobody was turned away then. */
  shutAt(momentMs: number): Shut | null {
    if (this.#shut !== null && this.#shut.fromMs <= momentMs) return this.#shut
    return this.#ended.find(({ fromMs, toMs }) => fromMs <= momentMs && toMs > momentMs) ?? null
  }

  /**
   * How long after a moment in which nobody was served somebody was again; 0 where nobody was turned away then. Null:
   * never.
   */
  recoveredAfterMs(momentMs: number): number | null {
    const afterMs = (this.shutAt(momentMs)?.toMs ?? momentMs) - momentMs
    return afterMs === Number.POSITIVE_INFINITY ? null : afterMs
  }
}

export type HttpAnswer = { status: number; text: string; headers: Headers }

/** A request that may find nobody; null: no answer. */
export async function http(url: string, init: RequestInit = {}, patienceMs = 10_000): Promise<HttpAnswer | null> {
  try {
    const response = await fetch(url, { redirect: 'manual', ...init, signal: AbortSignal.timeout(patienceMs) })
    return { status: response.status, text: await response.text(), headers: response.headers }
  } catch {
    return null
  }
}

/** To be asked again: nobody there, cut off, told to wait. */
export const isUnserved = (answer: { status: number } | null): boolean =>
  answer === null || answer.status === 503 || answer.status === 429

export const shortly = (ms: number): Promise<void> => pause(ms)

/** Whether it came within that time. Leaves no timer behind. */
export async function within(ms: number, coming: Promise<unknown>): Promise<boolean> {
  const patience = new AbortController()
  const late = pause(ms, false, { signal: patience.signal }).catch(() => false)
  return await Promise.race([coming.then(() => true), late]).finally(() => patience.abort())
}
