/** No server makes anybody wait for longer. */
const retryAfterMaxMs = 6 * 3_600_000

/**
 * The delay in milliseconds of a Retry-After header: seconds or an HTTP date (RFC 9110 section 10.2.3). Null: there is
 * none, or it is neither.
 */
export function readRetryAfter(header: string | null, now = new Date()): number | null {
  if (header === null) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMaxMs)
}
