import type { Day, Month, Span } from '../../../domain/calendar.ts'
import { chargeText } from '../../../domain/charge-words.ts'
import { servicePrice } from '../../../domain/charges.ts'
import { accountId, subscriberId } from '../../../domain/ids.ts'
import { type Money, moneyFromUnits, moneyOrNull } from '../../../domain/money.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import { operationTypes } from '../../../domain/operation.ts'
import { promiseServices, promiseSystemType } from '../../../domain/promise.ts'
import { subscriberBegins } from '../../accounts/uses.ts'
import type { Ask } from '../reads.ts'
import { chargeable, type Due, feeOf, isFree, pagesOf, type Period, withAccount } from './due.ts'

/** A tariff or a service of a subscriber as the statements return it; a tariff has no `link_id`. */
export type FeeRow = {
  readonly abonent_id: string
  readonly account_id: string
  /** The row of users_uslugas. */
  readonly link_id: string | null
  readonly usluga_id: string | null
  readonly name: string
  readonly summ: string | null
  readonly summa: string | null
  readonly price: string
  readonly countt: number
  readonly begins: Date
  readonly end_time: Date | null
}

/** SQL: the columns of FeeRow but `begins`, of abonents AS abonent and the table of tariffs. */
export const tariffColumns = `abonent.id AS abonent_id, abonent.account_id, NULL AS link_id, NULL AS usluga_id, tarif.name,
    NULL AS summ, NULL AS summa, tarif.price, 1 AS countt, NULL AS end_time`

/** SQL: the columns of FeeRow but `begins`, of abonents AS abonent, users_uslugas AS link and uslugas AS service. */
export const serviceColumns = `abonent.id AS abonent_id, abonent.account_id, link.id AS link_id, service.id AS usluga_id, service.name,
    link.summ, service.summa, service.price, link.countt, link.end_time`

const tariffBegins = `greatest(${subscriberBegins}, tarif.priced_from)`

const tariffs = `SELECT ${tariffColumns}, ${tariffBegins} AS begins, abonent.charged_from, tarif.id AS tarif_id
  FROM abonents AS abonent ${withAccount} JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id
  WHERE abonent.id > $1 AND abonent.id <= $2 AND tarif.price > 0 AND ${chargeable('$3')}
    AND ${tariffBegins} < $4 AND ${tariffBegins} <= $3 AND ${isFree(chargeKeys.tariff.sql('abonent.id', '$5'))}
  ORDER BY abonent.id`

const promiseIds = Object.values(promiseServices).join()

/** SQL: the service is no promise payment, which has its own rules. */
export const isNoPromise = `coalesce(service.id IN (${promiseIds}) OR service.system_type = ${promiseSystemType}
  OR link.system_type = ${promiseSystemType}, false) = false`

/** SQL: when charging of a service begins. */
const serviceBegins = `greatest(${subscriberBegins}, link.create_date, link.charged_from, service.priced_from)`

/** Both sides of the join are restricted to the page, or the planner might read all subscribers for every page. */
const services = `SELECT ${serviceColumns}, ${serviceBegins} AS begins, abonent.charged_from
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = link.usluga_id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id ${withAccount}
  WHERE abonent.id > $1 AND abonent.id <= $2 AND link.abonent_id > $1 AND link.abonent_id <= $2 AND link.enabled AND ${isNoPromise}
    AND (link.end_time IS NULL OR link.end_time > $6) AND ${chargeable('$3')}
    AND ${serviceBegins} < $4 AND ${serviceBegins} <= $3
    AND ${isFree(chargeKeys.service.sql('abonent.id', 'link.id', '$5'))}
  ORDER BY abonent.id, link.id`

/** Promise payments that were active when the day began. There are few, and an index finds them. */
const promises = `SELECT ${serviceColumns}, link.create_date AS begins
  FROM uslugas AS service JOIN users_uslugas AS link ON link.usluga_id = service.id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id ${withAccount}
  WHERE service.id IN (${promiseIds}) AND service.price > 0 AND link.enabled AND link.create_date < $1
    AND link.end_time > $1 AND ${chargeable('$2')} AND ${isFree(chargeKeys.promise.sql('abonent.id', 'link.id', '$3'))}
  ORDER BY link.id`

/** The price for a month. */
export const priceOf = ({ summ, summa, price, countt }: FeeRow): Money =>
  servicePrice({ own: moneyOrNull(summ), sum: moneyOrNull(summa), price: moneyFromUnits(price), count: countt })

export const chargeKeyOf = ({ abonent_id, link_id }: FeeRow, period: Month | Day): string =>
  link_id === null
    ? chargeKeys.tariff.of(subscriberId(abonent_id), period)
    : chargeKeys.service.of(subscriberId(abonent_id), Number(link_id), period)

/** Who owes a fee, and for which service. */
export const debtorOf = ({ abonent_id, account_id, usluga_id }: FeeRow) => ({
  accountId: accountId(account_id),
  subscriberId: subscriberId(abonent_id),
  uslugaId: usluga_id === null ? null : Number(usluga_id),
})

/** The charge of a fee: a tariff's has operation type 32, a service's type 3. */
export const chargeOf = (row: FeeRow, amount: Money, days: Span, period: Month | Day): Due => ({
  ...debtorOf(row),
  typeId: row.link_id === null ? operationTypes.tariffCharge : operationTypes.monthlyService,
  amount,
  description:
    row.link_id === null ? chargeText.tariff(row.name, days) : chargeText.service(row.name, row.countt, days),
  key: chargeKeyOf(row, period),
})

/** Tariffs that have not been charged for a period. */
export async function* tariffCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  for await (const [row, due] of charges<CurrentRow & { tarif_id: string }>(ask, tariffs, period))
    yield { ...due, tariffId: Number(row.tarif_id) }
}

/** Services that have not been charged for a period: those that are enabled and did not end before it. */
export async function* serviceCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  for await (const [, due] of charges(ask, services, period)) yield due
}

/** Of what is in use. */
type CurrentRow = FeeRow & { readonly charged_from: Date | null }

async function* charges<Row extends CurrentRow>(ask: Ask, statement: string, period: Period) {
  for await (const rows of pagesOf<Row>(ask, [statement], period)) {
    for (const row of rows) {
      const fee = feeOf(priceOf(row), period, row.begins, row.end_time)
      if (fee)
        yield [row, { ...chargeOf(row, fee.amount, fee.days, period.name), chargedFrom: row.charged_from }] as const
    }
  }
}

/**
 * The price of the service for a day on which a promise payment is active (specification 3.1,
 * LK_PROMISE_PAY_DAILY_CHARGE).
 */
export async function* promiseCharges(ask: Ask, day: Day, startsAt: Date, now: Date): AsyncGenerator<Due> {
  for (const row of await ask<FeeRow>(promises, [startsAt, now, day]))
    yield {
      ...debtorOf(row),
      typeId: operationTypes.monthlyService,
      amount: moneyFromUnits(row.price),
      description: chargeText.promise(day),
      key: chargeKeys.promise.of(subscriberId(row.abonent_id), Number(row.link_id), day),
    }
}
