import { parseJson, stringifyJson } from '../../platform/formats/json.ts'
import { type FormBytes, textOf } from './form-bytes.ts'

/** A notice as an operator may see it: what proves it (and could be sent again by who reads it) is cut. */

const secretFields = new Set(['md5', 'WMI_SIGNATURE', 'shopPassword', 'signature'])

export const shownForm = (form: FormBytes): string =>
  form.fields.map(({ name, value }) => `${name}=${secretFields.has(name) ? '***' : textOf(value)}`).join('\n')

export function shownJson(body: Buffer): string {
  const parsed = parseJson(body)
  return parsed.kind === 'parsed' ? stringifyJson(cut(parsed.value)) : `(${body.length} bytes that are no JSON)`
}

function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cut)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secretFields.has(name) ? '***' : cut(member)]),
  )
}
