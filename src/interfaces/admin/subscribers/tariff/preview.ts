import Type from 'typebox'
import type { SubscriberActors, TariffProspect } from '../../../../billing/accounts/subscribers.ts'
import { readBill } from '../../../../billing/clients/bill.ts'
import type { BillParts, SupposedTariff } from '../../../../billing/clients/charges-to-come.ts'
import { type Account, reachOf, type Subscriber } from '../../../../domain/account.ts'
import { type Day, dayOf, firstDay, monthOf, nextMonth, startOfDay } from '../../../../domain/calendar.ts'
import type { SubscriberId } from '../../../../domain/ids.ts'
import { formatRubles } from '../../../../domain/money.ts'
import type { Operation } from '../../../../domain/operation.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { billMembers, shownBill } from '../bill-shape.ts'
import type { FoundTariff } from './tariffs.ts'

export type PreviewParts = BillParts & { readonly subscribers: Pick<SubscriberActors, 'ask' | 'tariffProspect'> }

const { text, rubles } = schemas

/** What a change of tariff does to the bill. */
export const waySchema = Type.Object({
  from: Type.With(schemas.day, { description: 'The first day of the tariff' }),
  operations: Type.With(Type.Array(Type.Object({ description: text, amount: rubles })), {
    description: 'What moves at once: below zero is charged, above zero given back',
  }),
  balance: Type.With(rubles, { description: 'After that' }),
  access: Type.Enum(['open', 'garden', 'closed']),
  ...billMembers,
})

/** The first day of the month after this one: of a tariff that is planned. */
export const nextMonthBegins = ({ settings, clock }: Pick<BillParts, 'settings' | 'clock'>): { day: Day; at: Date } => {
  const zone = settings.get('TIME_ZONE')
  const day = firstDay(nextMonth(monthOf(dayOf(clock.now(), zone))))
  return { day, at: startOfDay(day, zone) }
}

/** The bill after a change at once, by the decision that the account would make, and after one that is planned. */
export async function previewWays(parts: PreviewParts, id: SubscriberId, tariff: FoundTariff) {
  const prospect = await parts.subscribers.tariffProspect(id, tariff.id)
  if (!prospect) return null
  const { account, subscriber } = prospect.status
  const begins = nextMonthBegins(parts)
  const [now, later] = await Promise.all([
    wayNow(parts, prospect, tariff),
    wayOf(parts, account, subscriber, begins.day, [], {
      ...supposedOf(tariff, subscriber),
      planned: begins.at,
    }),
  ])
  return { now, later }
}

async function wayNow(parts: PreviewParts, { status, decision }: TariffProspect, tariff: FoundTariff) {
  if (decision.kind !== 'accepted') return null
  const { after, operations } = decision.change
  const subscriber = after.subscribers.find(({ id }) => id === status.subscriber.id)!
  const day = dayOf(parts.clock.now(), parts.settings.get('TIME_ZONE'))
  return wayOf(parts, after, subscriber, day, operations, supposedOf(tariff, subscriber))
}

const supposedOf = ({ name, price, pricedFrom }: FoundTariff, subscriber: Subscriber): SupposedTariff => ({
  subscriberId: subscriber.id,
  name,
  price,
  pricedFrom,
  planned: null,
  chargedFrom: subscriber.chargedFrom,
})

async function wayOf(
  parts: PreviewParts,
  account: Account,
  subscriber: Subscriber,
  from: Day,
  operations: readonly Operation[],
  tariff: SupposedTariff,
) {
  return {
    from,
    operations: operations
      .filter(({ amount }) => amount !== 0n)
      .map(({ description, amount }) => ({ description, amount: formatRubles(amount) })),
    balance: formatRubles(account.balance),
    access: reachOf(account, subscriber, parts.clock.now()),
    ...shownBill(await readBill(parts, account, subscriber, { tariff })),
  }
}
