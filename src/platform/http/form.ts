import type { Call } from './call.ts'
import { parseJson } from '../formats/json.ts'

/**
 * No form of ours has so many fields. Without the limit, a megabyte of one-letter fields would take far more memory.
 */
const fieldsMax = 1000

export type Fields =
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> }
  | { kind: 'refused'; status: 400 | 415; detail: string }

/**
 * The media type in lower case without parameters, for example `application/json`; '' when there is no Content-Type.
 */
export const mediaTypeOf = (call: Pick<Call, 'header'>): string =>
  call.header('content-type').split(';', 1)[0]!.trim().toLowerCase()

/**
 * Parses application/x-www-form-urlencoded; invalid percent-encoding is taken literally. Returns null for too many
 * fields.
 */
export function parseForm(body: Buffer): URLSearchParams | null {
  let fields = 1
  for (const byte of body) if (byte === 0x26) fields++
  return fields > fieldsMax ? null : new URLSearchParams(body.toString('utf8'))
}

/**
 * The fields of a write that takes JSON or a form (contract section 5). The values of a form are strings, and the last
 * value of a repeated field counts.
 */
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
