import { printable } from '../../domain/printable.ts'
import { PrivateDestination } from '../../platform/outgoing/destinations.ts'
import { faultOf, type OutgoingHttp, type OutgoingRequest } from '../../platform/outgoing/outgoing-http.ts'
import { readRetryAfter } from '../../platform/outgoing/retry-after.ts'
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

/**
 * Sends one request to a provider. `failure`: a sentence for the operator about why there is no answer. Never throws,
 * and takes at most `sendTimeoutMs`. A redirect is an answer like any other.
 */
export async function askProvider(
  http: OutgoingHttp,
  url: string,
  request: Pick<OutgoingRequest, 'method' | 'headers' | 'body'>,
  stopping: AbortSignal,
): Promise<ProviderAnswer | { failure: string }> {
  const timeout = AbortSignal.timeout(sendTimeoutMs)
  try {
    const signal = AbortSignal.any([stopping, timeout])
    const { status, header, bytes } = await http.request(url, { ...request, signal, answerBytesMax })
    const retryAfterMs = readRetryAfter(header('retry-after'))
    return {
      status,
      ok: status >= 200 && status < 300,
      text: bytes.toString('utf8'),
      ...(retryAfterMs !== null && { retryAfterMs }),
    }
  } catch (error) {
    if (timeout.aborted) return { failure: `No answer within ${sendTimeoutMs / 1000} s.` }
    if (stopping.aborted) return { failure: 'The program was stopped while it waited for the answer.' }
    return { failure: error instanceof PrivateDestination ? error.message : `No answer: ${faultOf(error)}.` }
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
