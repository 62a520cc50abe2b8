import { Unavailable } from '../unavailable.ts'

/**
 * Of the network and of PostgreSQL: gone, going, coming, or full. A statement that failed for its own reasons is not
 * here.
 */
const codes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['57P01', '57P02', '57P03', '57P05', '53300', '25006'],
])

/** pg and pg-pool have no codes for these. */
const sentences =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/

/**
 * The database could not be reached or did not answer in time. The outcome of a statement that fails so is unknown.
 * Null for every other error. Looks into what MikroORM and Node wrap.
 */
export function asUnavailable(error: unknown): Unavailable | null {
  if (error instanceof Unavailable) return error
  if (!isConnectionLoss(error, 0)) return null
  return new Unavailable('database', `The database is away (${(error as Error).message || codeOf(error)}).`)
}

function isConnectionLoss(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false
  const code = codeOf(error)
  if (codes.has(code) || /^08\w{3}$/.test(code)) return true
  const { message, cause, previous, errors } = error as Record<string, unknown>
  if (typeof message === 'string' && sentences.test(message)) return true
  const inner = [cause, previous, ...(Array.isArray(errors) ? errors : [])]
  return inner.some((one) => isConnectionLoss(one, depth + 1))
}

/** The code of an error of PostgreSQL (its SQLSTATE) or of Node; empty when it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
