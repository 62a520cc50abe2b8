import { askProvider, beginningOf } from './http-answer.ts'
import type { Message, Provider, SendOutcome } from './message.ts'

/**
 * How an SMS gateway of an operator is asked over HTTP. In url, body and headers `{phone}`, `{text}` and `{id}` are put
 * in.
 */
export type SmsGatewayOptions = {
  readonly url: string
  /** Null: POST when there is a body, else GET. */
  readonly method: 'GET' | 'POST' | 'PUT' | null
  /** Null: the address carries everything; where it has no placeholder, a JSON body of our own does. */
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>>
  /**
   * What the answer must contain to mean success, for gateways that answer 200 to everything; null: any 2xx will do.
   */
  readonly accepted: string | null
}

const usualBody = '{"id": "{id}", "phone": "{phone}", "text": "{text}"}'

/**
 * The message itself is at fault. All else (a wrong password, no money left, too many) may be mended while the message
 * waits.
 */
const finalStatuses = [400, 410, 413, 414, 422]

type Escape = (text: string) => string

const inJson: Escape = (text) => JSON.stringify(text).slice(1, -1)
const inXml: Escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** SMS through any gateway that takes an HTTP request. */
export function smsGateway(options: SmsGatewayOptions): Provider {
  const body = options.body ?? (hasPlaceholder(options.url) ? null : usualBody)
  const method = options.method ?? (body === null ? 'GET' : 'POST')
  const type = contentTypeOf(options.headers, body)
  const escapeBody = escapeFor(type)
  const accepted = options.accepted === null ? null : new RegExp(options.accepted)
  const hide = hiding(options)

  return {
    channel: 'sms',
    async send(message, stopping) {
      const headers = Object.entries(options.headers).map(
        ([name, value]) => [name, filled(value, message, encodeURIComponent)] as [string, string],
      )
      const answer = await askProvider(
        filled(options.url, message, encodeURIComponent),
        {
          method,
          headers:
            type === null || hasHeader(options.headers, 'content-type')
              ? headers
              : [...headers, ['Content-Type', type]],
          ...(body !== null && { body: filled(body, message, escapeBody) }),
        },
        stopping,
      )
      if ('silence' in answer) return { kind: 'retryLater', reason: answer.silence }
      return outcomeOf(answer)
    },
  }

  function outcomeOf({
    status,
    ok,
    text,
    retryAfterMs,
  }: Readonly<{ status: number; ok: boolean; text: string; retryAfterMs?: number }>): SendOutcome {
    if (ok && (accepted === null || accepted.test(text))) return { kind: 'sent' }
    const said = hide(beginningOf(text))
    const reason = `The SMS gateway answered ${status}${said && `: ${said}`}`
    if (finalStatuses.includes(status)) return { kind: 'refused', reason }
    return { kind: 'retryLater', reason, ...(retryAfterMs !== undefined && { afterMs: retryAfterMs }) }
  }
}

const hasPlaceholder = (text: string): boolean => /\{(phone|text)\}/.test(text)

const filled = (template: string, { id, to, text }: Message, inForm: Escape): string =>
  template.replace(/\{(phone|text|id)\}/g, (_, name: 'phone' | 'text' | 'id') =>
    inForm({ phone: to, text, id: String(id) }[name]),
  )

const hasHeader = (headers: Readonly<Record<string, string>>, name: string): boolean =>
  Object.keys(headers).some((one) => one.toLowerCase() === name)

/** As the operator says it in the headers, else by how the body begins. */
function contentTypeOf(headers: Readonly<Record<string, string>>, body: string | null): string | null {
  const said = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  if (said !== undefined) return said
  if (body === null) return null
  if (/^\s*[[{]\s*["{[\]}]/.test(body)) return 'application/json'
  return /^\s*</.test(body) ? 'application/xml' : 'application/x-www-form-urlencoded'
}

function escapeFor(contentType: string | null): Escape {
  if (contentType === null || contentType.includes('urlencoded')) return encodeURIComponent
  if (contentType.includes('json')) return inJson
  return contentType.includes('xml') ? inXml : (text) => text
}

/** Some gateways repeat the request in their answer, with the password in it. */
function hiding({ url, headers, body }: SmsGatewayOptions): Escape {
  const { searchParams, password, pathname } = new URL(url)
  const secrets = [
    ...[password, ...searchParams.values(), ...pathname.split('/').filter((part) => part.length >= 16)],
    ...Object.values(headers).flatMap((value) => [value, ...value.split(' ')]),
    // The values of a body, be it JSON, XML or a form.
    ...[...(body ?? '').matchAll(/[:=>]\s*"?([^"&<{}]+)/g)].map((match) => match[1]!.trim()),
  ].filter((value) => value.length >= 6 && !hasPlaceholder(value))
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}
