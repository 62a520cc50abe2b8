const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The waits after each failed attempt, as Standard Webhooks advises; after the last attempt a delivery is given up. */
const waitsMs = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const

/** Waits are longer by up to a tenth, so that what failed together does not come back together. */
const jitter = 0.1

/**
 * When a delivery is tried again that failed at `at`, after `attempts` failures before; not before the moment for which
 * the endpoint asked. Null: it is given up.
 */
export function nextAttemptAt(
  attempts: number,
  retryAfterMs: number | null,
  at: Date,
  random: () => number = Math.random,
): Date | null {
  const waitMs = waitsMs[attempts]
  if (waitMs === undefined) return null
  return new Date(at.getTime() + Math.max(waitMs * (1 + jitter * random()), retryAfterMs ?? 0))
}
