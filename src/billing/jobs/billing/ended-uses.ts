import { addDays, common, type Day, dayOf, daysBetween, type Span } from '../../../domain/calendar.ts'
import { subscriberId } from '../../../domain/ids.ts'
import { chargeKeys } from '../../../domain/money-keys.ts'
import { subscriberBegins } from '../../accounts/uses.ts'
import type { Ask } from '../reads.ts'
import { takenOf } from './departures.ts'
import { chargeable, chargedDays, type Due, feeForDays, type Period, withAccount } from './due.ts'
import { chargeOf, type FeeRow, isNoPromise, priceOf, serviceColumns, tariffColumns } from './fees.ts'

/** What was used for a time that has ended. */
type Row = FeeRow & {
  readonly ends: Date
  /** When it was next in use, perhaps at once with another tariff; null: not since. */
  readonly next_at: Date | null
}

/**
 * SQL: all times of use of those of whom one has ended that touches the period. A service is in use while it is on and
 * its subscriber is neither away nor frozen. Those that have not ended have no end, and are only the next ones of
 * others.
 */
const uses = `WITH who AS MATERIALIZED (SELECT DISTINCT abonent_id AS id FROM ended_uses WHERE ends_at > $2 AND begins_at < $3),
  subscriber_use AS (
    SELECT abonent_id, tarif_id, begins_at, ends_at FROM ended_uses JOIN who ON who.id = abonent_id WHERE link_id IS NULL
    UNION ALL
    SELECT abonent.id, abonent.tarif_id, greatest(${subscriberBegins}), NULL
      FROM who JOIN abonents AS abonent USING (id) ${withAccount} WHERE ${chargeable('$1')}),
  service_use AS (
    SELECT abonent_id, link_id, begins_at, ends_at FROM ended_uses JOIN who ON who.id = abonent_id WHERE link_id IS NOT NULL
    UNION ALL
    SELECT link.abonent_id, link.id, greatest(link.create_date, link.charged_from), NULL
      FROM who JOIN users_uslugas AS link ON link.abonent_id = who.id WHERE link.enabled),
  use AS (
    SELECT abonent_id, NULL::int8 AS link_id, tarif_id, begins_at, ends_at FROM subscriber_use
    UNION ALL
    SELECT ours.abonent_id, link.id, NULL, begins.at, ends.at
      FROM subscriber_use AS ours JOIN service_use AS its USING (abonent_id) JOIN users_uslugas AS link ON link.id = its.link_id
        CROSS JOIN LATERAL (SELECT greatest(ours.begins_at, its.begins_at) AS at) AS begins
        CROSS JOIN LATERAL (SELECT least(ours.ends_at, its.ends_at) AS at) AS ends
      WHERE begins.at < least(ends.at, link.end_time, 'infinity')),
  used AS (
    SELECT *, lead(begins_at) OVER (PARTITION BY abonent_id, link_id ORDER BY begins_at, ends_at) AS next_at FROM use)`

/**
 * SQL: which of them are to be charged. The charge of a month that was made before a use ended is for that use as well.
 */
const due = (columns: string, tables: string, pricedFrom: string, key: string) => `${uses}
  SELECT ${columns}, greatest(used.begins_at, ${pricedFrom}) AS begins, used.ends_at AS ends, used.next_at
    FROM used JOIN abonents AS abonent ON abonent.id = used.abonent_id ${tables}
    WHERE used.ends_at > $2 AND used.begins_at < $3 AND NOT abonent.deleted
      AND NOT EXISTS (SELECT FROM money_keys AS taken LEFT JOIN finance_operations AS charge USING (op_id)
        WHERE taken.key = ${key} AND ($5 OR charge.op_id IS NULL OR charge.system_date <= used.ends_at))
    ORDER BY abonent.id, used.link_id, used.begins_at`

const statements = [
  due(
    tariffColumns,
    'JOIN tarifs AS tarif ON tarif.id = used.tarif_id',
    'tarif.priced_from',
    chargeKeys.tariff.sql('abonent.id', '$4'),
  ),
  due(
    serviceColumns,
    `JOIN users_uslugas AS link ON link.id = used.link_id JOIN uslugas AS service ON service.id = link.usluga_id AND ${isNoPromise}`,
    'service.priced_from',
    chargeKeys.service.sql('abonent.id', 'link.id', '$4'),
  ),
] as const

/**
 * Charges for what was used before a voluntary block, a freeze or another tariff, or before a service was switched off:
 * for each day on which it was in use, however short. A day is charged when it is over, because what is in use again by
 * its end is charged from that day on, as anything that is in use. In a month that is charged as a whole the key is of
 * the last day.
 */
export async function* endedUseCharges(ask: Ask, period: Period): AsyncGenerator<Due> {
  const { now, startsAt, endsAt, name, mode, zone } = period
  const values = [now, startsAt, endsAt, name, mode === 'daily']
  const yesterday = addDays(dayOf(now, zone), -1)
  for (const text of statements) {
    const used = (await ask<Row>(text, values)).flatMap((row) => {
      const days = daysOf(row, period)
      const last = row.next_at === null ? yesterday : earlier(yesterday, addDays(dayOf(row.next_at, zone), -1))
      const over = days && common(days, { from: days.from, to: last })
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
      const charge = { ...chargeOf(row, fee.amount, fee.days, name), isOfEndedUse: true } as const
      yield mode === 'monthly' ? { ...charge, key: usedKeyOf(row, left.to) } : charge
    }
  }
}

/** What has been charged goes, so that a run reads only what has ended since the one before. */
export const forgetEndedUses = (ask: Ask, before: Date) => ask('DELETE FROM ended_uses WHERE ends_at <= $1', [before])

function daysOf({ begins, ends, end_time }: Row, period: Period): Span | null {
  const over = end_time !== null && end_time < ends ? end_time : ends
  return begins < over ? chargedDays(period, begins, over) : null
}

const earlier = (one: Day, other: Day): Day => (one < other ? one : other)

/** The days after the last one that has been charged; null: there are none. */
function daysLeft(days: Span, isCharged: (day: Day) => boolean): Span | null {
  const last = daysBetween(days).findLast(isCharged)
  return last === undefined ? days : common(days, { from: addDays(last, 1), to: days.to })
}

const usedKeyOf = ({ abonent_id, link_id }: Row, day: Day): string =>
  link_id === null
    ? chargeKeys.usedTariff.of(subscriberId(abonent_id), day)
    : chargeKeys.usedService.of(subscriberId(abonent_id), Number(link_id), day)
