import { type Money, roundToKopeck } from '../../domain/money.ts'

declare const scale: unique symbol

/** The commission that a client pays in addition, as a share of the amount in millionths: 0.045 is 45000. */
export type CommissionRate = bigint & { readonly [scale]: '10^6' }

const whole = 1_000_000n

/** Reads LK_PAYMENT_COMMISSION, which the settings keep as a decimal of at most six places. */
export function readRate(share: string): CommissionRate {
  const match = /^(\d)(?:\.(\d{1,6}))?$/.exec(share)
  if (!match) throw new Error(`A commission is a share such as 0.045, not ${share}.`)
  return (BigInt(match[1]!) * whole + BigInt((match[2] ?? '').padEnd(6, '0'))) as CommissionRate
}

/** The amount to pay so that `amount` is credited: amount × (1 + rate), half up to the kopeck (specification 4.4). */
export const payableFor = (amount: Money, rate: CommissionRate): Money =>
  roundToKopeck(((amount * (whole + rate)) / whole) as Money)

/**
 * The amount to credit for a payment: paid / (1 + rate), half up to the kopeck. The first division drops less than a
 * unit of 10^-10 ruble, which cannot carry an amount over half a kopeck.
 */
export const creditOf = (paid: Money, rate: CommissionRate): Money =>
  roundToKopeck(((paid * whole) / (whole + rate)) as Money)
