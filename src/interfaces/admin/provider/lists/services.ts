import Type from 'typebox'
import { isPromiseServiceSql } from '../../../../billing/accounts/service-record.ts'
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

/** The services as the console lists them, with how many subscribers of the caller's organizations have each now. */
export function serviceListRoutes(scope: UsesScope): Route[] {
  const uses = new SubscribersOf(scope, usesText)
  return [get('/admin/dictionary/uslugas', doc, async (call) => list(scope, call, await uses.seenBy(visibleTo(call))))]
}

const usesText = `SELECT link.usluga_id::float8 AS record,
    coalesce(client.organization_id, ${defaultOrganization})::float8 AS organization,
    count(DISTINCT client.id)::int4 AS subscribers
  FROM users_uslugas AS link JOIN abonents AS client ON client.id = link.abonent_id
  WHERE link.enabled AND (link.end_time IS NULL OR link.end_time > now()) AND NOT client.deleted
  GROUP BY 1, 2 ORDER BY 3 DESC, 2`

type Item = { readonly id: number }

async function list(scope: TransactionScope, call: Call, uses: SeenUses): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(query)
  if ('refused' in read) return read.refused
  const { q = '', show = 'current', sort = 'name', ...page } = read.values
  filters.where(conditionOf[show])
  if (q !== '') filters.where(`strpos(lower(service.name), ${filters.add(q.toLowerCase(), 'text')}) > 0`)
  const joins = uses.joinTo('service', filters)
  const services = { table: 'uslugas', row: 'service', joins, item: () => itemSql, sorts }
  return reading(scope, async (client) => {
    const found = await sortedPage<Item>(client, services, filters, { sort, ...page })
    return json({ ok: true, ...found, items: uses.addedTo(found.items) })
  })
}

const isPromise = isPromiseServiceSql('service')
const conditionOf = {
  current: `service.enabled AND NOT ${isPromise}`,
  archived: `NOT service.enabled AND NOT ${isPromise}`,
  promises: isPromise,
  all: 'true',
} as const

/** What a month of it costs. */
const month = 'coalesce(service.summa, service.price)'

const sorts: Sorts = {
  name: ['lower(service.name)', 'text'],
  price: [month, 'int8'],
  subscribers: ['coalesce(used.subscribers, 0)', 'int4'],
}

const { integer, text: words, boolean, rubles } = schemas
const [schema, itemSql] = shapeOf('service', {
  id: integer,
  name: words,
  month: [Type.With(rubles, { description: 'What a month of it costs; of a promise payment the amount lent' }), month],
  price: [rubles, 'price'],
  end_count_days: Type.With(nullable(integer), { description: 'Of a promise payment: how many days it lasts' }),
  is_promise: [boolean, isPromise],
  enabled: boolean,
  is_public: boolean,
})

const query = {
  q: { doc: 'Part of the name', schema: text(200) },
  show: {
    doc: 'current (the default): those in use; promises: the services that are promise payments, which the others leave out',
    schema: choice(['current', 'archived', 'promises', 'all']),
  },
  ...sortedParameters(['name', 'price', 'subscribers']),
}

const doc: RouteDoc = {
  tag: 'Dictionaries',
  summary: 'A page of the services, with how many subscribers have each',
  description: 'Prices are of a month. Subscribers are those of the organizations that the caller sees.',
  query,
  answers: sortedAnswers(Type.Object({ ...schema.properties, ...usesSchema })),
}
