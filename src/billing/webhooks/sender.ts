import { printable } from '../../domain/printable.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { PrivateDestination } from '../../platform/outgoing/destinations.ts'
import { faultOf, type OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import { SecretUnreadable } from '../../platform/secrets/secrets.ts'
import { readRetryAfter } from '../../platform/outgoing/retry-after.ts'
import type { Attempt, DueDelivery } from './delivery-table.ts'
import { signedHeaders } from './message.ts'

export type SenderParts = {
  readonly http: OutgoingHttp
  readonly secrets: { readonly open: (sealed: string) => string }
  readonly clock: Clock
  readonly timeoutMs?: number
}

/** What Standard Webhooks advises. */
const usualTimeoutMs = 15_000
/** What is longer is not read: only the status counts, and the beginning is kept for people. */
const answerBytesMax = 1_024

/** An attempt, and how long the endpoint asked to be left alone. */
export type Tried = Attempt & { readonly retryAfterMs: number | null }

/**
 * One attempt to deliver: a POST that is signed with the time of now. Success is 2xx alone; a redirect leads to a
 * server that nobody has named and counts as a failure. Null: the program stops. Never rejects.
 */
export async function tryDelivery(
  { http, secrets, clock, timeoutMs = usualTimeoutMs }: SenderParts,
  { url, messageId, body, sealedSecrets }: DueDelivery,
  stopping: AbortSignal,
): Promise<Tried | null> {
  const startedMs = clock.elapsedMs()
  const tookMs = () => Math.round(clock.elapsedMs() - startedMs)
  const failed = (error: string): Tried => ({
    ...{ kind: 'failed', status: null, error, answer: null, retryAfterMs: null },
    tookMs: tookMs(),
  })
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const headers = signedHeaders(sealedSecrets.map(secrets.open), messageId, clock.now(), body)
    const signal = AbortSignal.any([stopping, timeout])
    const { status, header, bytes } = await http.request(url, { method: 'POST', headers, body, signal, answerBytesMax })
    const isDelivered = status >= 200 && status < 300
    return {
      kind: isDelivered ? 'delivered' : status === 410 ? 'gone' : 'failed',
      status,
      error: isDelivered ? null : `The answer was ${status}.`,
      answer: printable(bytes.subarray(0, answerBytesMax).toString('utf8')),
      tookMs: tookMs(),
      retryAfterMs: isDelivered ? null : readRetryAfter(header('retry-after'), clock.now()),
    }
  } catch (error) {
    if (stopping.aborted) return null
    if (timeout.aborted) return failed(`No answer within ${timeoutMs / 1000} s.`)
    const isPlain = error instanceof PrivateDestination || error instanceof SecretUnreadable
    return failed(isPlain ? error.message : `No answer: ${faultOf(error)}.`)
  }
}
