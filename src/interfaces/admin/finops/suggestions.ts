import type { PoolClient } from 'pg'
import { readId } from '../../../domain/ids.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { visibleStaffSql } from '../provider/dictionaries/staff.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { shapeOf } from '../shapes.ts'
import { readFilters } from './filters.ts'
import { operationSql } from './operation-shape.ts'

/** Suggestions for a form while somebody types: `{ok, items: [{id, name, …}]}`, at most twenty. */
const offeredMax = 20

type Offer = (client: PoolClient, q: string, visible: VisibleOrganizations) => Promise<unknown[]>

/** strpos instead of LIKE, because the search text is not a pattern. */
const contains = (column: string): string => `($1 = '' OR strpos(lower(${column}), lower($1)) > 0)`

async function offered(client: PoolClient, text: string, values: unknown[]): Promise<unknown[]> {
  const { rows } = await client.query<{ item: unknown }>(`${text} LIMIT ${offeredMax}`, values)
  return rows.map(({ item }) => item)
}

const { integer, text, boolean, rubles } = schemas

const [creditTypeSchema, creditTypeSql] = shapeOf('fin_types', {
  id: [integer, 'type_id'],
  name: [text, 'op_name'],
  op_sign: integer,
  is_common: boolean,
})
const [staffSchema, staffSql] = shapeOf('row', { id: integer, name: [text, 'username'] })
const [serviceSchema, serviceSql] = shapeOf('uslugas', { id: integer, name: text, price: rubles })

export { creditTypeSchema, serviceSchema, staffSchema }

export const offerCreditTypes: Offer = (client, q) =>
  offered(
    client,
    `SELECT ${creditTypeSql} AS item FROM fin_types WHERE enabled AND ${contains('op_name')} ORDER BY is_common DESC, op_name, type_id`,
    [q],
  )

export const offerStaff: Offer = (client, q, visible) =>
  offered(
    client,
    `SELECT ${staffSql} AS item FROM staff AS row WHERE row.enabled AND ${contains('row.username')} AND ${visibleStaffSql('row', '$2')} ORDER BY row.username`,
    [q, visible],
  )

export const offerServices: Offer = (client, q) =>
  offered(client, `SELECT ${serviceSql} AS item FROM uslugas WHERE enabled AND ${contains('name')} ORDER BY name, id`, [
    q,
  ])

const searchedMax = 200

export const offering =
  (scope: TransactionScope, offer: Offer) =>
  async (call: Call): Promise<Reply> => {
    const q = (call.query.get('q') ?? '').trim().slice(0, searchedMax)
    return json({ ok: true, items: await reading(scope, (client) => offer(client, q, visibleTo(call))) })
  }

/**
 * Operations that could be the parent of another one: what `?q=` finds, the newest first, without `?exclude=`. The
 * text of operations is not searched: no index supports that, and the search runs while somebody is typing.
 */
export async function searchParents(scope: TransactionScope, call: Call): Promise<Reply> {
  const asked = new URLSearchParams({ q: call.query.get('q') ?? '' })
  const filters = readFilters(asked, visibleTo(call), { newest: offeredMax + 1 })
  if ('refused' in filters) return filters.refused
  const excluded = readId(call.query.get('exclude'))
  if (excluded !== null) filters.where(`operation.op_id <> ${filters.add(excluded, 'int8')}`)
  const items = await reading(scope, (client) =>
    offered(
      client,
      `SELECT ${operationSql} AS item FROM (SELECT * FROM finance_operations AS operation
          WHERE ${filters.conditions} ORDER BY op_date DESC, op_id DESC LIMIT ${offeredMax}) AS operation
        ORDER BY op_date DESC, op_id DESC`,
      filters.values,
    ),
  )
  return json({ ok: true, items })
}
