import { addDays, common, type Day, dayOf, daysBetween, type Span } from '../../../domain/calendar.ts'
import { chargeText } from '../../../domain/charge-words.ts'
import { monthPart } from '../../../domain/charges.ts'
import { type AccountId, accountId, type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import { type Money, moneyFromUnits, zero } from '../../../domain/money.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import { operationTypes } from '../../../domain/operation.ts'
import type { MoneyKey } from '../../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import {
  type Ask,
  chargeable,
  type Due,
  chargedDays,
  isFree,
  pagesOf,
  type Period,
  subscriberBegins,
  withAccount,
} from './due.ts'
import { isPromise, type PricedRow, priceOf } from './services.ts'

/**
 * A tariff or a service that was charged for a month in which the subscriber was deleted or restored. A deleted
 * subscriber is refunded the days after the deletion, once for each last day; one who returns in the same month is
 * charged for the rest of it, once for each return. This concerns monthly charges only: a day that was charged was
 * used.
 */
type Charged = {
  readonly accountId: AccountId
  readonly subscriberId: SubscriberId
  /** Null: the tariff. */
  readonly service: { readonly linkId: number; readonly uslugaId: number } | null
  readonly name: string
  readonly count: number
  /** The price for the month, as it is now. */
  readonly price: Money
  readonly begins: Date
  readonly ends: Date | null
  readonly deletedAt: Date | null
  /** What has been charged for the month so far, less refunds. */
  readonly paid: Money
}

const { tariffCharge, monthlyService, recalculation } = operationTypes

const paid = (condition: string) => `(SELECT coalesce(-sum(operation.op_summa), 0) FROM finance_operations AS operation
  WHERE operation.abonent_id = abonent.id AND operation.op_date >= $6 AND ${condition}) AS paid`

const who = {
  deleted:
    'abonent.deleted AND abonent.deleted_date >= $6 AND abonent.deleted_date < $4 AND abonent.deleted_date <= $3',
  returned: `abonent.charged_from >= $6 AND abonent.charged_from < $4 AND abonent.charged_from <= $3 AND ${chargeable('$3')}
    AND EXISTS (SELECT FROM finance_operations AS operation WHERE operation.abonent_id = abonent.id AND operation.op_date >= $6
      AND operation.op_type_id = ${recalculation})`,
} as const

type Who = keyof typeof who

const tariffsOf = (
  whom: Who,
) => `SELECT abonent.id AS abonent_id, abonent.account_id, abonent.deleted_date, NULL AS link_id,
    NULL AS usluga_id, tarif.name, NULL AS summ, NULL AS summa, tarif.price, 1 AS countt, NULL AS end_time,
    greatest(${subscriberBegins}) AS begins,
    ${paid(`operation.op_type_id IN (${tariffCharge}, ${recalculation}) AND operation.usluga_id IS NULL`)}
  FROM abonents AS abonent ${withAccount} JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id
  WHERE abonent.id > $1 AND abonent.id <= $2 AND ${who[whom]}
    AND NOT ${isFree(chargeKeys.tariff.sql('abonent.id', '$5'))}
  ORDER BY abonent.id`

const servicesOf = (
  whom: Who,
) => `SELECT abonent.id AS abonent_id, abonent.account_id, abonent.deleted_date, link.id AS link_id,
    service.id AS usluga_id, service.name, link.summ, service.summa, service.price, link.countt, link.end_time,
    greatest(${subscriberBegins}, link.create_date, link.charged_from) AS begins,
    ${paid(`operation.op_type_id IN (${monthlyService}, ${recalculation}) AND operation.usluga_id = service.id`)}
  FROM abonents AS abonent ${withAccount} JOIN users_uslugas AS link ON link.abonent_id = abonent.id
    JOIN uslugas AS service ON service.id = link.usluga_id
  WHERE abonent.id > $1 AND abonent.id <= $2 AND link.enabled AND coalesce(${isPromise}, false) = false AND ${who[whom]}
    AND NOT ${isFree(chargeKeys.service.sql('abonent.id', 'link.id', '$5'))}
  ORDER BY link.id`

const statements = {
  deleted: [tariffsOf('deleted'), servicesOf('deleted')],
  returned: [tariffsOf('returned'), servicesOf('returned')],
} as const satisfies Record<Who, readonly string[]>

