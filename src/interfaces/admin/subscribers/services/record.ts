import Type, { type Static } from 'typebox'
import { servicePrice } from '../../../../domain/charges.ts'
import { formatRubles, type Money, moneyFromUnits } from '../../../../domain/money.ts'
import { isPromiseService, promiseServices, promiseSystemType } from '../../../../domain/promise.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import type { UsersUsluga, Usluga } from '../../../../platform/storage/entities/services.ts'
import type { RowOf } from '../../../../platform/storage/entity.ts'
import type { Client } from '../../../../platform/storage/sql.ts'

/** A service of a subscriber as it is shown. */
export const serviceObject = Type.Object({
  id: schemas.integer,
  abonent_id: schemas.integer,
  usluga_id: schemas.integer,
  name: schemas.text,
  summ: nullable(schemas.rubles),
  countt: schemas.integer,
  amount: Type.With(schemas.rubles, { description: 'What a whole month of it costs' }),
  limit: Type.With(nullable(schemas.rubles), { description: 'Of a promise payment' }),
  end_time: nullable(schemas.moment),
  enabled: schemas.boolean,
  comment: nullable(schemas.text),
  create_date: schemas.moment,
  is_promise: schemas.boolean,
})

export type ShownService = Readonly<Static<typeof serviceObject>>

/** A service of a subscriber with what is needed to decide about changes. */
export type FoundService = {
  readonly shown: ShownService
  readonly organizationId: number | null
  /** The promise payment that is active now; the account ends it. */
  readonly isActivePromise: boolean
}

const promiseIds = Object.values(promiseServices).join()

const columns = `json_build_object('id', link.id, 'abonent_id', link.abonent_id, 'usluga_id', link.usluga_id, 'name', service.name,
    'countt', link.countt, 'end_time', link.end_time, 'enabled', link.enabled, 'comment', link.comment,
    'create_date', link.create_date) AS record,
  link.summ, link."limit", service.summa, service.price, coalesce(service.system_type, link.system_type) AS system_type,
  abonent.organization_id,
  abonent.promise_date_end IS NOT NULL AND link.id = (SELECT max(other.id) FROM users_uslugas AS other
    WHERE other.abonent_id = abonent.id AND other.usluga_id IN (${promiseIds})) AS is_active_promise
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = link.usluga_id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id`

type Row = RowOf<typeof UsersUsluga, 'summ' | 'limit'> &
  RowOf<typeof Usluga, 'summa' | 'price'> & {
    record: Omit<ShownService, 'summ' | 'limit' | 'amount' | 'is_promise'>
    system_type: number | null
    organization_id: string | null
    is_active_promise: boolean
  }

/**
 * Null: there is none, or the caller may not see its subscriber. With `isLocked` nobody else can change it before the
 * transaction ends.
 */
export async function findService(
  client: Client,
  id: number,
  visible: VisibleOrganizations,
  { isLocked = false } = {},
): Promise<FoundService | null> {
  const { rows } = await client.query<Row>(
    `SELECT ${columns} WHERE link.id = $1 AND ${visibleSql('abonent.organization_id', '$2')}
     ${isLocked ? 'FOR UPDATE OF link' : ''}`,
    [id, visible],
  )
  return rows[0] ? foundOf(rows[0]) : null
}

/** All services of a subscriber. The caller has checked that the subscriber is visible. */
export async function servicesOf(client: Client, subscriber: number): Promise<ShownService[]> {
  const { rows } = await client.query<Row>(`SELECT ${columns} WHERE link.abonent_id = $1 ORDER BY link.id`, [
    subscriber,
  ])
  return rows.map((row) => foundOf(row).shown)
}

function foundOf(row: Row): FoundService {
  const { record } = row
  const own = moneyOf(row.summ)
  const month = servicePrice({
    own,
    sum: moneyOf(row.summa),
    price: moneyFromUnits(row.price),
    count: record.countt,
  })
  return {
    shown: {
      ...record,
      summ: textOf(own),
      amount: formatRubles(month),
      limit: textOf(moneyOf(row.limit)),
      is_promise: isPromiseService(record.usluga_id) || row.system_type === promiseSystemType,
    },
    organizationId: row.organization_id === null ? null : Number(row.organization_id),
    isActivePromise: row.is_active_promise,
  }
}

const moneyOf = (units: string | null): Money | null => (units === null ? null : moneyFromUnits(units))
const textOf = (amount: Money | null): string | null => (amount === null ? null : formatRubles(amount))
