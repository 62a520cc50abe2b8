import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from 'typebox'
import { readId } from '../../../../domain/ids.ts'
import { formatIpv4, parseIpv4 } from '../../../../network/radius/wire/address.ts'
import type { UsedAddress } from '../../../../network/access/pools.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, count, field, id } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import type { IpPull } from '../../../../platform/storage/entities/network.ts'
import type { RowOf } from '../../../../platform/storage/entity.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading } from '../../../../platform/storage/transactions.ts'
import { readQuery, trimmed } from '../../body.ts'
import { answers, get } from '../../doors.ts'
import { Conflicts, conflictCodes, type Found, shownLogins } from './conflicts.ts'
import type { PoolParts } from './parts.ts'

/** The address pools for the office: what is used, by whom, what is free, and who wants one address with others. */
export function poolRoutes(parts: PoolParts): Route[] {
  const conflicts = new Conflicts(parts)
  return [
    get('/admin/radius/pools', docs.list, () => list(parts, conflicts)),
    get('/admin/radius/pools/:id', docs.one, (call) => showPool(parts, conflicts, call)),
    get('/admin/radius/pools/conflicts', docs.conflicts, (call) => listConflicts(parts, conflicts, call)),
    get('/admin/radius/pools/:id/holders', docs.holders, (call) => listHolders(parts, call)),
    get('/admin/radius/pools/:id/free', docs.free, (call) => listFree(parts, call)),
  ]
}

/** No provider has more; they are shown on one page. */
const poolsMax = 1_000
const holdersUsual = 50
const holdersMax = 500
const freeUsual = 10
const freeMax = 200

type Row = RowOf<typeof IpPull, 'id' | 'name' | 'enabled'> & {
  network: string
  gateway: string | null
  family: number
  overlaps: { id: number; name: string; network: string }[]
}

const columns = `id, name, text(network) AS network, host(gateway) AS gateway, enabled, family(network) AS family,
  (SELECT coalesce(json_agg(json_build_object('id', other.id, 'name', other.name, 'network', text(other.network))
      ORDER BY other.name, other.id), '[]')
    FROM ip_pulls AS other WHERE other.network && ip_pulls.network AND other.id <> ip_pulls.id) AS overlaps`
const poolsSql = `SELECT ${columns} FROM ip_pulls ORDER BY name, id LIMIT ${poolsMax}`
/** Counted no further: a pool may be that of a million logins. */
const loginsMax = 100_000
const poolSql = `SELECT ${columns}, (SELECT count(*)::int4
    FROM (SELECT FROM users WHERE pool_id = ip_pulls.id LIMIT ${loginsMax}) AS named) AS logins
  FROM ip_pulls WHERE id = $1::int8`

async function list(parts: PoolParts, conflicts: Conflicts): Promise<Reply> {
  const { rows } = await parts.database.pool.query<Row>(poolsSql)
  const known = conflicts.latest()
  const items: ReturnType<typeof shownPool>[] = []
  // Of a large pool a million addresses are counted.
  for (const row of rows) {
    items.push(shownPool(parts, row, conflictsOf(known, Number(row.id))))
    await nextTurn()
  }
  return json({ ok: true, items, conflicts_elsewhere: conflictsOf(known, null) })
}

/** Of `pool` null: about addresses of no pool. */
const conflictsOf = (known: Found | null, pool: number | null): number | null =>
  known?.items.filter(({ poolId }) => poolId === pool).length ?? null

async function showPool(parts: PoolParts, conflicts: Conflicts, call: Call): Promise<Reply> {
  const { rows } = await parts.database.pool.query<Row & { logins: number }>(poolSql, [readId(call.params.id)])
  const [row] = rows
  if (!row) return notFoundReply()
  return json({
    ok: true,
    ...shownPool(parts, row, conflictsOf(conflicts.latest(), Number(row.id))),
    logins: row.logins,
  })
}

/** Of a pool that gives out no IPv4 addresses. */
const nothingCounted = { fixed: null, held: null, offered: null, free: null }

