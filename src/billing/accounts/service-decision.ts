import type { Account, Subscriber } from '../../domain/account.ts'
import { addDays, common, type Day, dayOf, lastDay, monthOf, type Span } from '../../domain/calendar.ts'
import { chargeText } from '../../domain/charge-words.ts'
import { givenBack, servicePrice } from '../../domain/charges.ts'
import { lastDayBefore } from '../../domain/forecast.ts'
import { type Money, moneyFromUnits, moneyOrNull } from '../../domain/money.ts'
import { chargeKeys } from '../../domain/money-keys.ts'
import { operationTypes } from '../../domain/operation.ts'
import { promiseServices, promiseSystemType } from '../../domain/promise.ts'
import type { UsersUsluga, Usluga } from '../../platform/storage/entities/services.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { ChangeExtras } from './account-change.ts'
import { type DecisionContext, nothingPosted, type Posted, post } from './postings.ts'

/** A service of a subscriber that was charged for this month as a whole. */
export type ServiceFacts = {
  readonly linkId: number
  readonly uslugaId: number
  readonly name: string
  /** The price for a month. */
  readonly price: Money
  readonly ends: Date | null
  /** What was charged for the month. */
  readonly paid: Money
}

/** The services of the subscriber $1 for which the month $2 has been charged, except promise payments. */
export const serviceFactsText = `SELECT link.id, link.usluga_id, service.name, link.summ, service.summa, service.price, link.countt, link.end_time,
    -charge.op_summa AS paid
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = link.usluga_id
    JOIN money_keys AS taken ON taken.key = ${chargeKeys.service.sql('link.abonent_id', 'link.id', '$2')}
    JOIN finance_operations AS charge ON charge.op_id = taken.op_id AND NOT charge.storno
  WHERE link.abonent_id = $1 AND link.enabled AND service.id NOT IN (${Object.values(promiseServices).join()})
    AND service.system_type IS DISTINCT FROM ${promiseSystemType} AND link.system_type IS DISTINCT FROM ${promiseSystemType}`

export type ServiceFactsRow = RowOf<typeof UsersUsluga, 'id' | 'usluga_id' | 'summ' | 'countt' | 'end_time'> &
  RowOf<typeof Usluga, 'name' | 'summa' | 'price'> & { paid: string }

export const serviceFactsOf = (row: ServiceFactsRow): ServiceFacts => ({
  linkId: Number(row.id),
  uslugaId: Number(row.usluga_id),
  name: row.name,
  price: servicePrice({
    own: moneyOrNull(row.summ),
    sum: moneyOrNull(row.summa),
    price: moneyFromUnits(row.price),
    count: row.countt,
  }),
  ends: row.end_time,
  paid: moneyFromUnits(row.paid),
})

/** What is given back when a service is taken away on a day, and for which days; null: nothing. */
export function refundOf({ price, ends, paid }: ServiceFacts, today: Day, zone: string): Refund | null {
  const charged = { from: addDays(today, 1), to: lastDay(monthOf(today)) }
  const days = common(charged, { from: charged.from, to: ends ? lastDayBefore(ends, zone) : charged.to })
  const amount = days && givenBack(price, days, paid)
  return days && amount !== null && amount > 0n ? { amount, days } : null
}

type Refund = { readonly amount: Money; readonly days: Span }

/** Null: there is nothing to give back. */
export function endService(
  account: Account,
  subscriber: Subscriber,
  facts: ServiceFacts,
  timeZone: string,
  context: DecisionContext,
): { posted: Posted; extras: ChangeExtras } | null {
  const today = dayOf(context.now, timeZone)
  const refund = refundOf(facts, today, timeZone)
  const { linkId, uslugaId, name } = facts
  const posted =
    refund &&
    post(
      nothingPosted(account),
      {
        subscriberId: subscriber.id,
        typeId: operationTypes.recalculation,
        amount: refund.amount,
        description: chargeText.recalculation(name, refund.days),
        details: { uslugaId },
      },
      context,
    )
  if (!posted) return null
  return {
    posted,
    extras: {
      keys: [chargeKeys.serviceRefund.of(subscriber.id, linkId, today)],
      unlinked: linkId,
      audits: [
        {
          table: 'USERS_USLUGA',
          objectId: linkId,
          action: 'delete',
          diff: { abonent_id: [subscriber.id, null], usluga_id: [uslugaId, null] },
        },
      ],
    },
  }
}
