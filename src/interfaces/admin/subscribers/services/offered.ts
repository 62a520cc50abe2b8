import Type from 'typebox'
import { isPromiseServiceSql } from '../../../../billing/accounts/service-record.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { shapeOf } from '../../shapes.ts'

/** A dictionary of that many services is shown as a whole. */
const offeredMax = 1_000

const [offeredSchema, offeredSql] = shapeOf('usluga', {
  id: schemas.integer,
  name: schemas.text,
  price: [schemas.rubles, 'coalesce(usluga.summa, usluga.price)'],
})

export const offeredServices = Type.With(Type.Array(offeredSchema), {
  description: `Services that may be given, at most ${offeredMax}`,
})

/** Promise payments are services too, and are given otherwise. */
export async function readOfferedServices(client: Client): Promise<object[]> {
  const { rows } = await client.query<{ usluga: object }>(
    `SELECT ${offeredSql} AS usluga FROM uslugas AS usluga
      WHERE enabled AND NOT ${isPromiseServiceSql('usluga')} ORDER BY name, id LIMIT ${offeredMax}`,
  )
  return rows.map(({ usluga }) => usluga)
}
