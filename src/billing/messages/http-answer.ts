import { printable } from '../../domain/printable.ts'
import { readAnswer } from '../../platform/formats/answers.ts'
import { sendTimeoutMs } from './message.ts'

export type ProviderAnswer = {
  readonly status: number
  readonly ok: boolean
  readonly text: string
  /** The delay the provider asked for. */
  readonly retryAfterMs?: number
}

/** An answer about one message is short, so the rest of a longer one is not read. */
const answerBytesMax = 64 * 1024
const retryAfterMaxMs = 6 * 3_600_000

/**
 * Sends one request to a provider. `failure`: a sentence for the operator about why there is no answer. Never throws,
 * and takes at most `sendTimeoutMs`. A redirect is returned as an answer and not followed, because messages go only to
 * the address the operator has set.
 */
export async function askProvider(
  url: string,
  init: RequestInit,
  stopping: AbortSignal,
): Promise<ProviderAnswer | { failure: string }> {
  const timeout = AbortSignal.timeout(sendTimeoutMs)
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any([stopping, timeout]) })
    const text = (await readAnswer(response, answerBytesMax)).bytes.toString('utf8')
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
    return { status: response.status, ok: response.ok, text, ...(retryAfterMs !== null && { retryAfterMs }) }
  } catch (error) {
    if (timeout.aborted) return { failure: `No answer within ${sendTimeoutMs / 1000} s.` }
    if (stopping.aborted) return { failure: 'The program was stopped while it waited for the answer.' }
    return { failure: `No answer: ${causeOf(error)}.` }
  }
}

/** The first 200 characters of an answer on one line, for the operator. */
export const beginningOf = (text: string): string => printable(text.replace(/\s+/g, ' ').trim().slice(0, 200))

/** Null: the answer is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The error code of the socket and not the message of fetch, which holds the address with its password. */
function causeOf(error: unknown): string {
  const { code, name } = ((error as { cause?: unknown }).cause ?? error) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name ?? 'the connection failed')
}

/** The delay in milliseconds of a Retry-After header: seconds or an HTTP date (RFC 9110 section 10.2.3). */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMaxMs)
}