function shownPool({ pools }: PoolParts, row: Row, conflicts: number | null) {
  const { fixed, held, offered, free } = pools.countsOf(Number(row.id)) ?? nothingCounted
  return {
    id: Number(row.id),
    name: row.name,
    network: row.network,
    gateway: row.gateway,
    family: row.family,
    enabled: row.enabled,
    overlaps: row.overlaps,
    size: free === null ? null : fixed + held + offered + free,
    used: free === null ? null : held + offered,
    offered,
    static: fixed,
    free,
    conflicts,
  }
}

/** Null: there is no such pool. */
async function findPool(client: Client, sent: string | undefined): Promise<number | null> {
  const pool = readId(sent)
  const { rowCount } = await client.query('SELECT FROM ip_pulls WHERE id = $1::int8', [pool])
  return rowCount === 0 ? null : pool
}

async function listHolders(parts: PoolParts, call: Call): Promise<Reply> {
  const read = readQuery(docs.holders.query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const { cursor = -1, limit: asked = holdersUsual, kind } = read.values
  const limit = Math.min(asked, holdersMax)
  return reading(parts, async (client) => {
    const pool = await findPool(client, call.params.id)
    if (pool === null) return notFoundReply()
    const found = await usedOfKind(parts, pool, cursor, limit + 1, kind)
    const page = found.slice(0, limit)
    return json({
      ok: true,
      items: await shownHolders(client, page, call),
      next_cursor: found.length > limit ? cursorOf(page.at(-1)!.address) : null,
    })
  })
}

const kinds = ['session', 'offered', 'static'] as const
type Kind = (typeof kinds)[number]
const kindOf = { held: 'session', offered: 'offered', fixed: 'static', excluded: null, free: null } as const

async function usedOfKind(
  { pools }: PoolParts,
  pool: number,
  cursor: number,
  max: number,
  kind: Kind | undefined,
): Promise<UsedAddress[]> {
  const found: UsedAddress[] = []
  for (let after = cursor; found.length < max; await nextTurn()) {
    const some = pools.usedAfter(pool, after, kind === undefined ? max : 10 * max)
    if (some.length === 0) return found
    for (const used of some) if (kind === undefined || kindOf[used.use] === kind) found.push(used)
    after = some.at(-1)!.address
  }
  return found.slice(0, max)
}

/** The own address of a login has its owners, one or by mistake several, and perhaps a session of one of them. */
async function shownHolders(client: Client, page: readonly UsedAddress[], call: Call) {
  const own = page.filter(({ use }) => use === 'fixed').map(({ address }) => formatIpv4(address))
  const { rows } = await client.query<{ ip: string; id: string }>(
    'SELECT host(ip) AS ip, id FROM users WHERE ip = ANY($1::inet[]) ORDER BY id',
    [own],
  )
  const ownersOf = Map.groupBy(rows, ({ ip }) => ip)
  const lessees = page.map(({ loginId }) => loginId).filter((login) => login > 0)
  const loginOf = await shownLogins(client, [...lessees, ...rows.map((row) => Number(row.id))], visibleTo(call))
  return page.map(({ address, use, loginId }) => {
    const ip = formatIpv4(address)
    const owners = (ownersOf.get(ip) ?? []).map((row) => Number(row.id))
    const holders = loginId > 0 && !owners.includes(loginId) ? [...owners, loginId] : owners
    return {
      address: ip,
      kind: kindOf[use],
      is_live: use === 'held' || (use === 'fixed' && loginId > 0),
      holders: holders.map(loginOf),
    }
  })
}

async function listFree(parts: PoolParts, call: Call): Promise<Reply> {
  const read = readQuery(docs.free.query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const limit = Math.min(read.values.limit ?? freeUsual, freeMax)
  const pool = await findPool(parts.database.pool, call.params.id)
  if (pool === null) return notFoundReply()
  return json({ ok: true, items: parts.pools.freeOnes(pool, limit).map(formatIpv4) })
}

async function listConflicts(parts: PoolParts, conflicts: Conflicts, call: Call): Promise<Reply> {
  const read = readQuery(docs.conflicts.query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const { pool } = read.values
  const { items, isCut } = await conflicts.find()
  const wanted = items.filter(({ poolId }) => pool === undefined || poolId === pool)
  const loginOf = await shownLogins(
    parts.database.pool,
    wanted.flatMap(({ logins }) => logins),
    visibleTo(call),
  )
  return json({
    ok: true,
    items: wanted.map(({ code, address, poolId, logins }) => ({
      code,
      address,
      pool_id: poolId,
      holders: logins.map(loginOf),
    })),
    has_more: isCut,
  })
}

/** The last address of a page. */
const cursorOf = (address: number): string => Buffer.from(formatIpv4(address)).toString('base64url')

const { integer, text, boolean } = schemas
const tag = 'Pools'
const missing = { 400: 'A parameter is wrong', 404: 'There is no such pool' }
const limitOf = (usual: number, most: number) => ({
  doc: `${usual} where it is left out; at most ${most}, more is cut`,
  schema: count(),
})
const number = nullable(integer)
const holderSchema = Type.Object(
  { login_id: number, login: nullable(text), abonent_id: number, name: nullable(text) },
  { description: 'null throughout: it is of another organization' },
)

const poolMembers = {
  id: integer,
  name: text,
  network: text,
  gateway: nullable(text),
  family: Type.Enum([4, 6]),
  enabled: boolean,
  overlaps: Type.Array(Type.Object({ id: integer, name: text, network: text }), {
    description: 'Other pools with addresses of this one, which both may offer to two logins at once',
  }),
  size: Type.With(number, { description: 'used + static + free: without network, broadcast and gateway' }),
  used: Type.With(number, { description: 'Held by live sessions, or offered to one that is to begin' }),
  offered: Type.With(number, { description: 'Of those the ones that no session has taken yet' }),
  static: Type.With(number, { description: 'Own addresses of logins, which the pool gives to nobody else' }),
  free: number,
  conflicts: Type.With(number, { description: 'As of the last look; null before the first one' }),
}

const docs = {
  one: {
    tag,
    summary: 'One pool with what its addresses are used for, and how many logins name it',
    answers: answers(
      'The pool',
      {
        ...poolMembers,
        logins: Type.Integer({ description: `That take their addresses from it; counted up to ${loginsMax}` }),
      },
      { 404: 'There is no such pool' },
    ),
  },
  list: {
    tag,
    summary: 'The pools with what their addresses are used for',
    description: 'Counted as RADIUS gives them out; of pools that give out no IPv4 addresses the numbers are null.',
    answers: answers('All pools by name', {
      items: Type.Array(Type.Object(poolMembers)),
      conflicts_elsewhere: Type.With(number, { description: 'About addresses of no pool' }),
    }),
  },
  holders: {
    tag,
    summary: 'Who has the addresses of a pool, in the order of the addresses',
    query: {
      kind: { doc: 'Only these', schema: choice(kinds) },
      cursor: {
        doc: 'next_cursor of the page before',
        schema: field(Type.String(), 'be next_cursor of a page', (sent) =>
          parseIpv4(Buffer.from(String(sent), 'base64url').toString()),
        ),
      },
      limit: limitOf(holdersUsual, holdersMax),
    },
    answers: answers(
      'A page of addresses in use',
      {
        items: Type.Array(
          Type.Object({
            address: text,
            kind: Type.Enum([...kinds]),
            is_live: Type.Boolean({ description: 'A live session has it' }),
            holders: Type.Array(holderSchema),
          }),
        ),
        next_cursor: nullable(text),
      },
      missing,
    ),
  },
  free: {
    tag,
    summary: 'Free addresses of a pool, the one that it would give out next first',
    query: { limit: limitOf(freeUsual, freeMax) },
    answers: answers('Free now; nothing is reserved', { items: Type.Array(text) }, missing),
  },
  conflicts: {
    tag,
    summary: 'Addresses that several have',
    description:
      'given_twice: several logins have it as their own. held_by_another: a live session has the address of somebody else. Looked for at most once in ten seconds.',
    query: { pool: { doc: 'Only of this pool', schema: id } },
    answers: answers(
      'The owners of each address, then who holds it',
      {
        items: Type.Array(
          Type.Object({
            code: Type.Enum([...conflictCodes]),
            address: text,
            pool_id: number,
            holders: Type.Array(holderSchema),
          }),
        ),
        has_more: boolean,
      },
      { 400: 'A parameter is wrong' },
    ),
  },
} as const satisfies Record<string, RouteDoc>
