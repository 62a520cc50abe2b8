import { dayOf } from '../../../../domain/calendar.ts'
import { isPromiseService, promiseSystemType } from '../../../../domain/promise.ts'
import { parseIpv4 } from '../../../../network/radius/wire/address.ts'
import type { AddressUse } from '../../../../network/access/pool-layout.ts'
import { checkRelations } from '../../../../platform/records/rows.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import type { VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import { momentOf } from '../../../../platform/storage/moment-of.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { type Fault, type Faults, type OwnFault, fault, faultsOf } from './faults.ts'
import { login, person } from './models.ts'
import type { Order } from './order.ts'

export type CheckParts = {
  readonly timeZone: () => string
  /** The pools as RADIUS gives out of them. */
  readonly pools: {
    enabledIds(): readonly number[]
    nextFree(poolId: number): object | null
    useOf(address: number): AddressUse | null
    leaseAt(address: number): { readonly loginId: number } | null
  }
}

/** Numbers, logins and addresses that are free stay so until the commit: who takes some waits for the others. */
export const proposalsLock = `SELECT pg_advisory_xact_lock(hashtextextended('new subscriber', 0))`

/** Everything about an order that only the tables and the pools can say, in the transaction that carries it out. */
export async function checkOrder(
  parts: CheckParts,
  client: Client,
  order: Order,
  visible: VisibleOrganizations,
  now: Date,
): Promise<Faults> {
  const relating = { visible, before: null }
  return {
    ...faultsOf(await checkRelations(client, order.person, { ...relating, model: person })),
    ...named('', {
      contract_number: await contractFault(client, order),
      tarif: await tariffFault(client, order),
      from: await beginningFault(parts, client, order, now),
      services: await servicesFault(client, order),
      'payment.op_type_id': await typeFault(client, order),
    }),
    ...(order.login && faultsOf(await checkRelations(client, order.login, { ...relating, model: login }), 'login.')),
    ...named('login.', await orderedLoginFaults(parts, client, order)),
  }
}

type Found = Readonly<Record<string, Fault | null>>
type Plain = Readonly<Record<string, unknown>>

export const named = (prefix: string, found: Found): Faults =>
  Object.fromEntries(Object.entries(found).flatMap(([name, wrong]) => (wrong ? [[`${prefix}${name}`, wrong]] : [])))

const exists = async (client: Client, text: string, values: readonly unknown[]): Promise<boolean> =>
  (await client.query(`SELECT FROM ${text} LIMIT 1`, [...values])).rowCount !== 0

async function contractFault(client: Client, { person: values }: Order): Promise<Fault | null> {
  const number = values.get('contract_number')?.value
  if (!number) return null
  return (await exists(client, 'abonents WHERE contract_number = $1 AND NOT deleted', [number])) ? fault('taken') : null
}

async function tariffFault(client: Client, { person: values }: Order): Promise<Fault | null> {
  const tariff = values.get('tarif')?.value ?? null
  if (tariff === null)
    return values.get('from')?.value ? fault('required', 'It must be named, where it is said when it begins.') : null
  return (await exists(client, 'tarifs WHERE id = $1::int8 AND NOT enabled', [tariff])) ? fault('off') : null
}

async function beginningFault(
  { timeZone }: CheckParts,
  client: Client,
  { person: values }: Order,
  now: Date,
): Promise<Fault | null> {
  const from = values.get('from')?.value as string | null | undefined
  if (!from) return null
  const zone = timeZone()
  return dayOf(await momentOf(client, from), zone) < dayOf(now, zone) ? fault('past') : null
}

