import Type from 'typebox'
import type { Bill } from '../../../billing/clients/bill.ts'
import { formatRubles } from '../../../domain/money.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'

const { text, integer, rubles } = schemas

/** The members of an answer that tells what will be charged. */
export const billMembers = {
  charges: Type.With(
    Type.Array(
      Type.Object({
        kind: Type.Enum(['tariff', 'service', 'promiseFee', 'promiseEnd']),
        link_id: Type.With(nullable(integer), { description: 'The row of users_uslugas; null of a tariff' }),
        name: text,
        day: Type.With(schemas.day, { description: 'When it is taken; day by day: the first time' }),
        from: Type.With(nullable(schemas.day), { description: 'The days that it is for' }),
        to: nullable(schemas.day),
        amount: Type.With(rubles, { description: 'Below zero: it is given back' }),
        times: Type.With(integer, { description: 'More than one where it is taken day by day' }),
      }),
    ),
    { description: 'Until the end of the next month' },
  ),
  lasts_through: Type.With(nullable(schemas.day), {
    description: 'The last day with open access if nobody pays; null: access is closed, or there is no such day',
  }),
}

export const shownBill = ({ lines, lastsThrough }: Bill) => ({
  charges: lines.map(({ kind, linkId, name, day, days, amount, times }) => ({
    kind,
    link_id: linkId,
    name,
    day,
    from: days?.from ?? null,
    to: days?.to ?? null,
    amount: formatRubles(amount),
    times,
  })),
  lasts_through: lastsThrough,
})