type Row = PricedRow & {
  abonent_id: string
  account_id: string
  deleted_date: Date | null
  link_id: string | null
  usluga_id: string | null
  name: string
  end_time: Date | null
  begins: Date
  paid: string
}

const chargedOf = (row: Row): Charged => ({
  accountId: accountId(row.account_id),
  subscriberId: subscriberId(row.abonent_id),
  service: row.link_id === null ? null : { linkId: Number(row.link_id), uslugaId: Number(row.usluga_id) },
  name: row.name,
  count: row.countt,
  price: priceOf(row),
  begins: row.begins,
  ends: row.end_time,
  deletedAt: row.deleted_date,
  paid: moneyFromUnits(row.paid),
})

const chargeKeyOf = ({ subscriberId: id, service }: Charged, day: Day): string =>
  service ? chargeKeys.service.of(id, service.linkId, day) : chargeKeys.tariff.of(id, day)

const refundKeyOf = ({ subscriberId: id, service }: Charged, last: Day): string =>
  service ? chargeKeys.serviceRefund.of(id, service.linkId, last) : chargeKeys.tariffRefund.of(id, last)

const textOf = ({ service, name, count }: Charged, days: Span): string =>
  service ? chargeText.service(name, count, days) : chargeText.tariff(name, days)

async function takenOf(ask: Ask, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await ask<RowOf<typeof MoneyKey, 'key'>>('SELECT key FROM money_keys WHERE key = ANY($1)', [keys])
  return new Set(rows.map(({ key }) => key))
}

/**
 * Refunds to subscribers who were deleted in a charged month: for the days after their last one, never more than was
 * charged.
 */
export async function* refunds(ask: Ask, month: Period): AsyncGenerator<Due> {
  for await (const rows of pagesOf<Row>(ask, statements.deleted, month)) {
    const page = rows.map(chargedOf)
    const lastDays = page.map(({ deletedAt }) => dayOf(deletedAt!, month.zone))
    const taken = await takenOf(
      ask,
      page.map((charged, at) => refundKeyOf(charged, lastDays[at]!)),
    )
    for (const [at, charged] of page.entries()) {
      const last = lastDays[at]!
      const key = refundKeyOf(charged, last)
      const days = charges(month, charged, addDays(last, 1))
      const share = days ? monthPart(charged.price, days) : zero
      const amount = share < charged.paid ? share : charged.paid
      if (!days || amount <= zero || taken.has(key)) continue
      yield {
        ...dueOf(charged),
        typeId: recalculation,
        amount,
        description: chargeText.recalculation(charged.name, days),
        key,
      }
    }
  }
}

/** Charges to subscribers who returned after a refund in the same month: for the days from their return. */
export async function* returns(ask: Ask, month: Period): AsyncGenerator<Due> {
  const all = daysBetween(month.span)
  for await (const rows of pagesOf<Row>(ask, statements.returned, month)) {
    const page = rows.map(chargedOf)
    const keys = page.flatMap((one) => all.flatMap((day) => [refundKeyOf(one, day), chargeKeyOf(one, day)]))
    const taken = await takenOf(ask, keys)
    for (const charged of page) {
      const last = all.findLast((day) => taken.has(refundKeyOf(charged, day)))
      if (!last || all.some((day) => day > last && taken.has(chargeKeyOf(charged, day)))) continue
      const begun = dayOf(charged.begins, month.zone)
      const days = charges(month, charged, begun > last ? begun : addDays(last, 1))
      const amount = days ? monthPart(charged.price, days) : zero
      if (!days || amount === zero) continue
      yield {
        ...dueOf(charged),
        typeId: charged.service ? monthlyService : tariffCharge,
        amount,
        description: textOf(charged, days),
        key: chargeKeyOf(charged, days.from),
      }
    }
  }
}

const dueOf = ({ accountId: account, subscriberId: subscriber, service }: Charged) => ({
  accountId: account,
  subscriberId: subscriber,
  uslugaId: service?.uslugaId ?? null,
})

/** The days of the month from `from` on that are charged; null: there are none. */
function charges(month: Period, { ends }: Charged, from: Day): Span | null {
  const days = chargedDays(month, null, ends)
  return days && common(days, { from, to: days.to })
}
