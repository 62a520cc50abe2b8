import { type Day, dayOf, type Month, monthOf } from '../../../../domain/calendar.ts'
import { subscriberId } from '../../../../domain/ids.ts'
import { chargeKeys } from '../../../../domain/money-keys.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import type { ShownService } from './record.ts'

/**
 * A service is charged once for a month or a day, also when its record is deleted and created again to correct a
 * mistake. The key of a charge names the record, so a deleted record leaves its charges under a key of the service, and
 * the next record takes them over.
 */
type Charged = Pick<ShownService, 'id' | 'abonent_id' | 'usluga_id'>

const periodsOf = (now: Date, zone: string) => {
  const day = dayOf(now, zone)
  return [monthOf(day), day]
}

const leftKeyOf = ({ abonent_id, usluga_id }: Charged, period: Day | Month): string =>
  chargeKeys.leftService.of(subscriberId(abonent_id), usluga_id, period)

export async function leaveCharges(client: Client, left: Charged, zone: string, now: Date): Promise<void> {
  for (const period of periodsOf(now, zone)) {
    await client.query(
      `INSERT INTO money_keys (key, account_id, op_id, amount) SELECT $2, account_id, op_id, amount FROM money_keys
        WHERE key = $1 ON CONFLICT (key) DO NOTHING`,
      [chargeKeys.service.of(subscriberId(left.abonent_id), left.id, period), leftKeyOf(left, period)],
    )
  }
}

export async function takeCharges(client: Client, made: Charged, zone: string, now: Date): Promise<void> {
  for (const period of periodsOf(now, zone)) {
    await client.query('UPDATE money_keys SET key = $2 WHERE key = $1', [
      leftKeyOf(made, period),
      chargeKeys.service.of(subscriberId(made.abonent_id), made.id, period),
    ])
  }
}
