import { dayOf } from '../../../domain/calendar.ts'
import { subscriberId } from '../../../domain/ids.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import type { Ask } from '../reads.ts'
import { takenOf } from './departures.ts'
import { chargeable, type Due, feeOf, isFree, type Period, withAccount } from './due.ts'
import { chargeOf, type FeeRow, isNoPromise, priceOf, serviceBegins, serviceColumns } from './fees.ts'

type Row = FeeRow & { readonly off_at: Date }

/** Services that were switched off in a period for which they have not been charged. An index finds them. */
const text = `SELECT ${serviceColumns}, ${serviceBegins} AS begins, link.off_at
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = link.usluga_id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id ${withAccount}
  WHERE link.off_at >= $2 AND link.off_at < $3 AND NOT link.enabled AND ${isNoPromise} AND ${chargeable('$1', '$2')}
    AND ${isFree(chargeKeys.service.sql('abonent.id', 'link.id', '$4'))}
  ORDER BY link.id`

/**
 * Charges for services that were switched on and off again between two runs: for the days they were on, at least one.
 * A day is charged when it is over, because a service that is on again by its end is charged as those that are on. In a
 * month that is charged as a whole the key is of the day, so that what is switched on again later is charged from then.
 */
export async function* switchedOffCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  const { now, startsAt, endsAt, name, mode, zone } = period
  const today = dayOf(now, zone)
  const rows = await ask<Row>(text, [now, startsAt, endsAt, name])
  const over = rows.filter(({ off_at }) => dayOf(off_at, zone) < today)
  const used = over.map((row) => ({ row, key: usedKeyOf(row, zone) }))
  const taken = await takenOf(
    ask,
    used.map(({ key }) => key),
  )
  for (const { row, key } of used) {
    const ends = row.end_time !== null && row.end_time < row.off_at ? row.end_time : row.off_at
    const fee = feeOf(priceOf(row), period, row.begins, ends)
    if (!fee || taken.has(key)) continue
    const due = { ...chargeOf(row, fee.amount, fee.days, period.name), begun: startsAt }
    yield mode === 'monthly' ? { ...due, key } : due
  }
}

const usedKeyOf = ({ abonent_id, link_id, off_at }: Row, zone: string): string =>
  chargeKeys.usedService.of(subscriberId(abonent_id), Number(link_id), dayOf(off_at, zone))
