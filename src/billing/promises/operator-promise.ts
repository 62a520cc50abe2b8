import type { Author } from '../../domain/author.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import type { AccountOutcome } from '../accounts/messages.ts'
import type { SubscriberActors } from '../accounts/subscribers.ts'
import type { PromiseTerms } from './promise-request.ts'

/** The terms of the settings. */
export const usualTerms: PromiseTerms = { limit: null, until: null }

/** Activates a promise payment as an operator does, for one subscriber or for one of many: with the operator's fee. */
export const activateAsOperator = (
  subscribers: Pick<SubscriberActors, 'ask'>,
  subscriberId: SubscriberId,
  terms: PromiseTerms,
  author: Author,
  keys: readonly string[] = [],
): Promise<AccountOutcome> =>
  subscribers.ask({ kind: 'activatePromise', subscriberId, path: 'operator', ...terms, keys }, author)
