import { type AccountId, accountId, type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import type { Abonent } from '../../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import type { Ask } from '../reads.ts'

export type TariffDue = {
  readonly accountId: AccountId
  readonly subscriberId: SubscriberId
  readonly tariffId: number
  /** The moment for which the change was planned. */
  readonly since: Date
}

const page = `SELECT id, account_id, next_tarif_id, next_tarif_date FROM abonents
  WHERE next_tarif_date <= $1 AND next_tarif_id IS NOT NULL AND NOT deleted AND id > $2 ORDER BY id LIMIT 5000`

/** Clears plans for a tariff that the subscriber already has. */
const clearFulfilled = `UPDATE abonents SET next_tarif_id = NULL, next_tarif_date = NULL
  WHERE next_tarif_date <= $1 AND next_tarif_id = tarif_id`

type Row = RowOf<typeof Abonent, 'id' | 'account_id'> & { next_tarif_id: string; next_tarif_date: Date }

/** Changes of tariff that are planned for `by` or earlier (abonents.next_tarif_id, next_tarif_date). */
export async function* dueTariffs(ask: Ask, by: Date): AsyncGenerator<TariffDue> {
  await ask(clearFulfilled, [by])
  for (let after = 0; ; ) {
    const rows = await ask<Row>(page, [by, after])
    if (rows.length === 0) return
    for (const { id, account_id, next_tarif_id, next_tarif_date } of rows)
      yield {
        accountId: accountId(account_id),
        subscriberId: subscriberId(id),
        tariffId: Number(next_tarif_id),
        since: next_tarif_date,
      }
    after = Number(rows.at(-1)!.id)
  }
}
