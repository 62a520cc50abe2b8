import { printable } from '../../domain/printable.ts'
import { sendTimeoutMs } from './message.ts'

/** An answer of a provider, or in words why there was none. */
export type HttpAnswer =
  | { readonly status: number; readonly ok: boolean; readonly text: string; readonly retryAfterMs?: number }
  | { readonly silence: string }

/** What a provider says about one message is short. */
const answerBytesMax = 64 * 1024
const retryAfterMaxMs = 6 * 3_600_000

/**
 * One request to a provider, never thrown and never longer than `sendTimeoutMs`. Redirects are answers like others: a
 * message is sent to nobody else.
 */
export async function askProvider(url: string, init: RequestInit, stopping: AbortSignal): Promise<HttpAnswer> {
  const late = AbortSignal.timeout(sendTimeoutMs)
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any([stopping, late]) })
    const text = await readText(response)
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
    return { status: response.status, ok: response.ok, text, ...(retryAfterMs !== null && { retryAfterMs }) }
  } catch (error) {
    if (late.aborted) return { silence: `No answer within ${sendTimeoutMs / 1000} s.` }
    if (stopping.aborted) return { silence: 'The program was stopped while it waited for the answer.' }
    return { silence: `No answer: ${causeOf(error)}.` }
  }
}

/** How an answer begins, on one line, for the operator. */
export const beginningOf = (text: string): string => printable(text.replace(/\s+/g, ' ').trim().slice(0, 200))

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > answerBytesMax) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The code of the socket rather than the sentence of fetch, which holds the address with its password. */
function causeOf(error: unknown): string {
  const { code, name } = ((error as { cause?: unknown }).cause ?? error) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name ?? 'the connection failed')
}

/** Seconds, or a moment, as RFC 9110 section 10.2.3 has it. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMaxMs)
}
