import { type Account, isChargeable, type Subscriber } from '../../domain/account.ts'
import { dayOf, lastDay, monthOf } from '../../domain/calendar.ts'
import { chargeText } from '../../domain/charge-words.ts'
import { settlementOf, type TariffSettlement } from '../../domain/charges.ts'
import { latest } from '../../domain/moments.ts'
import { type Money, negated, zero } from '../../domain/money.ts'
import { operationTypes } from '../../domain/operation.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { type DecisionContext, nothingPosted, type Posted, post } from './postings.ts'
import type { ChangeExtras } from './account-change.ts'
import type { AccountCommand, TariffPlan } from './messages.ts'
import { withSubscriber } from './promise-decisions.ts'
import type { UseEnd } from './uses.ts'

export type Tariff = {
  readonly name: string
  readonly price: Money
  readonly walledGarden: boolean
  readonly vlan: number | null
}

/** The tables' facts about a change of tariff. A tariff is null when there is none, or none with that id. */
export type TariffFacts = {
  readonly from: Tariff | null
  readonly to: Tariff | null
  readonly charged: TariffSettlement['charged']
}

/**
 * Posts a remark to the history and, where the month or the day has been charged, the difference in price for the rest
 * of it (contract section 5). Null: the sums would no longer fit.
 */
export function changeTariff(
  account: Account,
  subscriber: Subscriber,
  { tariffId, since }: Pick<Extract<AccountCommand, { kind: 'changeTariff' }>, 'tariffId' | 'since'>,
  { from, to, charged }: TariffFacts,
  timeZone: string,
  context: DecisionContext,
): { readonly posted: Posted; readonly usesEnded: readonly UseEnd[] } | null {
  const [oldPrice, newPrice] = [from?.price ?? zero, to?.price ?? zero]
  // What has not been charged yet, or had nothing to be paid for, is charged with each tariff for its own days.
  const begins = charged === 'nothing' || oldPrice <= 0n
  const at = since ?? context.now
  const chargedFrom = begins ? latest(at, subscriber.chargedFrom) : subscriber.chargedFrom
  const usesEnded =
    begins && isChargeable(account, subscriber, context.now) ? [{ subscriberId: subscriber.id, at }] : []
  const walledGarden = to?.walledGarden ?? false
  const changed = withSubscriber(account, { ...subscriber, tariffId, walledGarden, chargedFrom })
  const remarked = post(
    nothingPosted(changed),
    {
      subscriberId: subscriber.id,
      typeId: operationTypes.tariffChange,
      amount: zero,
      description: `Смена тарифа: ${from?.name ?? 'нет'} → ${to?.name ?? 'нет'}`,
      details: { isAccounting: false },
    },
    context,
  )
  const day = dayOf(context.now, timeZone)
  const due = settlementOf({ oldPrice, newPrice, day, charged })
  if (!remarked) return null
  if (due === zero) return { posted: remarked, usesEnded }
  const posted = post(
    remarked,
    {
      subscriberId: subscriber.id,
      typeId: due > 0n ? operationTypes.tariffCharge : operationTypes.recalculation,
      amount: negated(due),
      description: chargeText.recalculation(to?.name ?? from?.name ?? '', {
        from: day,
        to: charged === 'month' ? lastDay(monthOf(day)) : day,
      }),
    },
    context,
  )
  return posted && { posted, usesEnded }
}

/** Why a subscriber cannot be given a tariff, whatever the tariff is; null: nothing stands in the way. */
export const tariffObstacle = (
  { deleted, tariffId }: Pick<Subscriber, 'deleted' | 'tariffId'>,
  wanted: number,
): 'deleted' | 'tariffSame' | null => (deleted ? 'deleted' : tariffId === wanted ? 'tariffSame' : null)

export const isSamePlan = (a: TariffPlan | null, b: TariffPlan | null): boolean =>
  a?.tariffId === b?.tariffId && a?.from.getTime() === b?.from.getTime()

/** What a change of the plan writes besides the account: the plan itself, and who changed it. */
export const planExtras = (
  subscriberId: SubscriberId,
  was: TariffPlan | null,
  is: TariffPlan | null,
): Required<Pick<ChangeExtras, 'plan' | 'audits'>> => ({
  plan: { subscriberId, is },
  audits: [
    {
      table: 'ABONENTS',
      objectId: subscriberId,
      action: 'change',
      diff: {
        next_tarif: [was?.tariffId ?? null, is?.tariffId ?? null],
        next_tarif_date: [was?.from.toISOString() ?? null, is?.from.toISOString() ?? null],
      },
    },
  ],
})
