import { type Day, daysIn, monthOf, numberOf, type Span } from './calendar.ts'
import { type Money, minus, shareOf, zero } from './money.ts'

/**
 * What tariffs and services cost for a time (contract section 5, Charges): the whole month on its first day, or a part each day.
 * Prices are of a month. Every part is a difference of two shares counted from the end of the month, so that the parts of
 * a month, however it is cut, sum exactly to its price, and what is left of a month is its price × days / days of the month, rounded
 * half up to the kopeck.
 */
export type ChargeMode = 'monthly' | 'daily'

/** Where the price of a service comes from: of the link to the subscriber, of the service as a sum, of the service as a price. */
export type ServicePrices = {
  /** users_uslugas.summ */
  readonly own: Money | null
  /** uslugas.summa */
  readonly sum: Money | null
  /** uslugas.price */
  readonly price: Money | null
  /** users_uslugas.countt */
  readonly count: number
}

/** The month's price of a service: the first of own, sum and price that is set, times the count. Zero is a price: free. */
export function servicePrice({ own, sum, price, count }: ServicePrices): Money {
  const each = own ?? sum ?? price ?? zero
  return each > 0n && count > 0 ? ((each * BigInt(count)) as Money) : zero
}

/** The part of a month's price for some days of that month, both ends included. */
export function monthPart(price: Money, { from, to }: Span): Money {
  return minus(rest(price, from), restAfter(price, to))
}

/** The price of one day: the month's by its days, rounded down to the kopeck; the last day takes what remains. */
export function dayPart(price: Money, day: Day): Money {
  const days = daysIn(monthOf(day))
  const usual = shareOf(price, 1, days, 'down')
  return numberOf(day) < days ? usual : minus(price, (usual * BigInt(days - 1)) as Money)
}

/** What a month's price comes to from a day to the end of its month, that day included. */
export function rest(price: Money, from: Day): Money {
  const days = daysIn(monthOf(from))
  return shareOf(price, days - numberOf(from) + 1, days)
}

/** The same without the day: what is given back when `last` was the last day. */
export function restAfter(price: Money, last: Day): Money {
  const days = daysIn(monthOf(last))
  return shareOf(price, days - numberOf(last), days)
}

export type TariffSettlement = {
  /** Month's prices; no tariff is zero. */
  readonly oldPrice: Money
  readonly newPrice: Money
  /** The first day of the new tariff, in TIME_ZONE. */
  readonly day: Day
  /**
   * What the old tariff has been charged for already: the month of that day (`chargeKeys.tariff` of the month is taken), else
   * that day alone (`chargeKeys.tariff` of the day is taken), else nothing.
   */
  readonly charged: 'month' | 'day' | 'nothing'
}

/**
 * What a change of tariff moves at once: new less old for the days that have been charged and remain, today included. Positive is to
 * be charged, negative to be given back, zero nothing.
 */
export function settlementOf({ oldPrice, newPrice, day, charged }: TariffSettlement): Money {
  if (charged === 'nothing') return zero
  const part = charged === 'month' ? rest : dayPart
  return minus(part(newPrice, day), part(oldPrice, day))
}
