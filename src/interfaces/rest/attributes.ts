import { readDate } from '../../domain/iso-dates.ts'
import type { ReadValue } from '../../platform/records/field-values.ts'
import { drf, pythonType, type Refusal, wrongField } from '../../platform/records/refusals.ts'
import type { Client } from '../../platform/storage/sql.ts'

/** Values of UserAttributes by code; null removes the value. */
export type Attributes = Readonly<Record<string, string | number | bigint | boolean | null>>

const valueMax = 1000

/** Checks the form of sent attributes. Whether the codes exist and their types fit is checked by findAttributes. */
export function readAttributes(sent: unknown): ReadValue {
  if (sent === null || typeof sent !== 'object' || Array.isArray(sent)) {
    return { wrong: `Expected a dictionary of items but got type "${pythonType(sent)}".` }
  }
  for (const [code, value] of Object.entries(sent)) {
    if (value !== null && typeof value === 'object') return { wrong: `${code}: ${drf.string}` }
    if (String(value).length > valueMax) return { wrong: `${code}: ${drf.longest(valueMax)}` }
    if (String(value).includes('\0')) return { wrong: `${code}: ${drf.noNul}` }
  }
  return { value: sent }
}

/** A value to store for a row of user_attributes; null removes it. */
export type FoundAttribute = { readonly id: string; readonly value: string | null }

/**
 * Resolves the codes, each of which is sorm_field_code or else attr_<id> (contract section 5), and checks the types.
 */
export async function findAttributes(
  client: Client,
  attributes: Attributes,
): Promise<readonly FoundAttribute[] | Refusal> {
  if (Object.keys(attributes).length === 0) return []
  const text = `SELECT DISTINCT ON (code) id, type_id, code
    FROM (SELECT id, type_id, coalesce(nullif(sorm_field_code, ''), 'attr_' || id) AS code FROM user_attributes) AS attribute
    WHERE code = ANY ($1::text[]) ORDER BY code, id`
  const { rows } = await client.query<{ id: string; type_id: number; code: string }>(text, [Object.keys(attributes)])
  const found: FoundAttribute[] = []
  for (const [code, sent] of Object.entries(attributes)) {
    const attribute = rows.find((row) => row.code === code)
    if (!attribute) return wrongField('attributes', `There is no attribute "${code}".`)
    const value = sent === null || sent === '' ? null : String(sent)
    const fault = value === null ? null : faultOf(attribute.type_id, value)
    if (fault) return wrongField('attributes', `${code}: ${fault}`)
    found.push({ id: attribute.id, value })
  }
  return found
}

/**
 * What is wrong with a value of a type, or null. The types of contract section 5: 1 string, 2 integer, 3 date, 4
 * boolean.
 */
function faultOf(typeId: number, value: string): string | null {
  if (typeId === 2) return /^-?\d{1,18}$/.test(value) ? null : drf.integer
  if (typeId === 3) return readDate(value) ? null : drf.date
  if (typeId === 4) return value === 'true' || value === 'false' ? null : drf.boolean
  return null
}

const removal = 'DELETE FROM user_attribute_values WHERE abonent_id = $1 AND attribute_id = $2'
const storage = `INSERT INTO user_attribute_values (abonent_id, attribute_id, value) VALUES ($1, $2, $3)
  ON CONFLICT (abonent_id, attribute_id) DO UPDATE SET value = excluded.value`

export async function storeAttributes(
  client: Client,
  subscriber: string,
  found: readonly FoundAttribute[],
): Promise<void> {
  for (const { id, value } of found) {
    if (value === null) await client.query(removal, [subscriber, id])
    else await client.query(storage, [subscriber, id, value])
  }
}
