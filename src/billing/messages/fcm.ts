import { membersOf } from '../../platform/formats/json.ts'
import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import type { FcmCredentials } from './fcm-credentials.ts'
import { FcmToken } from './fcm-token.ts'
import { askProvider, beginningOf, type ProviderAnswer, readJson } from './http-answer.ts'
import type { Message, Provider, SendOutcome } from './message.ts'

export const defaultFcmUrl = 'https://fcm.googleapis.com'

/** Pushes by Firebase Cloud Messaging, HTTP v1 (firebase.google.com/docs/reference/fcm/rest/v1/projects.messages). */
export function fcm(credentials: FcmCredentials, url: string, http: OutgoingHttp, now: () => Date): Provider {
  const token = new FcmToken(credentials, http, now)
  const address = `${url.replace(/\/+$/, '')}/v1/projects/${encodeURIComponent(credentials.project)}/messages:send`
  return {
    channel: 'push',
    async send(message, stopping) {
      const reading = await token.read(stopping)
      if ('failure' in reading) return { kind: 'retryLater', reason: reading.failure }
      const headers = { Authorization: `Bearer ${reading.token}`, 'Content-Type': 'application/json' }
      const answer = await askProvider(http, address, { method: 'POST', headers, body: bodyOf(message) }, stopping)
      if ('failure' in answer) return { kind: 'retryLater', reason: answer.failure }
      if (answer.status === 401) token.forget(reading.token)
      return outcomeOf(answer)
    },
  }
}

/** `kind` and `id` let the application show a message once and open the right page. */
const bodyOf = ({ id, kind, to, title, text }: Message): string =>
  JSON.stringify({
    message: {
      token: to,
      notification: { title, body: text },
      data: { kind, id: String(id) },
      android: { priority: 'HIGH', notification: { tag: `tollgate-${id}` } },
      apns: { headers: { 'apns-collapse-id': `tollgate-${id}` } },
    },
  })

/**
 * Codes of google.firebase.fcm.v1.FcmError for a device that is no longer registered, or belongs to another project.
 */
const goneCodes = ['UNREGISTERED', 'SENDER_ID_MISMATCH']

function outcomeOf({ status, ok, text, retryAfterMs }: ProviderAnswer): SendOutcome {
  const body = readJson(text)
  if (ok && typeof membersOf(body).name === 'string') return { kind: 'sent' }
  if (ok) return { kind: 'retryLater', reason: `FCM answered ${status}, but not as FCM does: ${beginningOf(text)}` }
  const { code, message, fields } = readError(body)
  const reason = `FCM answered ${status} ${code ?? ''}: ${message ?? beginningOf(text)}`.replace(/ +:/, ':')
  if (code !== null && goneCodes.includes(code)) return { kind: 'refused', reason, addressGone: true }
  if (status === 400) {
    // Either the token is malformed, so the device is useless, or the message itself is wrong.
    const isToken = fields.includes('message.token') || /registration token/i.test(message ?? '')
    return { kind: 'refused', reason, ...(isToken && { addressGone: true as const }) }
  }
  // An operator may fix a wrong project, missing rights or a used-up quota while the message waits.
  return { kind: 'retryLater', reason, ...(retryAfterMs !== undefined && { afterMs: retryAfterMs }) }
}

/**
 * Reads `{error: {status, message, details: [{errorCode}, {fieldViolations: [{field}]}]}}`, of which any part may be
 * missing.
 */
function readError(body: unknown): { code: string | null; message: string | null; fields: readonly unknown[] } {
  const { status, message, details } = membersOf(membersOf(body).error)
  const known = Array.isArray(details) ? details.map(membersOf) : []
  const code = known.find(({ errorCode }) => typeof errorCode === 'string')?.errorCode ?? status
  const violations = known.flatMap(({ fieldViolations }) => (Array.isArray(fieldViolations) ? fieldViolations : []))
  return {
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? beginningOf(message) : null,
    fields: violations.map((violation) => membersOf(violation).field),
  }
}
