import type { Pool } from 'pg'
import Type, { type TSchema } from 'typebox'
import type { Session } from '../../../domain/events.ts'
import { readId } from '../../../domain/ids.ts'
import { formatIpv4 } from '../../../network/radius/wire/address.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { AnswerDoc, RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, schemas } from '../../../platform/http/schemas.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { toIdOrNull } from '../../../platform/storage/int8.ts'
import { get, refusals } from '../doors.ts'
import type { ReverseLookup } from './reverse-lookup.ts'

export type AjaxParts = {
  readonly database: { readonly pool: Pool }
  /** Address pools as RADIUS gives out of them: neither leased nor the fixed address of a login. */
  readonly pools: {
    enabledIds(): readonly number[]
    nextFree(poolId: number): { address: number; prefixLength: number } | null
  }
  readonly sessions: { liveOf(login: string): readonly Session[] }
  readonly reverseLookup: ReverseLookup
}

/** Small questions of forms (specification 4.8): `{msg: 'ok', …}`, or `msg` says why not. */
export const ajaxRoutes = (parts: AjaxParts): Route[] => [
  get('/admin/ajax/ippull_get', docs.freeAddress, (call) => freeAddress(parts, call)),
  get('/admin/ajax/ippull_get/:pool_id', docs.freeAddressOfPool, (call) => freeAddress(parts, call)),
  get('/admin/ajax/user_getinfo', docs.loginInfo, (call) => loginInfo(parts, call)),
  get('/admin/ajax/user_get_switch_port_list', docs.switchPorts, (call) => switchPorts(parts, call)),
  get('/admin/Users/resolve_dns/:ip', docs.resolve, (call) => resolve(parts, call)),
]

const ok = (values: object): Reply => json({ msg: 'ok', ...values })
const not = (msg: string, status = 200): Reply => json({ msg }, status)

async function freeAddress({ database, pools }: AjaxParts, { params }: Call): Promise<Reply> {
  const asked = params.pool_id
  const enabled = pools.enabledIds()
  const wanted = asked === undefined ? enabled : [readId(asked) ?? 0]
  for (const id of wanted) {
    const free = pools.nextFree(id)
    if (free) return ok({ ip: formatIpv4(free.address), mask: maskOf(free.prefixLength) })
  }
  if (asked === undefined) return not('No pool has a free address.')
  const { rowCount } = await database.pool.query('SELECT FROM ip_pulls WHERE id = $1::int8', [...wanted])
  if (rowCount === 0) return notFoundReply()
  return not(enabled.includes(wanted[0]!) ? 'The pool has no free address.' : 'The pool gives out no IPv4 addresses.')
}

const maskOf = (prefixLength: number): string => formatIpv4(prefixLength === 0 ? 0 : (-1 << (32 - prefixLength)) >>> 0)

type Login = {
  readonly id: number
  readonly login: string
  readonly mac: string | null
  readonly switchId: number | null
  readonly port: number | null
}

/** Null: there is no such login, or the caller may not see its subscriber. */
async function findLogin({ database }: AjaxParts, call: Call, sent: string | null): Promise<Login | null> {
  const id = readId(sent)
  const { rows } = await database.pool.query<
    { login: string; switch_port: number | null } & Record<'mac' | 'switch_id' | 'organization_id', string | null>
  >(
    `SELECT login, mac::text, switch_id, switch_port, organization_id
      FROM users JOIN abonents ON abonents.id = abonent_id WHERE users.id = $1::int8`,
    [id],
  )
  const [row] = rows
  if (id === null || !row || !isVisible(visibleTo(call), toIdOrNull(row.organization_id))) return null
  const { login, mac, switch_id: switchId, switch_port: port } = row
  return { id, login, mac, switchId: switchId === null ? null : Number(switchId), port }
}

/** The MAC of the live session, the newest first, else the one kept with the login. */
async function loginInfo(parts: AjaxParts, call: Call): Promise<Reply> {
  const command = call.query.get('cmd') ?? ''
  if (command !== 'GetMac') return not('cmd must be GetMac.', 400)
  const login = await findLogin(parts, call, call.query.get('user_id'))
  if (!login) return notFoundReply()
  const live = parts.sessions.liveOf(login.login).findLast(({ mac }) => mac !== null)
  const mac = live?.mac ?? login.mac
  return mac === null ? not('The login has no live session and no MAC.') : ok({ mac: mac.toLowerCase() })
}

/** The known ports of a switch whose number of ports was not entered. */
const portsMax = 1024

