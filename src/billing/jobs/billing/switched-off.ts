import { addDays, common, dayOf, daysBetween, type Day, type Span } from '../../../domain/calendar.ts'
import { subscriberId } from '../../../domain/ids.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import type { Ask } from '../reads.ts'
import { takenOf } from './departures.ts'
import { chargeable, chargedDays, type Due, feeForDays, isFree, type Period, withAccount } from './due.ts'
import { chargeOf, type FeeRow, isNoPromise, priceOf, serviceBegins, serviceColumns } from './fees.ts'

type Row = FeeRow & { readonly off_at: Date }

/** Services that are off, and were on in a period for which they have not been charged. An index finds them. */
const text = `SELECT ${serviceColumns}, ${serviceBegins} AS begins, link.off_at
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = link.usluga_id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id ${withAccount}
  WHERE link.off_at >= $2 AND NOT link.enabled AND ${isNoPromise} AND ${chargeable('$1', '$2')}
    AND ${serviceBegins} < least($3, link.off_at)
    AND ${isFree(chargeKeys.service.sql('abonent.id', 'link.id', '$4'))}
  ORDER BY link.id`

/**
 * Charges for services that were switched on and off again between two runs: for the days they were on, at least one.
 * A day is charged when it is over, because a service that is on again by its end is charged as those that are on. In a
 * month that is charged as a whole the key is of the last day, so that what is switched on again later is charged from
 * then.
 */
export async function* switchedOffCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  const { now, startsAt, endsAt, name, mode, zone } = period
  const yesterday = addDays(dayOf(now, zone), -1)
  const used = (await ask<Row>(text, [now, startsAt, endsAt, name])).flatMap((row) => {
    const ends = row.end_time !== null && row.end_time < row.off_at ? row.end_time : row.off_at
    const days = chargedDays(period, row.begins, ends)
    const over = days && common(days, { from: days.from, to: yesterday })
    return over ? [{ row, days: over }] : []
  })
  const taken = await takenOf(
    ask,
    used.flatMap(({ row, days }) => daysBetween(days).map((day) => usedKeyOf(row, day))),
  )
  for (const { row, days } of used) {
    const left = daysLeft(days, (day) => taken.has(usedKeyOf(row, day)))
    const fee = left && feeForDays(priceOf(row), period, left)
    if (!fee) continue
    const due = { ...chargeOf(row, fee.amount, fee.days, name), begun: startsAt }
    yield mode === 'monthly' ? { ...due, key: usedKeyOf(row, left.to) } : due
  }
}

/** The days after the last one that has been charged; null: there are none. */
function daysLeft(days: Span, isCharged: (day: Day) => boolean): Span | null {
  const last = daysBetween(days).findLast(isCharged)
  return last === undefined ? days : common(days, { from: addDays(last, 1), to: days.to })
}

const usedKeyOf = ({ abonent_id, link_id }: Row, day: Day): string =>
  chargeKeys.usedService.of(subscriberId(abonent_id), Number(link_id), day)
