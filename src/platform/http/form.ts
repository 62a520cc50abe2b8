import type { Call } from './call.ts'
import { parseJson } from '../formats/json.ts'

/** More fields than any form of ours has; a million one-letter fields would cost more than their megabyte. */
const fieldsMax = 1000

export type Fields =
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> }
  | { kind: 'refused'; status: 400 | 415; detail: string }

/** `application/json` of `application/json; charset=utf-8`, lower case; '' where there is none. */
export const mediaTypeOf = (call: Pick<Call, 'header'>): string =>
  call.header('content-type').split(';', 1)[0]!.trim().toLowerCase()

/** application/x-www-form-urlencoded. Bad percent-encoding is taken literally, as browsers do; null for too many fields. */
export function parseForm(body: Buffer): URLSearchParams | null {
  let fields = 1
  for (const byte of body) if (byte === 0x26) fields++
  return fields > fieldsMax ? null : new URLSearchParams(body.toString('utf8'))
}

/** The fields of a write that takes JSON or a form (contract section 5). A form's values are strings, of a repeated one the last. */
export function readFields(call: Pick<Call, 'header' | 'body'>): Fields {
  const mediaType = mediaTypeOf(call)
  if (call.body.length === 0) return { kind: 'fields', fields: {} }
  if (mediaType === 'application/x-www-form-urlencoded') {
    const form = parseForm(call.body)
    if (!form) return { kind: 'refused', status: 400, detail: `More than ${fieldsMax} fields.` }
    return { kind: 'fields', fields: Object.fromEntries([...form].filter(([name]) => name !== '__proto__')) }
  }
  if (mediaType !== 'application/json') {
    return { kind: 'refused', status: 415, detail: `Unsupported media type "${mediaType}" in request.` }
  }
  const parsed = parseJson(call.body)
  if (parsed.kind === 'refused') return { kind: 'refused', status: 400, detail: parsed.detail }
  const { value } = parsed
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { kind: 'refused', status: 400, detail: 'Invalid data. Expected a dictionary.' }
  }
  return { kind: 'fields', fields: value as Record<string, unknown> }
}
