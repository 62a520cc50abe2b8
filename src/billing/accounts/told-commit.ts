import { type Account, type Subscriber, subscribersById } from '../../domain/account.ts'
import { type Blocks, blockBits, blockReasons, blocksToBits } from '../../domain/block.ts'
import { moneyFromUnits } from '../../domain/money.ts'
import type { AccountChange } from './account-change.ts'

/**
 * A commit as the other nodes are told of it: the operations that it posted, and what the account was before, as far as
 * that differs from what came of it. Money is in units as text, moments are ISO 8601.
 */
export type ToldCommit = {
  /** Before the commit. */
  readonly version: number
  readonly operations: readonly number[]
} & FormerFields

type FormerFields = Partial<{
  readonly balance: string
  readonly receipts: string
  readonly limit: string
  readonly unlimited: boolean
  readonly unlimitedUntil: string | null
  readonly sleepUntil: string | null
  /** The subscribers by id; null stands for one who joined the account by this commit. */
  readonly subscribers: Readonly<Record<string, FormerSubscriber | null>>
}>

type FormerSubscriber = Partial<{
  /** The bits of the blocks, as in the access table. */
  readonly blocks: number
  readonly enabled: boolean
  readonly deleted: boolean
  readonly tariffId: number | null
  readonly promiseUntil: string | null
}>

export function toldCommit({
  before,
  after,
  operations,
}: Pick<AccountChange, 'before' | 'after' | 'operations'>): ToldCommit {
  const subscribers = after.subscribers === before.subscribers ? null : formerSubscribers(before, after)
  return {
    version: before.version,
    operations: operations.map(({ id }) => id),
    ...(before.balance !== after.balance && { balance: String(before.balance) }),
    ...(before.receipts !== after.receipts && { receipts: String(before.receipts) }),
    ...(before.limit !== after.limit && { limit: String(before.limit) }),
    ...(before.unlimited !== after.unlimited && { unlimited: before.unlimited }),
    ...(differ(before.unlimitedUntil, after.unlimitedUntil) && { unlimitedUntil: iso(before.unlimitedUntil) }),
    ...(differ(before.sleepUntil, after.sleepUntil) && { sleepUntil: iso(before.sleepUntil) }),
    ...(subscribers && { subscribers }),
  }
}

function formerSubscribers(before: Account, after: Account): FormerFields['subscribers'] | null {
  const earlier = subscribersById(before)
  const entries = after.subscribers.flatMap((is): [string, FormerSubscriber | null][] => {
    const was = earlier.get(is.id)
    if (!was) return [[String(is.id), null]]
    const former = was === is ? {} : formerSubscriber(was, is)
    return Object.keys(former).length > 0 ? [[String(is.id), former]] : []
  })
  return entries.length > 0 ? Object.fromEntries(entries) : null
}

const formerSubscriber = (was: Subscriber, is: Subscriber): FormerSubscriber => ({
  ...(blocksToBits(was.blocks) !== blocksToBits(is.blocks) && { blocks: blocksToBits(was.blocks) }),
  ...(was.enabled !== is.enabled && { enabled: was.enabled }),
  ...(was.deleted !== is.deleted && { deleted: was.deleted }),
  ...(was.tariffId !== is.tariffId && { tariffId: was.tariffId }),
  ...(differ(promiseEnd(was), promiseEnd(is)) && { promiseUntil: iso(promiseEnd(was)) }),
})

/** What two commits in a row have changed together. */
export function combined(earlier: ToldCommit, later: ToldCommit): ToldCommit {
  const subscribers = { ...later.subscribers }
  for (const [id, former] of Object.entries(earlier.subscribers ?? {}))
    subscribers[id] = former && { ...subscribers[id], ...former }
  return {
    ...later,
    ...earlier,
    operations: [...earlier.operations, ...later.operations],
    ...(Object.keys(subscribers).length > 0 && { subscribers }),
  }
}

/** The account before the commit, in everything that a follower of commits looks at. */
export const accountBefore = (after: Account, former: ToldCommit): Account => ({
  ...after,
  version: former.version,
  ...(former.balance !== undefined && { balance: moneyFromUnits(former.balance) }),
  ...(former.receipts !== undefined && { receipts: moneyFromUnits(former.receipts) }),
  ...(former.limit !== undefined && { limit: moneyFromUnits(former.limit) }),
  ...(former.unlimited !== undefined && { unlimited: former.unlimited }),
  ...(former.unlimitedUntil !== undefined && { unlimitedUntil: momentOf(former.unlimitedUntil) }),
  ...(former.sleepUntil !== undefined && { sleepUntil: momentOf(former.sleepUntil) }),
  ...(former.subscribers && { subscribers: subscribersBefore(after, former.subscribers) }),
})

function subscribersBefore(after: Account, formers: NonNullable<FormerFields['subscribers']>): Subscriber[] {
  return after.subscribers.flatMap((is) => {
    const former = formers[is.id]
    if (former === null) return []
    return former ? [subscriberBefore(is, former)] : [is]
  })
}

const subscriberBefore = (is: Subscriber, former: FormerSubscriber): Subscriber => ({
  ...is,
  ...(former.blocks !== undefined && { blocks: blocksFromBits(former.blocks) }),
  ...(former.enabled !== undefined && { enabled: former.enabled }),
  ...(former.deleted !== undefined && { deleted: former.deleted }),
  ...(former.tariffId !== undefined && { tariffId: former.tariffId }),
  ...(former.promiseUntil !== undefined && { promise: promiseBefore(is, former.promiseUntil) }),
})

/** Other nodes are told only of the end of a promise payment; the other members have any value. */
const promiseBefore = ({ promise }: Subscriber, until: string | null): Subscriber['promise'] =>
  until === null
    ? null
    : { linkId: null, uslugaId: 0, limit: moneyFromUnits(0n), operationId: null, ...promise, until: new Date(until) }

const blocksFromBits = (bits: number): Blocks =>
  Object.fromEntries(blockReasons.map((reason) => [reason, (bits & blockBits[reason]) !== 0])) as Blocks

const promiseEnd = ({ promise }: Subscriber): Date | null => promise?.until ?? null
const differ = (a: Date | null, b: Date | null): boolean => a?.getTime() !== b?.getTime()
const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null
const momentOf = (text: string | null): Date | null => (text === null ? null : new Date(text))
