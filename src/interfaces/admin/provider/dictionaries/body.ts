import { readFields } from '../../../../platform/http/form.ts'
import type { Call } from '../../../../platform/http/call.ts'
import { refusal } from '../../../../platform/http/errors.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { Dictionary, Field, Refused, Shown, Step, Values } from './description.ts'

type Described = Pick<Dictionary, 'fields'>

/** Everything described that a body names; unknown and read-only names are left aside. Every wrong field is told at once. */
export function readValues({ fields }: Described, call: Call, isNew: boolean): { values: Values } | Refused {
  const read = readFields(call)
  if (read.kind === 'refused') return { refused: refusal('admin', read.status, read.detail) }
  const values: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const field of fields) {
    const { name, kind, isRequired, isNullable } = field
    if (!kind) continue
    const sentAs = sentName(field, read.fields)
    if (sentAs === null) {
      if (isNew && isRequired) errors[name] = 'This field is required.'
      continue
    }
    const sent = read.fields[sentAs]
    const isEmpty = sent === null || (typeof sent === 'string' && sent.trim() === '' && !kind.isSecret)
    const value = isEmpty && isNullable ? null : kind.read(sent)
    if (value === null && !(isEmpty && isNullable)) errors[sentAs] = `It must ${kind.must}.`
    else values[name] = value
  }
  return Object.keys(errors).length > 0 ? wrongFields(errors) : { values }
}

/** A form that knows a relation by both names sends both; the name without `_id` counts. */
function sentName({ name, refersTo }: Field, sent: Readonly<Record<string, unknown>>): string | null {
  return [name, ...(refersTo ? [`${name}_id`] : [])].find((one) => Object.hasOwn(sent, one)) ?? null
}

export function wrongFields(errors: Readonly<Record<string, string>>): Refused {
  const sentences = Object.entries(errors).map(([name, text]) => `${name}: ${text}`)
  return { refused: json({ ok: false, error: sentences.join(' '), errors }, 400) }
}

/** A relation to a foreign row is answered like one to a missing row. */
export async function checkRelations({ fields }: Described, { client, visible, values, before }: Step) {
  const errors: Record<string, string> = {}
  for (const { name, refersTo } of fields) {
    const value = values[name]
    if (!refersTo || value === null || value === undefined || isSame(before, name, value)) continue
    const ids = Array.isArray(value) ? value : [value]
    const { rows } = await client.query<{ id: string }>(
      `SELECT row.id FROM ${refersTo.from} AS row WHERE row.id = ANY($1::int8[]) AND ${refersTo.visible('$2')}
        ORDER BY row.id FOR KEY SHARE OF row`,
      [ids, visible],
    )
    if (rows.length !== ids.length) errors[name] = 'There is no such record.'
  }
  return Object.keys(errors).length > 0 ? wrongFields(errors) : null
}

/** What stays as it is needs no leave. */
const isSame = (before: Shown | null, name: string, value: unknown): boolean =>
  before !== null && JSON.stringify(before[name] ?? null) === JSON.stringify(value)
