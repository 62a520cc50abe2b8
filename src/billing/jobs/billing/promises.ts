import type { Day } from '../../../domain/calendar.ts'
import { chargeText } from '../../../domain/charge-words.ts'
import { accountId, subscriberId } from '../../../domain/ids.ts'
import { moneyFromUnits } from '../../../domain/money.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import { operationTypes } from '../../../domain/operation.ts'
import { promiseServices } from '../../../domain/promise.ts'
import type { Abonent } from '../../../platform/storage/entities/subscribers.ts'
import type { UsersUsluga, Usluga } from '../../../platform/storage/entities/services.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { type Ask, chargeable, type Due, isFree, withAccount } from './due.ts'

/** Promise payments that were active when the day began. There are few, and an index finds them. */
const active = `SELECT link.id, link.abonent_id, abonent.account_id, service.id AS usluga_id, service.price
  FROM uslugas AS service JOIN users_uslugas AS link ON link.usluga_id = service.id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id ${withAccount}
  WHERE service.id IN (${Object.values(promiseServices).join()}) AND service.price > 0 AND link.enabled AND link.create_date < $1
    AND link.end_time > $1 AND ${chargeable('$2')} AND ${isFree(chargeKeys.promise.sql('abonent.id', 'link.id', '$3'))}
  ORDER BY link.id`

type Row = RowOf<typeof UsersUsluga, 'id' | 'abonent_id' | 'usluga_id'> &
  RowOf<typeof Abonent, 'account_id'> &
  RowOf<typeof Usluga, 'price'>

/**
 * The price of the service for a day on which a promise payment is active (specification 3.1,
 * LK_PROMISE_PAY_DAILY_CHARGE).
 */
export async function* promiseCharges(ask: Ask, day: Day, startsAt: Date, now: Date): AsyncGenerator<Due> {
  for (const row of await ask<Row>(active, [startsAt, now, day])) {
    const id = subscriberId(row.abonent_id)
    yield {
      accountId: accountId(row.account_id),
      subscriberId: id,
      typeId: operationTypes.monthlyService,
      amount: moneyFromUnits(row.price),
      description: chargeText.promise(day),
      uslugaId: Number(row.usluga_id),
      key: chargeKeys.promise.of(id, Number(row.id), day),
    }
  }
}
