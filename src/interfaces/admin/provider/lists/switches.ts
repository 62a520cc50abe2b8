import Type from 'typebox'
import { readId, subscriberId } from '../../../../domain/ids.ts'
import type { SessionTable } from '../../../../network/radius/accounting/session-table.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { id, text } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { isVisible, type VisibleOrganizations, visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { addressSql, homesWithin } from '../../../../platform/storage/addresses.ts'
import { Parameters } from '../../../../platform/storage/parameters.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { answers, get } from '../../doors.ts'
import { ListFilters } from '../../list-filters.ts'
import { keyOf, shapeOf } from '../../shapes.ts'
import { type SortedList, sortedAnswers, sortedPage, sortedParameters } from '../../sorted-lists.ts'

export type SwitchListParts = TransactionScope & { readonly sessions: Pick<SessionTable, 'ofSubscriber'> }

/** The switches as the console lists them, and who is on the ports of one. */
export const switchListRoutes = (parts: SwitchListParts): Route[] => [
  get('/admin/dictionary/switches', listDoc, (call) => list(parts, call)),
  get('/admin/dictionary/switches/:id/ports', portsDoc, (call) => listPorts(parts, call)),
]

async function list(scope: TransactionScope, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(query)
  if ('refused' in read) return read.refused
  const { q = '', home, sort = 'name', ...page } = read.values
  if (home !== undefined) filters.where(`device.home_id = ANY(${homesWithin(filters.add(home, 'int8'))})`)
  if (q !== '') filters.where(`strpos(${searched}, ${filters.add(q.toLowerCase(), 'text')}) > 0`)
  return reading(scope, async (client) => {
    const found = await sortedPage<Item>(client, switches, filters, { sort, ...page })
    const logins = await countLogins(client, visibleTo(call), found.items)
    return json({
      ok: true,
      ...found,
      items: found.items.map((item) => ({ ...item, logins: logins.get(item.id) ?? 0 })),
    })
  })
}

type Item = { readonly id: number }

/**
 * How many logins are on each of these switches, from indexes alone where the caller sees all organizations: a switch
 * of a district has hundreds, and the row of each subscriber would be read for whether he is deleted.
 */
async function countLogins(
  client: Client,
  visible: VisibleOrganizations,
  devices: readonly Item[],
): Promise<ReadonlyMap<number, number>> {
  const parameters = new Parameters()
  const ids = parameters.add(
    devices.map(({ id }) => id),
    'int8[]',
  )
  const owner = 'SELECT FROM abonents AS client WHERE client.id = login.abonent_id AND'
  const isSeen =
    visible === null ? 'true' : `EXISTS (${owner} ${visibleSql('client.organization_id', parameters.place(visible))})`
  const { rows } = await client.query<{ id: number; logins: number }>(
    `SELECT login.switch_id::float8 AS id, count(*)::int4 AS logins FROM users AS login
      WHERE login.switch_id = ANY(${ids}) AND NOT EXISTS (${owner} client.deleted) AND ${isSeen}
      GROUP BY login.switch_id`,
    parameters.values,
  )
  return new Map(rows.map(({ id: device, logins }) => [device, logins]))
}

const searched = `lower(concat_ws(' ', device.name, host(device.ip), device.mac, device.model, device.comment,
  (SELECT name FROM homes WHERE id = (SELECT parent_id FROM homes WHERE id = device.home_id)),
  (SELECT name FROM homes WHERE id = device.home_id)))`

const { integer, text: words, boolean } = schemas
const [schema, itemSql] = shapeOf('device', {
  id: integer,
  name: words,
  ip: [words, 'host(device.ip)'],
  mac: nullable(words),
  model: nullable(words),
  ports_count: nullable(integer),
  ...keyOf('home'),
  address: [nullable(words), addressSql('device.home_id', 'NULL::text')],
  comment: nullable(words),
})

const switches: SortedList = {
  table: 'switches',
  row: 'device',
  item: () => itemSql,
  sorts: {
    name: ['lower(device.name)', 'text'],
    ip: ['device.ip', 'inet'],
    model: [`lower(coalesce(device.model, ''))`, 'text'],
  },
}

/** A login that is on a port. */
type Line = {
  readonly port: number | null
  readonly login_id: number
  readonly login: string
  readonly abonent_id: number
  readonly name: string
  readonly address: string | null
}

/** No switch has more; one that stands for a whole district by mistake is cut. */
const linesMax = 1_000

async function listPorts({ sessions, ...scope }: SwitchListParts, call: Call): Promise<Reply> {
  const device = readId(call.params.id)
  const visible = visibleTo(call)
  return reading(scope, async (client) => {
    const { rowCount } = await client.query('SELECT FROM switches WHERE id = $1::int8', [device])
    if (rowCount === 0) return notFoundReply()
    const { rows } = await client.query<{ line: Line; organization: string | null }>(
      `SELECT ${lineSql} AS line, client.organization_id AS organization
        FROM users AS login JOIN abonents AS client ON client.id = login.abonent_id
        WHERE login.switch_id = $1::int8 AND NOT client.deleted
        ORDER BY login.switch_port, login.login LIMIT ${linesMax + 1}`,
      [device],
    )
    const items = rows.slice(0, linesMax).map(({ line, organization }) => {
      if (!isVisible(visible, organization === null ? null : Number(organization)))
        return {
          ...line,
          login_id: null,
          login: null,
          abonent_id: null,
          name: null,
          address: null,
          online: null,
          ip: null,
        }
      const live = sessions.ofSubscriber(subscriberId(line.abonent_id)).filter(({ userId }) => userId === line.login_id)
      return { ...line, online: live.length > 0, ip: live.at(-1)?.ip ?? null }
    })
    return json({ ok: true, items, has_more: rows.length > linesMax })
  })
}

const unseen = { description: 'null: it is of a subscriber of another organization' }
const [lineSchema, lineSql] = shapeOf('login', {
  port: [nullable(integer), 'switch_port'],
  login_id: [Type.With(nullable(integer), unseen), 'id'],
  login: nullable(words),
  abonent_id: nullable(integer),
  name: [nullable(words), 'client.name'],
  address: [nullable(words), 'client.address'],
})

const query = {
  q: { doc: 'Part of the name, address, MAC, model, comment, street or house', schema: text(200) },
  home: { doc: 'Id of a house, or of a street or city with all its houses', schema: id },
  ...sortedParameters(['name', 'ip', 'model']),
}

const listDoc: RouteDoc = {
  tag: 'Dictionaries',
  summary: 'A page of the switches, with where they stand and how many logins are on them',
  query,
  answers: sortedAnswers(
    Type.Object({
      ...schema.properties,
      logins: Type.Integer({ description: 'Of subscribers who are not deleted' }),
    }),
  ),
}

const portsDoc: RouteDoc = {
  tag: 'Dictionaries',
  summary: 'Who is on the ports of a switch, by port; those of no port last',
  answers: answers(
    'All of them',
    {
      items: Type.Array(
        Type.Object({
          ...lineSchema.properties,
          online: Type.With(nullable(boolean), { description: 'A live session of the login is there' }),
          ip: Type.With(nullable(words), { description: 'Of that session' }),
        }),
      ),
      has_more: Type.Boolean({ description: `There are more than ${linesMax}` }),
    },
    { 404: 'There is no such switch' },
  ),
}
