import t from 'tap'
import type { AccountChange } from '../../../src/billing/accounts/account-change.ts'
import { decide, type Known } from '../../../src/billing/accounts/decision.ts'
import type { AccountCommand } from '../../../src/billing/accounts/messages.ts'
import { usualPolicy } from '../../../src/billing/accounts/policy.ts'
import type { Account } from '../../../src/domain/account.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { noBlocks } from '../../../src/domain/block.ts'
import { operationId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { operationTypes } from '../../../src/domain/operation.ts'
import { anAccount, aSubscriber } from '../../support/account.ts'

const now = new Date('2026-11-21T12:00:00Z')
const hour = 3_600_000
let nextId = 500
const context = {
  now,
  author: systemAuthor('test'),
  newOperationId: () => operationId(nextId++),
  newLinkId: () => 77,
}

const run = (account: Account, command: AccountCommand, known: Partial<Known> = {}) =>
  decide(account, command, { operation: null, ...known }, context, usualPolicy)

function change(decision: ReturnType<typeof run>): AccountChange {
  if (decision.kind !== 'accepted') throw new Error(`expected an accepted decision, got ${JSON.stringify(decision)}`)
  return decision.change
}

const aTariff = (name: string, price: number) => ({ name, price: rubles(price), walledGarden: false, vlan: null })

t.test('who is away is charged for what they used before, and for nothing else', async (t) => {
  const charge = (over: { isOfEndedUse?: true; chargedFrom?: Date | null }): AccountCommand => ({
    kind: 'charge',
    subscriberId: subscriberId(10),
    typeId: operationTypes.tariffCharge,
    amount: rubles(30),
    movedAt: null,
    description: '',
    details: {},
    key: 'charge:10:tariff:2026-11',
    ...over,
  })
  const withOne = (over: Parameters<typeof aSubscriber>[0]) => anAccount({ subscribers: [aSubscriber(over)] })
  const away = withOne({ blocks: { ...noBlocks, client: true }, enabled: false })
  const frozen = anAccount({ sleepUntil: new Date(now.getTime() + hour) })
  const deleted = withOne({ deleted: true })
  for (const account of [away, frozen, deleted])
    t.same(run(account, charge({})), { kind: 'refused', reason: 'notChargeable' })
  for (const account of [away, frozen])
    t.equal(change(run(account, charge({ isOfEndedUse: true }))).after.balance, rubles(70))
  t.same(run(deleted, charge({ isOfEndedUse: true })), { kind: 'refused', reason: 'notChargeable' })
  const back = withOne({ chargedFrom: now })
  t.same(run(back, charge({ chargedFrom: null })), { kind: 'refused', reason: 'useChanged' })
  t.equal(change(run(back, charge({ chargedFrom: new Date(now) }))).after.balance, rubles(70))
})

t.test('a use ends when somebody goes away, and with a tariff that nothing has been charged for', async (t) => {
  const ends = (account: Account, command: AccountCommand, known: Partial<Known> = {}) =>
    change(run(account, command, known)).usesEnded
  const id = subscriberId(10)
  const end = [{ subscriberId: id, at: now }]
  const block = (on: boolean) => ({ kind: 'setBlock', subscriberId: id, reason: 'client', on }) as const
  const away = change(run(anAccount(), block(true))).after
  t.same(ends(anAccount(), block(true)), end)
  t.same(ends(away, block(false)), [])
  t.same(ends(anAccount(), { ...block(true), reason: 'operator' }), [])
  t.same(ends(anAccount(), { kind: 'setDeleted', subscriberId: id, deleted: true }), end)
  t.same(ends(away, { kind: 'setDeleted', subscriberId: id, deleted: true }), [])
  const sleep = (sleepUntil: Date | null) => ({ kind: 'setTerms', terms: { sleepUntil } }) as const
  t.same(ends(anAccount(), sleep(new Date(now.getTime() + hour))), end)
  const tariff = (charged: 'month' | 'nothing') => ({
    tariff: { from: aTariff('Home', 600), to: aTariff('Fast', 900), charged },
  })
  const other = { kind: 'changeTariff', subscriberId: id, tariffId: 2 } as const
  t.same(ends(anAccount(), other, tariff('nothing')), end)
  t.same(ends(anAccount(), other, tariff('month')), [])
  t.same(ends(away, other, tariff('nothing')), [])
  const since = new Date(now.getTime() - hour)
  t.same(ends(anAccount(), { ...other, since }, tariff('nothing')), [{ subscriberId: id, at: since }])
})

t.test('a freeze whose date has passed still counts when the date goes', async (t) => {
  const past = new Date(now.getTime() - hour)
  const chargedFrom = (account: Account, sleepUntil: Date | null) =>
    change(run(account, { kind: 'setTerms', terms: { sleepUntil } })).after.subscribers[0]!.chargedFrom
  t.same(chargedFrom(anAccount({ sleepUntil: past }), null), past)
  t.same(chargedFrom(anAccount({ sleepUntil: past }), new Date(now.getTime() + hour)), past)
  const back = anAccount({ sleepUntil: past, subscribers: [aSubscriber({ chargedFrom: now })] })
  t.same(chargedFrom(back, null), now, 'who came back later is charged from then')
})
