import type { SubscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money, moneyFromUnits, moneyOrNull, plus } from '../../domain/money.ts'
import { servicePrice } from '../../domain/charges.ts'
import { momentFromText } from '../../domain/moments.ts'
import { operationTypes } from '../../domain/operation.ts'
import { promiseServices, promiseSystemType } from '../../domain/promise.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { Tarif } from '../../platform/storage/entities/services.ts'
import type { Joined, RowOf } from '../../platform/storage/entity.ts'
import { toIdOrNull } from '../../platform/storage/int8.ts'
import type { ClientParts } from './parts.ts'

type ServiceRow = {
  own: string | null
  sum: string | null
  price: string | null
  count: number
  /** A moment as text; null: no end. */
  ends: string | null
}

type Row = RowOf<typeof Abonent, 'id' | 'name' | 'contract_number' | 'address' | 'email' | 'sms'> &
  Joined<RowOf<typeof Tarif, 'speed_mbit'>> & {
    readonly tariff_id: string | null
    readonly tariff_name: string | null
    readonly tariff_price: string | null
    readonly services: readonly ServiceRow[] | null
    readonly paid_amount: string | null
    readonly paid_at: Date | null
  }

/** The services that are charged now: on and not ended. Promise payments are not among them. */
const services = `(SELECT json_agg(json_build_object('own', link.summ::text, 'sum', service.summa::text, 'price', service.price::text, 'count', link.countt,
    'ends', link.end_time))
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = usluga_id
  WHERE link.abonent_id = abonents.id AND link.enabled AND (link.end_time IS NULL OR link.end_time > $2)
    AND service.id NOT IN (${Object.values(promiseServices).join()})
    AND service.system_type IS DISTINCT FROM ${promiseSystemType} AND link.system_type IS DISTINCT FROM ${promiseSystemType}) AS services`

const profileText = `SELECT abonents.id, abonents.name, contract_number, tarifs.id AS tariff_id, tarifs.name AS tariff_name, tarifs.price AS tariff_price,
    speed_mbit, abonents.address, email, sms, ${services}, paid.op_summa AS paid_amount, paid.op_date AS paid_at
  FROM abonents LEFT JOIN tarifs ON tarifs.id = tarif_id LEFT JOIN LATERAL (
    SELECT op_summa, op_date FROM finance_operations WHERE account_id = abonents.account_id AND op_summa > 0 AND NOT storno
      AND op_type_id NOT IN (${operationTypes.promise}, ${operationTypes.recalculation}) ORDER BY op_id DESC LIMIT 1) AS paid ON true
  WHERE abonents.id = ANY($1)`

/** What the account status says of a subscriber that no payment changes. */
export type Profile = Readonly<ReturnType<typeof profileOf>>

/** The latest payment to an account. */
export type LastPayment = { readonly amount: Money; readonly at: Date }

export type ReadProfile = {
  readonly profile: Profile
  /** When the first of its services ends, from when on the profile is another one; null: none of them does. */
  readonly until: Date | null
  readonly paid: LastPayment | null
}

/** Subscribers that do not exist are left out. */
export async function readProfiles(
  { pool }: Pick<ClientParts, 'pool'>,
  ids: readonly SubscriberId[],
  now: Date,
): Promise<ReadonlyMap<SubscriberId, ReadProfile>> {
  const { rows } = await pool.query<Row>(profileText, [ids, now])
  return new Map(
    rows.map((row) => [
      Number(row.id) as SubscriberId,
      { profile: profileOf(row), until: firstEnd(row), paid: paidOf(row) },
    ]),
  )
}

const profileOf = (row: Row) => ({
  name: row.name,
  contract_number: row.contract_number,
  /** '' for the name and null for the rest when there is no tariff. */
  tariff_name: row.tariff_name ?? '',
  tariff_id: toIdOrNull(row.tariff_id),
  speed_mbit: row.speed_mbit === null ? null : Number(row.speed_mbit),
  /** The price of a whole month of the tariff and the services. */
  monthly_cost: formatRubles(monthlyCost(row)),
  address: row.address ?? '',
  email: row.email ?? '',
  sms: row.sms ?? '',
})

function firstEnd({ services }: Row): Date | null {
  const ends = (services ?? []).flatMap(({ ends }) => (ends === null ? [] : momentFromText(ends).getTime()))
  return ends.length === 0 ? null : new Date(Math.min(...ends))
}

const paidOf = ({ paid_amount, paid_at }: Row): LastPayment | null =>
  paid_amount === null || paid_at === null ? null : { amount: moneyFromUnits(paid_amount), at: paid_at }

const monthlyCost = (row: Row): Money =>
  (row.services ?? []).reduce(
    (sum, { own, sum: ofService, price, count }) =>
      plus(sum, servicePrice({ own: moneyOrNull(own), sum: moneyOrNull(ofService), price: moneyOrNull(price), count })),
    moneyFromUnits(row.tariff_price ?? 0),
  )
