import { type Account, isChargeable, subscribersById } from '../../domain/account.ts'
import type { SubscriberId } from '../../domain/ids.ts'

/** A subscriber stops using what they had, or has another tariff from now on: what was used is charged as it was. */
export type UseEnd = { readonly subscriberId: SubscriberId; readonly at: Date }

/**
 * SQL: the moments of which the latest is when the present use of a subscriber began. It begins again after a freeze,
 * after a return from a block or a deletion, and with a tariff that nothing has been charged for.
 */
export const subscriberBegins = 'abonent.create_date, abonent.charged_from, account.sleep_date'

/** Those who were to be charged before the change and are not after it. */
export function usesEnded(before: Account, after: Account, now: Date): readonly UseEnd[] {
  if (after.subscribers === before.subscribers && after.sleepUntil === before.sleepUntil) return []
  const present = subscribersById(after)
  return before.subscribers.flatMap((was) => {
    const is = present.get(was.id)
    return is && isChargeable(before, was, now) && !isChargeable(after, is, now)
      ? [{ subscriberId: was.id, at: now }]
      : []
  })
}
