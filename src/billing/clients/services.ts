import type { Pool, PoolClient } from 'pg'
import type { Author } from '../../domain/author.ts'
import { servicePrice } from '../../domain/charges.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { moneyFromUnits, moneyOrNull } from '../../domain/money.ts'
import { promiseSystemType } from '../../domain/promise.ts'
import type { Usluga } from '../../platform/storage/entities/services.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { isPromiseServiceSql } from '../accounts/service-record.ts'

type Row = RowOf<typeof Usluga, 'id' | 'name' | 'price'> & {
  sum: string | null
  own: string | null
  count: number | null
  can_toggle: boolean
  enabled: boolean
}

/** A client may have several rows of one service: the newest that is on counts, else the newest. */
const text = `SELECT service.id, service.name, service.summa AS sum, service.price, link.summ AS own, link.countt AS count,
    service.is_public AND service.enabled AS can_toggle, coalesce(link.is_on, false) AS enabled
  FROM uslugas AS service LEFT JOIN LATERAL (
    SELECT summ, countt, enabled AND (end_time IS NULL OR end_time > now()) AS is_on FROM users_uslugas
    WHERE abonent_id = $1 AND usluga_id = service.id AND system_type IS DISTINCT FROM ${promiseSystemType}
    ORDER BY 3 DESC, id DESC LIMIT 1) AS link ON true
  WHERE (link.is_on OR (service.is_public AND service.enabled)) AND NOT ${isPromiseServiceSql('service')}`

/** The services that are on and those on offer, by name. */
export async function readServices(pool: Pick<Pool, 'query'>, id: SubscriberId): Promise<ClientService[]> {
  const { rows } = await pool.query<Row>(`${text} ORDER BY service.name, service.id`, [id])
  return rows.map(serviceOf)
}

export type ServiceSwitched =
  | { kind: 'done'; service: ClientService }
  | { kind: 'refused'; reason: 'notOffered' | 'fixed' }

/**
 * Switches a service of a client in the transaction of `client`. Nothing is changed when it is in the wanted state
 * already. It is charged from the moment it is on (users_uslugas.create_date, charged_from).
 */
export async function switchService(
  client: PoolClient,
  id: SubscriberId,
  serviceId: number,
  on: boolean,
  author: Author,
): Promise<ServiceSwitched> {
  // Two concurrent switches of one client would create two rows.
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('services of ' || $1::text, 0))`, [id])
  const before = await find(client, id, serviceId)
  if (!before) return { kind: 'refused', reason: 'notOffered' }
  if (!before.canToggle) return { kind: 'refused', reason: 'fixed' }
  if (before.enabled === on) return { kind: 'done', service: before }
  const { rows } = on ? await switchOn(client, id, serviceId) : await switchOff(client, id, serviceId)
  for (const { id: link, action } of rows) {
    await client.query(
      `INSERT INTO audit_operations (at, user_name, address, table_name, object_id, action, diff, organization_id)
       SELECT now(), $2, $3, 'USERS_USLUGA', $4, $5, jsonb_build_object('abonent_id', $1::int8, 'usluga_id', $6::int8,
         'enabled', jsonb_build_array(NOT $7::bool, $7::bool)), organization_id FROM abonents WHERE id = $1`,
      [id, author.name, author.address, link, action, serviceId, on],
    )
  }
  return { kind: 'done', service: (await find(client, id, serviceId))! }
}

async function find(client: PoolClient, id: SubscriberId, serviceId: number): Promise<ClientService | null> {
  const { rows } = await client.query<Row>(`${text} AND service.id = $2`, [id, serviceId])
  return rows[0] ? serviceOf(rows[0]) : null
}

type Switched = { id: string; action: 'create' | 'change' }

/** Switches on the newest row that is off and has not ended, or inserts a new one. */
async function switchOn(client: PoolClient, id: SubscriberId, serviceId: number): Promise<{ rows: Switched[] }> {
  const again = await client.query<Switched>(
    `UPDATE users_uslugas SET enabled = true WHERE id = (SELECT max(id) FROM users_uslugas
       WHERE abonent_id = $1 AND usluga_id = $2 AND NOT enabled AND (end_time IS NULL OR end_time > now()))
     RETURNING id, 'change' AS action`,
    [id, serviceId],
  )
  if (again.rows.length > 0) return again
  return client.query<Switched>(
    `INSERT INTO users_uslugas (abonent_id, usluga_id, system_type) SELECT $1, id, system_type FROM uslugas WHERE id = $2
     RETURNING id, 'create' AS action`,
    [id, serviceId],
  )
}

const switchOff = (client: PoolClient, id: SubscriberId, serviceId: number): Promise<{ rows: Switched[] }> =>
  client.query<Switched>(
    `UPDATE users_uslugas SET enabled = false WHERE abonent_id = $1 AND usluga_id = $2 AND enabled
     RETURNING id, 'change' AS action`,
    [id, serviceId],
  )

/** A service that a client has or may switch on. Promise payments are not among them. */
export type ClientService = Readonly<ReturnType<typeof serviceOf>>

const serviceOf = (row: Row) => ({
  /** The id of the service, and not of the client's row in users_uslugas. */
  id: Number(row.id),
  name: row.name,
  /** The price of a whole month: the client's own price if there is one. */
  price: servicePrice({
    own: moneyOrNull(row.own),
    sum: moneyOrNull(row.sum),
    price: moneyFromUnits(row.price),
    count: row.count ?? 1,
  }),
  enabled: row.enabled,
  /** Whether clients may switch it. Other services are switched by the operator. */
  canToggle: row.can_toggle,
})