async function servicesFault(client: Client, { services }: Order): Promise<Fault | null> {
  if (services.length === 0) return null
  const { rows } = await client.query<{ id: string; enabled: boolean; system_type: number | null }>(
    'SELECT id, enabled, system_type FROM uslugas WHERE id = ANY($1::int8[]) ORDER BY id FOR KEY SHARE',
    [services],
  )
  const codes = services.map((id): OwnFault | null => {
    const found = rows.find((row) => Number(row.id) === id)
    if (!found) return 'missing'
    if (isPromiseService(id) || found.system_type === promiseSystemType) return 'wrong'
    return found.enabled ? null : 'off'
  })
  const at = codes.findIndex((code) => code !== null)
  if (at < 0) return null
  const sentence = { missing: 'There is no such service', wrong: 'It is a promise payment', off: 'It is switched off' }
  return fault(codes[at]!, `${sentence[codes[at] as keyof typeof sentence]}: ${services[at]}.`)
}

/** As a top-up: types of income only. */
async function typeFault(client: Client, { payment }: Order): Promise<Fault | null> {
  if (!payment) return null
  const { rows } = await client.query<{ op_sign: number; enabled: boolean }>(
    'SELECT op_sign, enabled FROM fin_types WHERE type_id = $1::int8 FOR KEY SHARE',
    [payment.typeId],
  )
  const [found] = rows
  if (!found) return fault('missing')
  if (!found.enabled) return fault('off')
  return found.op_sign === 1 ? null : fault('wrong', 'It must be a type of income.')
}

/** The body of a new subscriber says `port`. */
async function orderedLoginFaults(parts: CheckParts, client: Client, { login: values }: Order): Promise<Found> {
  if (!values) return {}
  const { switch_port: port = null, ...others } = await loginFaults(parts, client, plainValues(values), null)
  return { ...others, port }
}

/**
 * Values of a login that another one has, or that cannot be given to it. `id` is the login that they are for, null for
 * a new one.
 */
export async function loginFaults(parts: CheckParts, client: Client, values: Plain, id: number | null): Promise<Found> {
  const { login: name, ip, ipv6_prefix: prefix, delegated_ipv6_prefix: delegated, mac, pool } = values
  const { switch: device, switch_port: port } = values
  const takenFault = async (column: string, type: string, value: unknown) =>
    value && (await exists(client, `users WHERE ${column} = $1::${type} AND id IS DISTINCT FROM $2::int8`, [value, id]))
      ? fault('taken')
      : null
  return {
    login: await takenFault('login', 'text', name),
    ip: (await takenFault('ip', 'inet', ip)) ?? (ip ? addressFault(parts, String(ip), id) : null),
    ipv6_prefix: await takenFault('ipv6_prefix', 'cidr', prefix),
    delegated_ipv6_prefix: await takenFault('delegated_ipv6_prefix', 'cidr', delegated),
    mac: await takenFault('mac', 'macaddr', mac),
    // A login with an address of its own takes none from the pool.
    pool: pool && !ip ? await poolFault(parts, client, Number(pool)) : null,
    switch_port: port ? await portFault(client, device, Number(port)) : null,
  }
}

/** The address that a login has in a session may become its own. */
function addressFault({ pools }: CheckParts, ip: string, id: number | null): Fault | null {
  const address = parseIpv4(ip)!
  const use = pools.useOf(address)
  if (use === 'excluded') return fault('reserved')
  if (use !== 'held' && use !== 'offered') return null
  return id !== null && pools.leaseAt(address)?.loginId === id ? null : fault('in_use')
}

async function poolFault({ pools }: CheckParts, client: Client, id: number): Promise<Fault | null> {
  // Other than IPv4, pools give out nothing, and one that has just been made is read by the next request.
  if (!(await exists(client, 'ip_pulls WHERE id = $1::int8 AND enabled', [id])))
    return (await exists(client, 'ip_pulls WHERE id = $1::int8', [id])) ? fault('off') : null
  return !pools.enabledIds().includes(id) || pools.nextFree(id) ? null : fault('full')
}

async function portFault(client: Client, device: unknown, port: number): Promise<Fault | null> {
  if (!device) return fault('wrong', 'It must come with its switch.')
  const beyond = await exists(client, 'switches WHERE id = $1::int8 AND ports_count < $2::int8', [device, port])
  return beyond ? fault('wrong', 'The switch has fewer ports.') : null
}
