import type { Static, TObject, TSchema } from 'typebox'
import { readSignedId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import { readText } from '../../domain/text.ts'
import { parseJson } from '../../platform/formats/json.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { mediaTypeOf } from '../../platform/http/form.ts'
import { wrongProperties } from '../../platform/http/schema-check.ts'
import { refused, refusedDetail } from './refusal.ts'

type Asked = { readonly call: Pick<Call, 'header' | 'body'>; readonly language: Language }
type Members = Readonly<Record<string, unknown>>

/** The body as typed by its schema, and all members as they were sent. */
type ReadBody<S extends TObject> = { readonly body: Static<S>; readonly sent: Members }

/**
 * Reads the body of a write and checks it by the schema that documents it. Texts are trimmed, ids may be sent as text,
 * and null counts as a member that is left out. Members named in `apart` are not checked: the caller does that with its
 * own refusals.
 */
export function readBody<S extends TObject>(
  asked: Asked,
  schema: S,
  { apart = [] }: { readonly apart?: readonly string[] } = {},
): ReadBody<S> | { readonly refusal: Reply } {
  const read = readMembers(asked)
  if ('refusal' in read) return read
  const { sent } = read
  const body: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : null
    if (value !== null) body[name] = readMember(property, value)
  }
  const wrong = wrongProperties(schema, body).find((name) => !apart.includes(name))
  return wrong === undefined ? { body: body as Static<S>, sent } : { refusal: refusalOf(asked, schema, wrong) }
}

/** The members of a body that is a JSON object; no body counts as an empty object. */
export function readMembers(asked: Asked): { readonly sent: Members } | { readonly refusal: Reply } {
  const { call } = asked
  if (call.body.length === 0) return { sent: {} }
  if (!['application/json', ''].includes(mediaTypeOf(call))) {
    return { refusal: refused(asked, 415, 'unsupported_media_type') }
  }
  const parsed = parseJson(call.body)
  const value = parsed.kind === 'parsed' ? parsed.value : null
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { refusal: refusedDetail(asked, 'json') }
  return { sent: value as Members }
}

type Property = TSchema & {
  readonly type?: unknown
  readonly enum?: readonly string[]
  readonly format?: string
  readonly maxLength?: number
}

/** Converts a member for the check. Text that no column can store becomes empty, which the schema refuses. */
function readMember({ type, enum: choices, format, maxLength = 0 }: Property, value: unknown): unknown {
  if (type === 'integer') return readSignedId(value) ?? value
  if (type !== 'string' || choices || typeof value !== 'string') return value
  // Spaces at the ends of a password belong to it.
  if (format === 'password') return value.length <= maxLength ? value : ''
  return readText(value, maxLength) ?? ''
}

function refusalOf(asked: Asked, { properties }: TObject, field: string): Reply {
  const { type, enum: choices, maxLength = 0 } = properties[field] as Property
  if (choices) return refusedDetail(asked, 'choice', { field, choices: choices.join(', ') })
  if (type === 'integer') return refusedDetail(asked, 'id', { field })
  if (type === 'boolean') return refusedDetail(asked, 'switch', { field })
  return refusedDetail(asked, 'text', { field, most: maxLength })
}
