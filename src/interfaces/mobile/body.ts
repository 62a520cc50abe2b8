import type { TObject, TProperties } from 'typebox'
import type { Language } from '../../domain/language.ts'
import { parseJson } from '../../platform/formats/json.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { type Parameters, parametersOf, readBySchema, type Values } from '../../platform/http/fields.ts'
import { mediaTypeOf } from '../../platform/http/form.ts'
import { refused, refusedDetail } from './refusal.ts'

type Asked = { readonly call: Pick<Call, 'header' | 'body'>; readonly language: Language }
type Members = Readonly<Record<string, unknown>>

/**
 * Reads the body of a write by the schema that documents it: the named members, or all of them. Also answers all
 * members as they were sent. Null counts as a member that is left out.
 */
export function readBody<P extends TProperties, N extends keyof P & string = keyof P & string>(
  asked: Asked,
  { properties }: TObject<P>,
  names?: readonly N[],
): { readonly body: Values<Pick<P, N>>; readonly sent: Members } | { readonly refusal: Reply } {
  const read = readMembers(asked)
  if ('refusal' in read) return read
  const { sent } = read
  const isLeftOut = (member: unknown) => member === undefined || member === null
  const body = readBySchema(properties, sent, { names, isLeftOut })
  return 'wrong' in body ? { refusal: refusalOf(asked, properties, body.wrong) } : { body: body.values, sent }
}

/** Reads the parameters of a query. The last value of a repeated parameter counts; an empty one is left out. */
export function readQuery<Q extends Parameters>(
  caller: { readonly call: Pick<Call, 'query'>; readonly language: Language },
  parameters: Q,
) {
  const properties = parametersOf(parameters)
  const read = readBySchema(properties, Object.fromEntries([...caller.call.query].filter(([, value]) => value !== '')))
  return 'wrong' in read ? { refusal: refusalOf(caller, properties, read.wrong) } : { query: read.values }
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

type Property = {
  readonly type?: unknown
  readonly enum?: readonly string[]
  readonly format?: string
  readonly maximum?: number
  readonly maxLength?: number
}

function refusalOf(caller: { readonly language: Language }, properties: TProperties, field: string): Reply {
  const { type, enum: choices, format, maximum, maxLength = 0 } = properties[field] as Property
  if (choices) return refusedDetail(caller, 'choice', { field, choices: choices.join(', ') })
  if (format === 'date') return refusedDetail(caller, 'day', { field })
  if (maximum !== undefined) return refusedDetail(caller, 'page', { field, most: maximum })
  if (type === 'integer') return refusedDetail(caller, 'id', { field })
  if (type === 'boolean') return refusedDetail(caller, 'switch', { field })
  return refusedDetail(caller, 'text', { field, most: maxLength })
}
