import fc from 'fast-check'
import t from 'tap'
import { accountBefore, combined, toldCommit } from '../../../src/billing/accounts/told-commit.ts'
import type { Account, Subscriber } from '../../../src/domain/account.ts'
import { operationId, subscriberId } from '../../../src/domain/ids.ts'
import type { Money } from '../../../src/domain/money.ts'
import { noticesOf } from '../../../src/live/topics.ts'
import { anAccount, aSubscriber } from '../../support/account.ts'

const money = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).map((units) => units as Money)
const moment = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
const maybe = fc.option(moment, { nil: null })
const flags = fc.record(
  { debt: fc.boolean(), operator: fc.boolean(), client: fc.boolean(), system: fc.boolean() },
  { noNullPrototype: true },
)
const promise = moment.map((until) => ({
  linkId: 1,
  uslugaId: 30353,
  limit: 10n as Money,
  until,
  operationId: operationId(5),
}))

const subscriber = fc
  .record({
    id: fc.integer({ min: 1, max: 4 }).map(subscriberId),
    blocks: flags,
    enabled: fc.boolean(),
    deleted: fc.boolean(),
    tariffId: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
    promise: fc.option(promise, { nil: null }),
  })
  .map((fields) => aSubscriber(fields))

const state = fc
  .record({
    balance: money,
    receipts: money,
    limit: money,
    unlimited: fc.boolean(),
    unlimitedUntil: maybe,
    sleepUntil: maybe,
    subscribers: fc.uniqueArray(subscriber, { selector: ({ id }) => id, maxLength: 4 }),
  })
  .map((fields) => anAccount(fields))

/** What anybody who follows an account can see of it. A subscriber who has left is not told of. */
const seen = (account: Account, present: readonly Subscriber[]) => ({
  ...account,
  chain: null,
  lastOperationId: null,
  subscribers: present
    .map(({ id }) => account.subscribers.find((one) => one.id === id))
    .filter((one) => one !== undefined)
    .map(({ id, blocks, enabled, deleted, tariffId, promise }) => {
      return { id, blocks, enabled, deleted, tariffId, until: promise?.until ?? null }
    }),
})

const withVersion = (account: Account, version: number): Account => ({ ...account, version })
const through = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

t.test('another node sees a commit as the node that has decided it', (t) => {
  fc.assert(
    fc.property(state, state, moment, (was, is, at) => {
      const before = withVersion(was, 7)
      const after = withVersion(is, 8)
      const restored = accountBefore(after, through(toldCommit({ before, after, operations: [] })))
      t.strictSame(seen(restored, after.subscribers), seen(before, after.subscribers))
      const event = { kind: 'accountCommitted', at, after, operations: [], effects: [] } as const
      t.strictSame(noticesOf({ ...event, before: restored }), noticesOf({ ...event, before }))
    }),
    { numRuns: 60 },
  )
  t.end()
})

t.test('two commits in a row are told as one', (t) => {
  fc.assert(
    fc.property(state, state, state, (first, second, third) => {
      const [one, two, three] = [withVersion(first, 1), withVersion(second, 2), withVersion(third, 3)]
      const told = combined(
        through(toldCommit({ before: one!, after: two!, operations: [] })),
        through(toldCommit({ before: two!, after: three!, operations: [] })),
      )
      const restored = accountBefore(three!, told)
      // One who has left and come back is told of as one who has come.
      const stayed = three!.subscribers.filter(({ id }) => two!.subscribers.some((one) => one.id === id))
      t.strictSame(seen(restored, stayed), seen(one!, stayed))
    }),
    { numRuns: 60 },
  )
  t.end()
})
