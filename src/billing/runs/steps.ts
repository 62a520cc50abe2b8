import { type AccountOutcome, accountRefusalText, type TariffPlan } from '../accounts/messages.ts'
import type { SubscriberActors } from '../accounts/subscribers.ts'
import { isSamePlan, tariffObstacle } from '../accounts/tariff-decision.ts'
import { activateAsOperator, usualTerms } from '../promises/operator-promise.ts'
import type { StepOutcome, SubscriberStep } from './subscribers-run.ts'

type Actors = Pick<SubscriberActors, 'ask' | 'status'>

/** Sets the operator's block, or lifts it. Whoever is so already is left as they are. */
export const blockStep =
  (actors: Actors, on: boolean): SubscriberStep =>
  async (subscriberId, author) => {
    const known = await actors.status(subscriberId)
    if (known?.subscriber.blocks.operator === on) return 'same'
    return outcomeOf(await actors.ask({ kind: 'setBlock', subscriberId, reason: 'operator', on }, author))
  }

/** A tariff at once, or from a moment on. */
export type TariffOrder = { readonly tariffId: number; readonly from: Date | null }

/** Changes the tariff, or plans the change; either takes the place of what was planned. */
export const tariffStep =
  (actors: Actors & Pick<SubscriberActors, 'tariffPlan'>, { tariffId, from }: TariffOrder): SubscriberStep =>
  async (subscriberId, author) => {
    const known = await actors.status(subscriberId)
    const obstacle = known && tariffObstacle(known.subscriber, tariffId)
    if (obstacle === 'deleted') return { reason: deletedText }
    if (obstacle === 'tariffSame') return 'same'
    if (from === null)
      return outcomeOf(await actors.ask({ kind: 'changeTariff', subscriberId, tariffId, dropsPlan: true }, author))
    const plan: TariffPlan = { tariffId, from }
    if (isSamePlan(await actors.tariffPlan(subscriberId), plan)) return 'same'
    return outcomeOf(await actors.ask({ kind: 'planTariff', subscriberId, plan }, author))
  }

/** Activates an operator's promise payment on the usual terms. */
export const promiseStep =
  (actors: Pick<SubscriberActors, 'ask'>): SubscriberStep =>
  async (subscriberId, author) =>
    outcomeOf(await activateAsOperator(actors, subscriberId, usualTerms, author))

export const deletedText = 'The subscriber is deleted.'

const outcomeOf = (outcome: AccountOutcome): StepOutcome =>
  outcome.kind === 'refused' ? { reason: accountRefusalText[outcome.reason] } : 'changed'