/** Ports of a switch for a select field; the login's own is selected, one that is taken says by whom. */
async function switchPorts(parts: AjaxParts, call: Call): Promise<Reply> {
  const { query } = call
  const asked = query.get('user_id') ?? ''
  const login = asked === '' ? null : await findLogin(parts, call, asked)
  if (asked !== '' && !login) return notFoundReply()
  const switchId = readId(query.get('switch_id'))
  const { rows } = await parts.database.pool.query<{ ports_count: number | null; taken: Taken[] }>(
    `SELECT ports_count, coalesce((SELECT json_agg(json_build_object('port', switch_port, 'id', users.id, 'login', login,
        'organization', organization_id) ORDER BY users.id)
      FROM users JOIN abonents ON abonents.id = abonent_id
      WHERE switch_id = switches.id AND switch_port BETWEEN 1 AND ${portsMax}), '[]') AS taken
      FROM switches WHERE id = $1::int8`,
    [switchId],
  )
  const [found] = rows
  if (!found) return notFoundReply()
  const count = Math.min(portsMax, Math.max(found.ports_count ?? 0, ...found.taken.map(({ port }) => port)))
  const visible = visibleTo(call)
  const holders = (port: number) =>
    found.taken
      .filter((one) => one.port === port && one.id !== login?.id)
      .map((one) => (isVisible(visible, one.organization) ? one.login : 'taken'))
  const ports = Array.from({ length: count }, (_, at) => {
    const others = [...new Set(holders(at + 1))].join(', ')
    return {
      pk: at + 1,
      name: others === '' ? String(at + 1) : `${at + 1} (${others})`,
      selected: login !== null && login.switchId === switchId && login.port === at + 1,
    }
  })
  return json(ports)
}

type Taken = {
  readonly port: number
  readonly id: number
  readonly login: string
  readonly organization: number | null
}

async function resolve({ reverseLookup }: AjaxParts, { params }: Call): Promise<Reply> {
  const ip = params.ip ?? ''
  const found = await reverseLookup.namesOf(ip)
  switch (found.kind) {
    case 'names':
      return ok({ ip, name: found.names[0], names: found.names })
    case 'none':
      return not('The address has no name.')
    case 'noAnswer':
      return not('The name server did not answer.')
    case 'busy':
      return not('Too many look-ups at once; ask again shortly.', 503)
    case 'noAddress':
      return not('This is not an IP address.', 400)
  }
}

const tag = 'Form helpers'
const why = Type.Object({ msg: schemas.text })
const answered = (values: Readonly<Record<string, TSchema>>, doc: string): Readonly<Record<number, AnswerDoc>> => ({
  200: { doc, schema: Type.Union([Type.Object({ msg: Type.Literal('ok'), ...values }), why]) },
})
const missing = refusals({ 404: 'There is no such record, or it is of another organization' })
const addressAnswers = answered({ ip: schemas.text, mask: schemas.text }, 'The address, or why there is none.')
const loginParameter = { doc: 'Users.id', schema: schemas.integer }

const docs = {
  freeAddress: { tag, summary: 'The next free address of any enabled pool', answers: addressAnswers },
  freeAddressOfPool: {
    tag,
    summary: 'The next free address of a pool',
    answers: { ...addressAnswers, ...missing },
  },
  loginInfo: {
    tag,
    summary: 'The MAC of a login, from its live session or its record',
    query: {
      user_id: { ...loginParameter, required: true },
      cmd: { doc: 'What is asked for.', schema: Type.Enum(['GetMac']), required: true },
    },
    answers: {
      ...answered({ mac: schemas.text }, 'The MAC, or why there is none.'),
      400: { doc: 'Unknown cmd.', schema: why },
      ...missing,
    },
  },
  switchPorts: {
    tag,
    summary: 'Ports of a switch for a select field',
    query: { user_id: loginParameter, switch_id: { doc: 'Switch.id', schema: schemas.integer, required: true } },
    answers: {
      200: {
        doc: 'The ports.',
        schema: Type.Array(Type.Object({ pk: schemas.integer, name: schemas.text, selected: schemas.boolean })),
      },
      ...missing,
    },
  },
  resolve: {
    tag,
    summary: 'Reverse DNS',
    params: { ip: { doc: 'An IPv4 or IPv6 address.' } },
    answers: {
      ...answered(
        { ip: schemas.text, name: schemas.text, names: Type.Array(schemas.text) },
        'Names, or why there are none.',
      ),
      400: { doc: 'Not an address.', schema: why },
      503: { doc: 'Too many look-ups at once; ask again shortly.', schema: Type.Union([why, errorSchema]) },
    },
  },
} as const satisfies Record<string, RouteDoc>
