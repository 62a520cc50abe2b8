import { chargeText } from '../../../domain/charge-words.ts'
import { accountId, subscriberId } from '../../../domain/ids.ts'
import { moneyFromUnits } from '../../../domain/money.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import { operationTypes } from '../../../domain/operation.ts'
import type { Abonent } from '../../../platform/storage/entities/subscribers.ts'
import type { Tarif } from '../../../platform/storage/entities/services.ts'
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

const begins = `greatest(${subscriberBegins}, tarif.priced_from)`

const page = `SELECT abonent.id, abonent.account_id, tarif.id AS tarif_id, tarif.name, tarif.price, ${begins} AS begins
  FROM abonents AS abonent ${withAccount} JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id
  WHERE abonent.id > $1 AND abonent.id <= $2 AND tarif.price > 0 AND ${chargeable('$3', '$6')}
    AND ${begins} < $4 AND ${begins} <= $3 AND ${isFree(chargeKeys.tariff.sql('abonent.id', '$5'))}
  ORDER BY abonent.id`

type Row = RowOf<typeof Abonent, 'id' | 'account_id'> &
  RowOf<typeof Tarif, 'name' | 'price'> & { tarif_id: string; begins: Date }

/** Tariffs that have not been charged for a period (operation type 32). */
export async function* tariffCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  for await (const rows of pagesOf<Row>(ask, [page], period)) {
    for (const row of rows) {
      const fee = feeOf(moneyFromUnits(row.price), period, row.begins, null)
      if (!fee) continue
      const id = subscriberId(row.id)
      yield {
        accountId: accountId(row.account_id),
        subscriberId: id,
        typeId: operationTypes.tariffCharge,
        amount: fee.amount,
        description: chargeText.tariff(row.name, fee.days),
        uslugaId: null,
        tariffId: Number(row.tarif_id),
        key: chargeKeys.tariff.of(id, period.name),
        begun: period.startsAt,
      }
    }
  }
}
