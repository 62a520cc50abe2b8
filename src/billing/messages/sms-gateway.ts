import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import { askProvider, beginningOf, type ProviderAnswer } from './http-answer.ts'
import type { Message, Provider, SendOutcome } from './message.ts'

/**
 * How to call an operator's SMS gateway over HTTP. The placeholders `{phone}`, `{text}` and `{id}` in the address, body
 * and headers are filled in for each message.
 */
export type SmsGatewayOptions = {
  readonly url: string
  /** Null: POST when there is a body, GET otherwise. */
  readonly method: 'GET' | 'POST' | 'PUT' | null
  /** Null: no body when the address has placeholders, and a default JSON body otherwise. */
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>>
  /**
   * A regular expression that the answer must match, for gateways that answer 200 to everything. Null: any 2xx will do.
   */
  readonly accepted: string | null
}

const defaultBody = '{"id": "{id}", "phone": "{phone}", "text": "{text}"}'

/**
 * Statuses that blame the message itself. Any other failure (a wrong password, no funds, a rate limit) may be fixed
 * while the message waits.
 */
const finalStatuses = [400, 410, 413, 414, 422]

type Escape = (text: string) => string

const escapeJson: Escape = (text) => JSON.stringify(text).slice(1, -1)
const escapeXml: Escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** SMS through any gateway that takes an HTTP request. */
export function smsGateway(options: SmsGatewayOptions, http: OutgoingHttp): Provider {
  const body = options.body ?? (hasPlaceholder(options.url) ? null : defaultBody)
  const method = options.method ?? (body === null ? 'GET' : 'POST')
  const configured = Object.entries(options.headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const type = configured ?? (body === null ? null : contentTypeOf(body))
  const ownHeaders: [string, string][] = configured === undefined && type !== null ? [['Content-Type', type]] : []
  const escapeBody = escapeFor(type)
  const accepted = options.accepted === null ? null : new RegExp(options.accepted)
  const redact = redactorOf(options)

  return {
    channel: 'sms',
    async send(message, stopping) {
      const headers = Object.entries(options.headers).map(
        ([name, value]) => [name, fillIn(value, message, encodeURIComponent)] as [string, string],
      )
      const filledBody = body === null ? {} : { body: fillIn(body, message, escapeBody) }
      const url = fillIn(options.url, message, encodeURIComponent)
      const request = { method, headers: [...headers, ...ownHeaders], ...filledBody }
      const answer = await askProvider(http, url, request, stopping)
      if ('failure' in answer) return { kind: 'retryLater', reason: answer.failure }
      return outcomeOf(answer)
    },
  }

  function outcomeOf({ status, ok, text, retryAfterMs }: ProviderAnswer): SendOutcome {
    if (ok && (accepted === null || accepted.test(text))) return { kind: 'sent' }
    const detail = redact(beginningOf(text))
    const reason = `The SMS gateway answered ${status}${detail && `: ${detail}`}`
    if (finalStatuses.includes(status)) return { kind: 'refused', reason }
    return { kind: 'retryLater', reason, ...(retryAfterMs !== undefined && { afterMs: retryAfterMs }) }
  }
}

const hasPlaceholder = (text: string): boolean => /\{(phone|text)\}/.test(text)

const fillIn = (template: string, { id, to, text }: Message, escapeValue: Escape): string =>
  template.replace(/\{(phone|text|id)\}/g, (_, name: 'phone' | 'text' | 'id') =>
    escapeValue({ phone: to, text, id: String(id) }[name]),
  )

/** The Content-Type of a body, guessed from how it begins. */
function contentTypeOf(body: string): string {
  if (/^\s*[[{]\s*["{[\]}]/.test(body)) return 'application/json'
  return /^\s*</.test(body) ? 'application/xml' : 'application/x-www-form-urlencoded'
}

function escapeFor(contentType: string | null): Escape {
  if (contentType === null || contentType.includes('urlencoded')) return encodeURIComponent
  if (contentType.includes('json')) return escapeJson
  return contentType.includes('xml') ? escapeXml : (text) => text
}

/** Some gateways repeat the request in their answer, password included, so values that may be secret are masked. */
function redactorOf({ url, headers, body }: SmsGatewayOptions): Escape {
  const { searchParams, password, pathname } = new URL(url)
  const secrets = [
    ...[password, ...searchParams.values(), ...pathname.split('/').filter((part) => part.length >= 16)],
    ...Object.values(headers).flatMap((value) => [value, ...value.split(' ')]),
    // The values of the body, which may be JSON, XML or a form.
    ...[...(body ?? '').matchAll(/[:=>]\s*"?([^"&<{}]+)/g)].map((match) => match[1]!.trim()),
  ].filter((value) => value.length >= 6 && !hasPlaceholder(value))
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}
