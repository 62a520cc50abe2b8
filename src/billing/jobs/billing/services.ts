import { chargeText } from '../../../domain/charge-words.ts'
import { servicePrice } from '../../../domain/charges.ts'
import { accountId, subscriberId } from '../../../domain/ids.ts'
import { type Money, moneyFromUnits, moneyOrNull } from '../../../domain/money.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import { operationTypes } from '../../../domain/operation.ts'
import { promiseServices, promiseSystemType } from '../../../domain/promise.ts'
import type { Abonent } from '../../../platform/storage/entities/subscribers.ts'
import type { UsersUsluga, Usluga } from '../../../platform/storage/entities/services.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import {
  type Ask,
  chargeable,
  type Due,
  feeOf,
  isFree,
  pagesOf,
  type Period,
  subscriberBegins,
  withAccount,
} from './due.ts'

const begins = `greatest(${subscriberBegins}, link.create_date, link.charged_from, service.priced_from)`

/** SQL: whether the service is a promise payment, which has its own rules. */
export const isPromise = `(service.id IN (${Object.values(promiseServices).join()}) OR service.system_type = ${promiseSystemType}
  OR link.system_type = ${promiseSystemType})`

/** Both sides of the join are restricted to the page, or the planner might read all subscribers for every page. */
const page = `SELECT link.id, link.abonent_id, abonent.account_id, service.id AS usluga_id, service.name, link.summ, service.summa,
    service.price, link.countt, ${begins} AS begins, link.end_time
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = link.usluga_id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id ${withAccount}
  WHERE abonent.id > $1 AND abonent.id <= $2 AND link.abonent_id > $1 AND link.abonent_id <= $2 AND link.enabled AND coalesce(${isPromise}, false) = false
    AND (link.end_time IS NULL OR link.end_time > $6) AND ${chargeable('$3', '$6')}
    AND ${begins} < $4 AND ${begins} <= $3
    AND ${isFree(chargeKeys.service.sql('abonent.id', 'link.id', '$5'))}
  ORDER BY abonent.id, link.id`

export type PricedRow = RowOf<typeof UsersUsluga, 'summ' | 'countt'> & RowOf<typeof Usluga, 'summa' | 'price'>

type Row = PricedRow &
  RowOf<typeof UsersUsluga, 'id' | 'abonent_id' | 'usluga_id' | 'end_time'> &
  RowOf<typeof Abonent, 'account_id'> &
  RowOf<typeof Usluga, 'name'> & { begins: Date }

export const priceOf = ({ summ, summa, price, countt }: PricedRow): Money =>
  servicePrice({ own: moneyOrNull(summ), sum: moneyOrNull(summa), price: moneyFromUnits(price), count: countt })

/**
 * Services that have not been charged for a period (operation type 3): those that are enabled and did not end before
 * it.
 */
export async function* serviceCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  for await (const rows of pagesOf<Row>(ask, [page], period)) {
    for (const row of rows) {
      const fee = feeOf(priceOf(row), period, row.begins, row.end_time)
      if (!fee) continue
      const id = subscriberId(row.abonent_id)
      yield {
        accountId: accountId(row.account_id),
        subscriberId: id,
        typeId: operationTypes.monthlyService,
        amount: fee.amount,
        description: chargeText.service(row.name, row.countt, fee.days),
        uslugaId: Number(row.usluga_id),
        key: chargeKeys.service.of(id, Number(row.id), period.name),
        begun: period.startsAt,
      }
    }
  }
}
