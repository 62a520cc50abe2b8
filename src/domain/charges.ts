import { type Day, daysIn, monthOf, numberOf, type Span } from './calendar.ts'
import { type Money, minus, shareOf, times, zero } from './money.ts'

/**
 * How tariffs and services are charged (contract section 5, Charges): for the whole month on its first day, or day by
 * day. Prices are for a month. Every part is the difference of two shares counted from the end of the month, so that
 * the parts of a month, however it is divided, sum exactly to its price, and the rest of a month costs price ×
 * remaining days / days of the month, rounded half up to the kopeck.
 */
export type ChargeMode = 'monthly' | 'daily'

/** Where the price of a service may come from: the link to the subscriber, or the sum or the price of the service. */
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

/**
 * The month's price of a service: the first of own, sum and price that is set, times the count. Zero is a price: free.
 */
export function servicePrice({ own, sum, price, count }: ServicePrices): Money {
  const each = own ?? sum ?? price ?? zero
  return each > 0n && count > 0 ? times(each, count) : zero
}

/** The part of a month's price for some days of that month, both ends included. */
export function monthPart(price: Money, { from, to }: Span): Money {
  return minus(rest(price, from), restAfter(price, to))
}

/**
 * The price of one day: the month's price divided by its days, rounded down to the kopeck; the last day takes the
 * remainder.
 */
export function dayPart(price: Money, day: Day): Money {
  const days = daysIn(monthOf(day))
  const usual = shareOf(price, 1, days, 'down')
  return numberOf(day) < days ? usual : minus(price, (usual * BigInt(days - 1)) as Money)
}

/** The part of a month's price from a day to the end of its month, that day included. */
export function rest(price: Money, from: Day): Money {
  const days = daysIn(monthOf(from))
  return shareOf(price, days - numberOf(from) + 1, days)
}

/** The part of a month's price after a day: the refund when `last` was the last day. */
export function restAfter(price: Money, last: Day): Money {
  const days = daysIn(monthOf(last))
  return shareOf(price, days - numberOf(last), days)
}

/** What is given back for days of a month that was charged, never more than was paid for it. */
export function givenBack(price: Money, days: Span, paid: Money): Money {
  const share = monthPart(price, days)
  return share < paid ? share : paid
}

export type TariffSettlement = {
  /** The prices for a month; zero without a tariff. */
  readonly oldPrice: Money
  readonly newPrice: Money
  /** The first day of the new tariff, in TIME_ZONE. */
  readonly day: Day
  /**
   * The period for which the old tariff has been charged already: the month of that day (`chargeKeys.tariff` of the
   * month is taken), or that day alone (`chargeKeys.tariff` of the day is taken), or neither.
   */
  readonly charged: 'month' | 'day' | 'nothing'
}

/**
 * The amount that a change of tariff settles at once: the new price minus the old one for the remaining days that have
 * been charged, today included. A positive amount is charged, a negative one refunded.
 */
export function settlementOf({ oldPrice, newPrice, day, charged }: TariffSettlement): Money {
  if (charged === 'nothing') return zero
  const part = charged === 'month' ? rest : dayPart
  return minus(part(newPrice, day), part(oldPrice, day))
}
