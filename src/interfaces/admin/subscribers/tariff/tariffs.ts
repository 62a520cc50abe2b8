import Type from 'typebox'
import { accountRefusalText } from '../../../../billing/accounts/messages.ts'
import { type Money, moneyFromUnits } from '../../../../domain/money.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import type { Tarif } from '../../../../platform/storage/entities/services.ts'
import type { RowOf } from '../../../../platform/storage/entity.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { foundShape, shapeOf } from '../../shapes.ts'

const { integer, text, rubles, moment } = schemas

/** A dictionary of that many tariffs is shown as a whole. */
const offeredMax = 1_000

const [offeredSchema, offeredSql] = shapeOf('tarif', { id: integer, name: text, price: rubles })

const [currentSchema, currentSql] = foundShape('tarif', 'tarifs AS tarif WHERE tarif.id = client.tarif_id', {
  id: integer,
  name: text,
  price: rubles,
})

const [plannedSchema, plannedSql] = foundShape(
  'tarif',
  'tarifs AS tarif WHERE tarif.id = client.next_tarif_id AND client.next_tarif_date IS NOT NULL',
  { id: integer, name: text, price: rubles, from: [moment, 'client.next_tarif_date'] },
)

/** The tariff that a subscriber has, and the one that is planned. */
export const standingMembers = { tarif: currentSchema, planned: plannedSchema }

type Standing = { readonly tarif: { readonly id: number } | null; readonly planned: object | null; deleted: boolean }

export async function readStanding(client: Client, subscriber: number): Promise<Standing> {
  const { rows } = await client.query<Standing>(
    `SELECT ${currentSql} AS tarif, ${plannedSql} AS planned, client.deleted FROM abonents AS client
      WHERE client.id = $1::int8`,
    [subscriber],
  )
  return rows[0]!
}

/** The tariffs that may be given to somebody. */
export const offeredTariffs = Type.With(Type.Array(offeredSchema), {
  description: `Those that are switched on, at most ${offeredMax}`,
})

export async function readOfferedTariffs(client: Client): Promise<object[]> {
  const { rows } = await client.query<{ tarif: object }>(
    `SELECT ${offeredSql} AS tarif FROM tarifs AS tarif WHERE enabled ORDER BY name, id LIMIT ${offeredMax}`,
  )
  return rows.map(({ tarif }) => tarif)
}

export type FoundTariff = {
  readonly id: number
  readonly name: string
  readonly price: Money
  readonly pricedFrom: Date | null
  readonly enabled: boolean
}

type Row = RowOf<typeof Tarif, 'id' | 'name' | 'price' | 'priced_from' | 'enabled'>

/** Null: there is no such tariff. */
export async function findTariff(client: Client, id: number): Promise<FoundTariff | null> {
  const { rows } = await client.query<Row>(
    'SELECT id, name, price, priced_from, enabled FROM tarifs WHERE id = $1::int8',
    [id],
  )
  const [row] = rows
  if (!row) return null
  const { name, price, priced_from: pricedFrom, enabled } = row
  return { id, name, price: moneyFromUnits(price), pricedFrom, enabled }
}

export type Refusal = { readonly code: string; readonly error: string }

/** Why a tariff cannot be given to anybody; null: it can. */
export function unfitTariff(found: FoundTariff | null): Refusal | null {
  if (!found) return { code: 'tariffMissing', error: accountRefusalText.tariffMissing }
  if (!found.enabled) return { code: 'tariff_off', error: 'The tariff is switched off and is not given to anybody.' }
  return null
}
