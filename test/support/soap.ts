import { createHash } from 'node:crypto'

// Used by npm run chaos too, so nothing here imports tap.

export const salt = 'pepper'
export const userNamespace = 'billing.users'
export const fiscalNamespace = 'rpc.view.fiscal'

const hex = (algorithm: 'md5' | 'sha1', text: string) => createHash(algorithm).update(text).digest('hex')

/** What a program sends instead of its password. */
export const hashOf = (password: string, pepper = salt): string => hex('sha1', hex('md5', password) + pepper)

/** An answer as a simple program sees it: the text of the result, or of the fault. */
export type Answer = {
  readonly status: number
  readonly text: string
  readonly result: string | null
  /** Without the prefix of the envelope. */
  readonly code: string | null
  readonly reason: string | null
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')

/** As programs write it by hand. */
export const envelope = (operation: string, namespace: string, parameters: Readonly<Record<string, string>>): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:op="${namespace}"><soapenv:Header/><soapenv:Body>
  <op:${operation}>${Object.entries(parameters)
    .map(([name, value]) => `<op:${name}>${escaped(value)}</op:${name}>`)
    .join('')}</op:${operation}>
</soapenv:Body></soapenv:Envelope>`

const plain = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

export function answerOf(status: number, text: string): Answer {
  const inside = (name: string) => {
    const found = new RegExp(`<(?:\\w+:)?${name}>([^<]*)</(?:\\w+:)?${name}>`).exec(text)
    return found ? plain(found[1]!) : null
  }
  return {
    status,
    text,
    result: inside('hash') ?? inside('pay_usr_act2Result') ?? inside('pay_usr_act_importResult'),
    code: inside('faultcode')?.replace(/^soap11env:/, '') ?? null,
    reason: inside('faultstring'),
  }
}
