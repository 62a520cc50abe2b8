import Type from 'typebox'
import { homeKinds } from '../../../../billing/accounts/home-record.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, id, text } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../../platform/staff/visible-records.ts'
import { addressSql } from '../../../../platform/storage/addresses.ts'
import type { Parameters } from '../../../../platform/storage/parameters.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { escaped } from '../../accounts/filter.ts'
import { get } from '../../doors.ts'
import { ListFilters } from '../../list-filters.ts'
import { keyOf, shapeOf } from '../../shapes.ts'
import { sortedAnswers, sortedPage, sortedParameters, type Sorts } from '../../sorted-lists.ts'

/** The address tree as the console lists it, a level at a time. */
export const homeListRoutes = (scope: TransactionScope): Route[] => [
  get('/admin/dictionary/homes', doc, (call) => list(scope, call)),
]

const wordsMax = 6

async function list(scope: TransactionScope, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(query)
  if ('refused' in read) return read.refused
  const { q = '', kind, parent, sort = 'name', ...page } = read.values
  const item = (parameters: Parameters) =>
    shape(visibleSql('client.organization_id', parameters.place(visibleTo(call))))[1]
  if (kind !== undefined) filters.where(`node.kind = ${filters.place(kind)}`)
  if (parent !== undefined) filters.where(`node.parent_id = ${filters.add(parent, 'int8')}`)
  for (const word of q
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, wordsMax))
    filters.where(`${whole} LIKE ${filters.add(`% ${escaped(word)}%`, 'text')}`)
  return reading(scope, async (client) =>
    json({ ok: true, ...(await sortedPage(client, { ...homes, item }, filters, { sort, ...page })) }),
  )
}

/** The whole address in one line, each word of it after a space. */
const whole = `lower(concat(' ', above.name, ' ', around.name, ' ', node.name))`

const homes = {
  table: 'homes',
  row: 'node',
  joins:
    'LEFT JOIN homes AS around ON around.id = node.parent_id LEFT JOIN homes AS above ON above.id = around.parent_id',
  sorts: {
    // House 9 comes before house 10.
    name: [`lpad(coalesce(substring(node.name from '^\\d{1,9}'), ''), 9, '0') || lower(node.name)`, 'text'],
  } satisfies Sorts,
}

const { integer, text: words } = schemas

/** Those of a city would be counted for long, and nobody needs them to find a house. */
const subscribersSql = (isSeen: string): string => `CASE WHEN node.kind <> 'city' THEN
  (SELECT count(*)::int4 FROM abonents AS client WHERE NOT client.deleted AND ${isSeen} AND client.home_id = ANY(ARRAY(
    SELECT node.id UNION ALL SELECT house.id FROM homes AS house WHERE node.kind = 'street' AND house.parent_id = node.id))) END`

const shape = (isSeen: string) =>
  shapeOf('node', {
    id: integer,
    kind: Type.Enum([...homeKinds]),
    name: words,
    ...keyOf('parent'),
    address: [Type.String({ description: 'From the city on' }), addressSql('node.id', 'NULL::text')],
    places: [
      Type.Integer({ description: 'How many streets or houses lie in it' }),
      '(SELECT count(*)::int4 FROM homes AS inner_one WHERE inner_one.parent_id = node.id)',
    ],
    subscribers: [
      Type.With(nullable(integer), { description: 'Who live there and are not deleted; null for a city' }),
      subscribersSql(isSeen),
    ],
  })

const query = {
  parent: { doc: 'Only what lies directly in this city or street', schema: id },
  kind: { doc: 'Only these', schema: choice(homeKinds) },
  q: { doc: 'Beginnings of words of the address in any order: city, street, house', schema: text(200) },
  ...sortedParameters(['name']),
}

const doc: RouteDoc = {
  tag: 'Dictionaries',
  summary: 'A page of cities, streets or houses, with how many subscribers live there',
  query,
  answers: sortedAnswers(shape('true')[0]),
}
