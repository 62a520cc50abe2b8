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

/** A field of a form as it was sent, percent-encoded. */
export type FormField = { readonly name: Buffer; readonly value: Buffer }

/** Splits application/x-www-form-urlencoded. Returns null for too many fields; empty ones count too. */
export function splitForm(body: Buffer): readonly FormField[] | null {
  const fields: FormField[] = []
  let parts = 0
  for (let from = 0; from < body.length; ) {
    if (++parts > fieldsMax) return null
    const at = body.indexOf(0x26, from)
    const end = at < 0 ? body.length : at
    const pair = body.subarray(from, end)
    const equals = pair.indexOf(0x3d)
    if (end > from)
      fields.push(
        equals < 0
          ? { name: pair, value: noBytes }
          : { name: pair.subarray(0, equals), value: pair.subarray(equals + 1) },
      )
    from = end + 1
  }
  return fields
}

const noBytes = Buffer.alloc(0)

/**
 * The bytes of a name or value; the same bytes where nothing is escaped. A percent sign that two hexadecimal digits do
 * not follow is taken literally. Unlike URLSearchParams, a megabyte of `+` or `%41` takes it no longer than one of
 * letters.
 */
export function unescaped(bytes: Buffer): Buffer {
  if (!bytes.includes(0x25) && !bytes.includes(0x2b)) return bytes
  const plain = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    const escaped = byte === 0x25 ? (digitOf(bytes[at + 1]) << 4) | digitOf(bytes[at + 2]) : -1
    if (escaped >= 0) at += 2
    plain[length++] = escaped >= 0 ? escaped : byte === 0x2b ? 0x20 : byte
  }
  return plain.subarray(0, length)
}

/** The value of a hexadecimal digit, or -1. All bits of -1 are set, so `|` with another digit stays negative. */
function digitOf(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Parses application/x-www-form-urlencoded in UTF-8 as names with their values. Returns null for too many fields. */
export const parseForm = (body: Buffer): readonly (readonly [name: string, value: string])[] | null =>
  splitForm(body)?.map(({ name, value }) => [unescaped(name).toString(), unescaped(value).toString()]) ?? null

/** No field of a page of ours is so long; that of a passkey has some kilobytes. */
const pageTextMax = 16_384

/**
 * A field of a page of ours as text; '' when it is none. It is cut, because the page shows again what was typed, and
 * escaping a megabyte would keep others waiting.
 */
export const pageText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, pageTextMax) : '')

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
    return { kind: 'fields', fields: Object.fromEntries(form.filter(([name]) => name !== '__proto__')) }
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
