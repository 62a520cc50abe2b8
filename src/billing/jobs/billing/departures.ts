import { addDays, common, type Day, dayOf, daysBetween, type Span } from '../../../domain/calendar.ts'
import { chargeText } from '../../../domain/charge-words.ts'
import { givenBack, monthPart } from '../../../domain/charges.ts'
import { subscriberId } from '../../../domain/ids.ts'
import { moneyFromUnits, zero } from '../../../domain/money.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import { operationTypes } from '../../../domain/operation.ts'
import type { MoneyKey } from '../../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { subscriberBegins } from '../../accounts/uses.ts'
import type { Ask } from '../reads.ts'
import { chargeable, chargedDays, type Due, isFree, type Period, pagesOf, withAccount } from './due.ts'
import {
  chargeKeyOf,
  chargeOf,
  debtorOf,
  type FeeRow,
  isNoPromise,
  priceOf,
  serviceColumns,
  tariffColumns,
} from './fees.ts'

/**
 * A tariff or a service that was charged for a month in which the subscriber was deleted or restored. A deleted
 * subscriber is refunded the days after the deletion, once for each last day; one who returns in the same month is
 * charged for the rest of it, once for each return. This concerns monthly charges only: a day that was charged was
 * used.
 */
type Row = FeeRow & {
  readonly deleted_date: Date | null
  /** What has been charged for the month so far, less refunds; reversed operations do not count. */
  readonly paid: string
}

const { tariffCharge, monthlyService, recalculation } = operationTypes

const paid = (condition: string) => `(SELECT coalesce(-sum(operation.op_summa), 0) FROM finance_operations AS operation
  WHERE operation.abonent_id = abonent.id AND operation.op_date >= $6 AND NOT operation.storno AND ${condition}) AS paid`

const who = {
  deleted:
    'abonent.deleted AND abonent.deleted_date >= $6 AND abonent.deleted_date < $4 AND abonent.deleted_date <= $3',
  returned: `abonent.charged_from >= $6 AND abonent.charged_from < $4 AND abonent.charged_from <= $3 AND ${chargeable('$3')}
    AND EXISTS (SELECT FROM finance_operations AS operation WHERE operation.abonent_id = abonent.id AND operation.op_date >= $6
      AND operation.op_type_id = ${recalculation})`,
} as const

type Who = keyof typeof who

const tariffsOf = (whom: Who) => `SELECT ${tariffColumns}, abonent.deleted_date,
    greatest(${subscriberBegins}) AS begins,
    ${paid(`operation.op_type_id IN (${tariffCharge}, ${recalculation}) AND operation.usluga_id IS NULL`)}
  FROM abonents AS abonent ${withAccount} JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id
  WHERE abonent.id > $1 AND abonent.id <= $2 AND ${who[whom]}
    AND NOT ${isFree(chargeKeys.tariff.sql('abonent.id', '$5'))}
  ORDER BY abonent.id`

const servicesOf = (whom: Who) => `SELECT ${serviceColumns}, abonent.deleted_date,
    greatest(${subscriberBegins}, link.create_date, link.charged_from) AS begins,
    ${paid(`operation.op_type_id IN (${monthlyService}, ${recalculation}) AND operation.usluga_id = service.id`)}
  FROM abonents AS abonent ${withAccount} JOIN users_uslugas AS link ON link.abonent_id = abonent.id
    JOIN uslugas AS service ON service.id = link.usluga_id
  WHERE abonent.id > $1 AND abonent.id <= $2 AND link.enabled AND ${isNoPromise} AND ${who[whom]}
    AND NOT ${isFree(chargeKeys.service.sql('abonent.id', 'link.id', '$5'))}
  ORDER BY link.id`

const statements = {
  deleted: [tariffsOf('deleted'), servicesOf('deleted')],
  returned: [tariffsOf('returned'), servicesOf('returned')],
} as const satisfies Record<Who, readonly string[]>

const refundKeyOf = ({ abonent_id, link_id }: Row, last: Day): string =>
  link_id === null
    ? chargeKeys.tariffRefund.of(subscriberId(abonent_id), last)
    : chargeKeys.serviceRefund.of(subscriberId(abonent_id), Number(link_id), last)

/** Of the keys those that are taken, and whether the operation of each has been reversed. */
export async function takenOf(ask: Ask, keys: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const rows = await ask<RowOf<typeof MoneyKey, 'key'> & { reversed: boolean }>(
    `SELECT key, coalesce(operation.storno, false) AS reversed
      FROM money_keys LEFT JOIN finance_operations AS operation USING (op_id) WHERE key = ANY($1)`,
    [keys],
  )
  return new Map(rows.map(({ key, reversed }) => [key, reversed]))
}

/**
 * Refunds to subscribers who were deleted in a charged month: for the days after their last one, never more than was
 * charged.
 */
export async function* refunds(ask: Ask, month: Period): AsyncGenerator<Due> {
  for await (const rows of pagesOf<Row>(ask, statements.deleted, month)) {
    const page = rows.map((row) => {
      const last = dayOf(row.deleted_date!, month.zone)
      return { row, last, key: refundKeyOf(row, last) }
    })
    const taken = await takenOf(
      ask,
      page.map(({ key }) => key),
    )
    for (const { row, last, key } of page) {
      const days = charges(month, row, addDays(last, 1))
      const amount = days ? givenBack(priceOf(row), days, moneyFromUnits(row.paid)) : zero
      if (!days || amount <= zero || taken.has(key)) continue
      const description = chargeText.recalculation(row.name, days)
      yield { ...debtorOf(row), typeId: recalculation, amount, description, key }
    }
  }
}

/** Charges to subscribers who returned after a refund in the same month: for the days from their return. */
export async function* returns(ask: Ask, month: Period): AsyncGenerator<Due> {
  const all = daysBetween(month.span)
  for await (const rows of pagesOf<Row>(ask, statements.returned, month)) {
    const keys = rows.flatMap((row) => all.flatMap((day) => [refundKeyOf(row, day), chargeKeyOf(row, day)]))
    const taken = await takenOf(ask, keys)
    for (const row of rows) {
      // Who reverses a refund has charged its days again.
      const last = all.findLast((day) => taken.get(refundKeyOf(row, day)) === false)
      if (!last || all.some((day) => day > last && taken.has(chargeKeyOf(row, day)))) continue
      const begun = dayOf(row.begins, month.zone)
      const days = charges(month, row, begun > last ? begun : addDays(last, 1))
      const amount = days ? monthPart(priceOf(row), days) : zero
      if (days && amount !== zero) yield chargeOf(row, amount, days, days.from)
    }
  }
}

/** The days of the month from `from` on that are charged; null: there are none. */
function charges(month: Period, { end_time }: Row, from: Day): Span | null {
  const days = chargedDays(month, null, end_time)
  return days && common(days, { from, to: days.to })
}
