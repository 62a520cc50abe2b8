import Type from 'typebox'
import { defaultOrganization } from '../../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, text } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { get } from '../../doors.ts'
import { ListFilters } from '../../list-filters.ts'
import { shapeOf } from '../../shapes.ts'
import { sortedAnswers, sortedPage, sortedParameters, type Sorts } from '../../sorted-lists.ts'
import { type SeenUses, SubscribersOf, type UsesScope, usesSchema } from './subscribers-of.ts'

/** The tariffs as the console lists them, with how many subscribers of the caller's organizations have each. */
export function tariffListRoutes(scope: UsesScope): Route[] {
  const uses = new SubscribersOf(scope, usesText)
  return [get('/admin/dictionary/tarifs', doc, async (call) => list(scope, call, await uses.seenBy(visibleTo(call))))]
}

/** Counted by the columns as they are, which an index has in this order; few rows are left for the rest. */
const usesText = `SELECT tarif_id::float8 AS record, coalesce(organization_id, ${defaultOrganization})::float8 AS organization,
    sum(subscribers)::int4 AS subscribers
  FROM (SELECT tarif_id, organization_id, count(*) AS subscribers FROM abonents
    WHERE NOT deleted AND tarif_id IS NOT NULL GROUP BY tarif_id, organization_id) AS counted
  GROUP BY 1, 2 ORDER BY 3 DESC, 2`

type Item = { readonly id: number }

async function list(scope: TransactionScope, call: Call, uses: SeenUses): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(query)
  if ('refused' in read) return read.refused
  const { q = '', show = 'current', sort = 'name', ...page } = read.values
  if (show !== 'all') filters.where(show === 'current' ? 'tariff.enabled' : 'NOT tariff.enabled')
  if (q !== '') filters.where(`strpos(lower(tariff.name), ${filters.add(q.toLowerCase(), 'text')}) > 0`)
  const joins = uses.joinTo('tariff', filters)
  const tariffs = { table: 'tarifs', row: 'tariff', joins, item: () => itemSql, sorts }
  return reading(scope, async (client) => {
    const found = await sortedPage<Item>(client, tariffs, filters, { sort, ...page })
    return json({ ok: true, ...found, items: uses.addedTo(found.items) })
  })
}

const sorts: Sorts = {
  name: ['lower(tariff.name)', 'text'],
  price: ['tariff.price', 'int8'],
  speed: [`coalesce(tariff.speed_mbit, 'infinity')`, 'numeric'],
  subscribers: ['coalesce(used.subscribers, 0)', 'int4'],
}

const { integer, text: words, boolean, number, rubles } = schemas
const [schema, itemSql] = shapeOf('tariff', {
  id: integer,
  name: words,
  price: [rubles, 'price'],
  speed_mbit: nullable(number),
  upload_mbit: nullable(number),
  enabled: boolean,
  is_public: boolean,
  walled_garden: boolean,
})

const query = {
  q: { doc: 'Part of the name', schema: text(200) },
  show: { doc: 'current (the default): those in use', schema: choice(['current', 'archived', 'all']) },
  ...sortedParameters(['name', 'price', 'speed', 'subscribers']),
}

const doc: RouteDoc = {
  tag: 'Dictionaries',
  summary: 'A page of the tariffs, with how many subscribers have each',
  description: 'Prices are of a month. Subscribers are those of the organizations that the caller sees.',
  query,
  answers: sortedAnswers(Type.Object({ ...schema.properties, ...usesSchema })),
}
