import { addDays, common, dayOf, daysBetween, type Day, type Span, startOfDay } from '../../../domain/calendar.ts'
import { subscriberId } from '../../../domain/ids.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import type { Ask } from '../reads.ts'
import { takenOf } from './departures.ts'
import { chargeable, chargedDays, type Due, feeForDays, isFree, type Period, withAccount } from './due.ts'
import { chargeOf, type FeeRow, isNoPromise, priceOf, serviceBegan, serviceColumns } from './fees.ts'

type Row = FeeRow & {
  /** Null for a service that is on. */
  readonly off_at: Date | null
  /** When it was switched on again. */
  readonly charged_from: Date | null
}

const key = chargeKeys.service.sql('abonent.id', 'link.id', '$4')

/** Each finds by an index what was on in a period for which it has not been charged. */
const text = (which: string) => `SELECT ${serviceColumns}, ${serviceBegan} AS begins, link.off_at, link.charged_from
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = link.usluga_id
    JOIN abonents AS abonent ON abonent.id = link.abonent_id ${withAccount}
  WHERE ${which} AND ${isNoPromise} AND ${chargeable('$1', '$2')}
  ORDER BY link.id`

/** Services that are off. */
const offText = text(`link.off_at >= $2 AND NOT link.enabled AND ${serviceBegan} < least($3, link.off_at)
    AND ${isFree(key)}`)

/** Services that were on before. The charge of a month that was made before they were off is of that time as well. */
const againText = text(`link.on_since IS NOT NULL AND link.charged_from >= $2 AND link.enabled AND ${serviceBegan} < $3
    AND NOT EXISTS (SELECT FROM money_keys AS taken LEFT JOIN finance_operations AS charge USING (op_id)
      WHERE taken.key = ${key} AND (charge.op_date IS NULL OR charge.op_date < link.charged_from))`)

/**
 * Charges for services that were switched off, for the days they were on, at least one: those that are off, and those
 * that are on again. A day is charged when it is over, because a service that is on again by its end is charged as
 * those that are on. In a month that is charged as a whole the key is of the last day, so that what is switched on
 * again later is charged from then.
 */
export async function* switchedOffCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  const { now, startsAt, endsAt, name, mode, zone } = period
  const yesterday = addDays(dayOf(now, zone), -1)
  const rows = [
    ...(await ask<Row>(offText, [now, startsAt, endsAt, name])),
    ...(await ask<Row>(againText, [now, startsAt, endsAt, name])),
  ]
  const used = rows.flatMap((row) => {
    const days = chargedDays(period, row.begins, endOf(row, zone))
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

/** From the day on which it was switched on again, a service is charged as those that are on. */
function endOf({ off_at, charged_from, end_time }: Row, zone: string): Date {
  const over = off_at ?? startOfDay(dayOf(charged_from!, zone), zone)
  return end_time !== null && end_time < over ? end_time : over
}

/** The days after the last one that has been charged; null: there are none. */
function daysLeft(days: Span, isCharged: (day: Day) => boolean): Span | null {
  const last = daysBetween(days).findLast(isCharged)
  return last === undefined ? days : common(days, { from: addDays(last, 1), to: days.to })
}

const usedKeyOf = ({ abonent_id, link_id }: Row, day: Day): string =>
  chargeKeys.usedService.of(subscriberId(abonent_id), Number(link_id), day)
