import t from 'tap'
import type { AccountChange } from '../../../src/billing/accounts/account-change.ts'
import { type Decision, decide, decideMove } from '../../../src/billing/accounts/decision.ts'
import type { AccountCommand } from '../../../src/billing/accounts/messages.ts'
import { usualPolicy } from '../../../src/billing/accounts/policy.ts'
import type { Account } from '../../../src/domain/account.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { noBlocks } from '../../../src/domain/block.ts'
import type { Effect } from '../../../src/domain/effects.ts'
import { accountId, loginId, operationId, subscriberId } from '../../../src/domain/ids.ts'
import { type Money, moneyMax, rubles, zero } from '../../../src/domain/money.ts'
import { type Operation, operationTypes } from '../../../src/domain/operation.ts'
import { aLogin, anAccount, aSubscriber } from '../../support/account.ts'

const now = new Date('2026-11-21T12:00:00Z')
const hour = 3_600_000
let nextId = 500
const context = {
  now,
  author: systemAuthor('test'),
  newOperationId: () => operationId(nextId++),
  newLinkId: () => 77,
}

const post = (
  amount: Money,
  sign: 1 | -1 | 0,
  over: Partial<Extract<AccountCommand, { kind: 'post' }>> = {},
): AccountCommand => ({
  kind: 'post',
  typeId: sign < 0 ? operationTypes.manualExpense : operationTypes.manualReceipt,
  sign,
  amount,
  subscriberId: null,
  movedAt: null,
  description: '',
  details: {},
  keys: [],
  ...over,
})

const run = (account: Account, command: AccountCommand, operation: Operation | null = null) =>
  decide(account, command, { operation }, context, usualPolicy)

function change(decision: Decision): AccountChange {
  if (decision.kind !== 'accepted') throw new Error(`expected an accepted decision, got ${JSON.stringify(decision)}`)
  return decision.change
}

const cuts = (effects: readonly Effect[]) => effects.filter(({ kind }) => kind === 'disconnect')

const inDebtAccount = () => change(run(anAccount(), post(rubles(150), -1))).after

t.test('a receipt grows balance and receipts, an expense balance and write-offs', async (t) => {
  const received = change(run(anAccount(), post(rubles(50), 1))).after
  t.strictSame([received.balance, received.receipts, received.writeOffs], [rubles(150), rubles(150), zero])
  const spent = change(run(anAccount(), post(rubles(30), -1))).after
  t.strictSame([spent.balance, spent.receipts, spent.writeOffs], [rubles(70), rubles(100), rubles(30)])
})

t.test('the sign of the type wins over the sign of the amount', async (t) => {
  t.equal(change(run(anAccount(), post(rubles(-30), -1))).operation?.amount, rubles(-30))
  t.equal(change(run(anAccount(), post(rubles(30), -1))).operation?.amount, rubles(-30))
  t.equal(change(run(anAccount(), post(rubles(-30), 1))).operation?.amount, rubles(30))
})

t.test('an informational operation moves no money', async (t) => {
  const { after, operation } = change(run(anAccount(), post(rubles(5), 0)))
  t.equal(after.balance, rubles(100))
  t.equal(operation?.amount, zero)
})

t.test('an operation keeps the account as it was before', async (t) => {
  const { operation } = change(run(anAccount(), post(rubles(30), -1)))
  t.equal(operation?.snapshot.balance, rubles(100))
  t.equal(operation?.snapshot.writeOffs, zero)
})

t.test('an expense below the limit blocks, closes every login and cuts the sessions, all in one change', async (t) => {
  const { after, audits, effects } = change(run(anAccount(), post(rubles(150), -1)))
  const [subscriber] = after.subscribers
  t.same(subscriber?.blocks, { ...noBlocks, debt: true })
  t.equal(subscriber?.enabled, false)
  t.equal(subscriber?.hasBlockRecord, true)
  t.equal(subscriber?.logins[0]?.enabled, false)
  t.strictSame(effects, [{ kind: 'disconnect', subscriberId: subscriberId(10), logins: ['ivan'] }])
  t.strictSame(
    audits.map(({ table, action }) => `${table} ${action}`),
    ['FINANCE_OPERATIONS create', 'ADMIN_ACCOUNTS operation', 'ABONENTS_BLOCK block'],
  )
})

t.test('a balance at the limit is not a debt', async (t) => {
  t.equal(change(run(anAccount(), post(rubles(100), -1))).after.subscribers[0]?.enabled, true)
  t.equal(change(run(anAccount({ limit: rubles(10) }), post(rubles(91), -1))).after.subscribers[0]?.enabled, false)
})

t.test('a receipt that covers the debt lifts the block and needs no disconnect', async (t) => {
  const { after, effects } = change(run(inDebtAccount(), post(rubles(50), 1)))
  const [subscriber] = after.subscribers
  t.same(subscriber?.blocks, noBlocks)
  t.equal(subscriber?.enabled, true)
  t.equal(subscriber?.hasBlockRecord, false)
  t.equal(subscriber?.logins[0]?.enabled, true)
  t.strictSame(cuts(effects), [])
})

t.test('another flag keeps access closed when the debt is paid', async (t) => {
  const blocked = change(
    run(inDebtAccount(), { kind: 'setBlock', subscriberId: subscriberId(10), reason: 'operator', on: true }),
  ).after
  const paid = change(run(blocked, post(rubles(50), 1))).after
  t.same(paid.subscribers[0]?.blocks, { ...noBlocks, operator: true })
  t.equal(paid.subscribers[0]?.enabled, false)
})

t.test('a login that was disabled by hand stays so when the block is lifted', async (t) => {
  const off = change(run(anAccount(), { kind: 'setLogin', loginId: loginId(100), enabled: false }))
  t.strictSame(off.effects, [{ kind: 'disconnect', subscriberId: subscriberId(10), logins: ['ivan'] }])
  const blocked = change(run(off.after, post(rubles(150), -1))).after
  const paid = change(run(blocked, post(rubles(150), 1))).after
  t.equal(paid.subscribers[0]?.enabled, true)
  t.equal(paid.subscribers[0]?.logins[0]?.enabled, false)
})

t.test('an unlimited account is never in debt until its end', async (t) => {
  const until = new Date(now.getTime() + hour)
  const unlimited = anAccount({ unlimited: true, unlimitedUntil: until })
  const spent = change(run(unlimited, post(rubles(500), -1))).after
  t.equal(spent.subscribers[0]?.enabled, true)
  const later = decide(spent, { kind: 'sweep' }, { operation: null }, { ...context, now: until }, usualPolicy)
  t.equal(change(later).after.subscribers[0]?.enabled, false)
})

t.test('freezing closes access and cuts sessions, without a flag', async (t) => {
  const sleepUntil = new Date(now.getTime() + hour)
  const { after, effects } = change(run(anAccount(), { kind: 'setTerms', terms: { sleepUntil } }))
  t.equal(effects.length, 1)
  t.equal(after.subscribers[0]?.enabled, true)
  t.equal(run(after, { kind: 'setTerms', terms: { sleepUntil } }).kind, 'unchanged')
})

t.test('a change of LIMIT is judged at once', async (t) => {
  const { after, audits } = change(run(anAccount(), { kind: 'setTerms', terms: { limit: rubles(101) } }))
  t.equal(after.subscribers[0]?.enabled, false)
  t.same(audits[0]?.diff, { limit: ['0.00', '101.00'] })
})

t.test('a change of a term smaller than a kopeck is a change', async (t) => {
  const { after } = change(run(anAccount(), { kind: 'setTerms', terms: { limit: 17n as Money } }))
  t.equal(after.limit, 17n)
})

t.test('in the walled garden a debtor is cut on the way in and again on the way out', async (t) => {
  const garden = anAccount({ subscribers: [aSubscriber({ walledGarden: true })] })
  const entered = change(run(garden, post(rubles(150), -1)))
  t.equal(entered.effects.length, 1)
  const left = change(run(entered.after, post(rubles(150), 1)))
  t.equal(cuts(left.effects).length, 1)
  const closed = change(
    run(entered.after, { kind: 'setBlock', subscriberId: subscriberId(10), reason: 'operator', on: true }),
  )
  t.equal(closed.effects.length, 1, 'b_admin closes the garden too')
})

t.test('every subscriber of the account is blocked, a deleted one is left alone', async (t) => {
  const account = anAccount({
    subscribers: [
      aSubscriber(),
      aSubscriber({ id: subscriberId(11), logins: [aLogin({ id: loginId(101), name: 'petr' })] }),
      aSubscriber({ id: subscriberId(12), deleted: true, logins: [] }),
    ],
  })
  const { after } = change(run(account, post(rubles(150), -1)))
  t.strictSame(
    after.subscribers.map(({ blocks }) => blocks.debt),
    [true, true, false],
  )
})

t.test('a sweep of an account in order changes nothing', async (t) => {
  t.equal(run(anAccount(), { kind: 'sweep' }).kind, 'unchanged')
  t.equal(run(inDebtAccount(), { kind: 'sweep' }).kind, 'unchanged')
})

t.test('a sweep repairs switches that disagree with the flags', async (t) => {
  const cases = {
    'a block record with enabled': aSubscriber({ hasBlockRecord: true, blocks: { ...noBlocks, operator: true } }),
    'disabled without a record': aSubscriber({ enabled: false }),
    'a record without a flag': aSubscriber({ hasBlockRecord: true }),
    'a login closed though the subscriber is open': aSubscriber({ logins: [aLogin({ enabled: false })] }),
  }
  for (const [name, subscriber] of Object.entries(cases)) {
    const { after, audits } = change(run(anAccount({ subscribers: [subscriber] }), { kind: 'sweep' }))
    const [repaired] = after.subscribers
    t.equal(repaired?.enabled, repaired?.hasBlockRecord === false, name)
    t.equal(repaired?.logins[0]?.enabled, repaired?.enabled, name)
    t.equal(audits[0]?.action, 'repair', name)
  }
})

t.test('a block somebody wrote beside the ledger cuts the session it left open', async (t) => {
  const blocks = { ...noBlocks, operator: true }
  const account = anAccount({ subscribers: [aSubscriber({ blocks, hasBlockRecord: true })] })
  const { after, effects } = change(run(account, { kind: 'sweep' }))
  t.equal(after.subscribers[0]?.enabled, false)
  t.match(effects, [{ kind: 'disconnect', logins: ['ivan'] }])
})

t.test('a login that came to a blocked subscriber is cut, and no other of his', async (t) => {
  const [blocked] = inDebtAccount().subscribers
  const moved = aLogin({ id: loginId(101), name: 'moved' })
  const account = { ...inDebtAccount(), subscribers: [{ ...blocked!, logins: [...blocked!.logins, moved] }] }
  const { after, effects } = change(run(account, { kind: 'sweep' }))
  t.same(
    after.subscribers[0]?.logins.map(({ enabled }) => enabled),
    [false, false],
  )
  t.match(effects, [{ kind: 'disconnect', logins: ['moved'] }])
  t.same(effects[0]?.kind === 'disconnect' && effects[0].logins, ['moved'])
  t.equal(run(after, { kind: 'sweep' }).kind, 'unchanged')
})

t.test('a login switched off by hand is cut in the walled garden too', async (t) => {
  const account = anAccount({
    balance: rubles(-1),
    writeOffs: rubles(101),
    subscribers: [aSubscriber({ walledGarden: true })],
  })
  const inGarden = change(run(account, { kind: 'sweep' })).after
  const { effects } = change(run(inGarden, { kind: 'setLogin', loginId: loginId(100), enabled: false }))
  t.match(effects, [{ kind: 'disconnect', logins: ['ivan'] }])
})

t.test('only the last operation is reversed, and once', async (t) => {
  const { after, operation } = change(run(anAccount(), post(rubles(150), -1)))
  const undone = change(run(after, { kind: 'reverse', operationId: null }, operation))
  t.equal(undone.after.balance, rubles(100))
  t.equal(undone.after.receipts, rubles(250), 'the amount goes to the other column')
  t.equal(undone.operation?.amount, rubles(150))
  t.equal(undone.operation?.reversalOf, operation?.id)
  t.equal(undone.after.subscribers[0]?.enabled, true)

  const older = { ...operation!, id: operationId(499) }
  t.same(run(after, { kind: 'reverse', operationId: older.id }, older), { kind: 'refused', reason: 'notLastOperation' })
  t.same(run(after, { kind: 'reverse', operationId: null }, { ...operation!, reversed: true }), {
    kind: 'refused',
    reason: 'alreadyReversed',
  })
  t.same(run(anAccount(), { kind: 'reverse', operationId: null }), { kind: 'refused', reason: 'nothingToReverse' })
  t.same(run(after, { kind: 'reverse', operationId: operationId(9) }), { kind: 'refused', reason: 'operationMissing' })
})

t.test('any operation is reversed for a reason, once, unless it was given back', async (t) => {
  const paid = change(run(anAccount(), post(rubles(150), 1, { subscriberId: subscriberId(10) })))
  const { after } = change(run(paid.after, post(rubles(40), -1)))
  const reverse = (operation: Operation | null, known: object = {}) =>
    decide(
      after,
      { kind: 'reverseAny', operationId: operationId(1), reason: 'another client', keys: ['k'] },
      { operation, ...known },
      context,
      usualPolicy,
    )
  const undone = change(reverse(paid.operation))
  t.equal(undone.after.balance, rubles(60))
  t.match(undone.operation, {
    amount: rubles(-150),
    typeId: paid.operation!.typeId,
    subscriberId: 10,
    reversalOf: paid.operation!.id,
    reversed: true,
    details: { adminComment: 'another client' },
  })
  t.equal(undone.operation!.link!.seq, paid.operation!.link!.seq + 2, 'in its place of the chain')
  t.same(undone.keys, ['k'])
  t.match(
    undone.audits.find(({ action }) => action === 'reverse'),
    { objectId: paid.operation!.id, diff: { reversal: undone.operation!.id, reason: 'another client' } },
  )
  t.match(
    undone.effects.find(({ kind }) => kind === 'refundReceipt'),
    { operationId: undone.operation!.id },
    'a receipt that was printed is given back',
  )
  const refused = (reason: string) => ({ kind: 'refused', reason })
  t.same(reverse(null), refused('operationMissing'))
  t.same(reverse({ ...paid.operation!, accountId: accountId(2) }), refused('operationMissing'))
  t.same(reverse({ ...paid.operation!, reversed: true }), refused('alreadyReversed'))
  t.same(reverse(paid.operation, { givenBackBy: operationId(7) }), refused('givenBack'))
})

t.test('deleting an operation leaves the balance', async (t) => {
  const { after, operation } = change(run(anAccount(), post(rubles(50), 1)))
  const removed = change(run(after, { kind: 'removeOperation', operationId: operation!.id }, operation))
  t.equal(removed.after.balance, rubles(150))
  t.equal(removed.removed?.id, operation!.id)
  t.equal(removed.audits[0]?.action, 'delete')
})

t.test('when the last operation is deleted the one before it is the last', async (t) => {
  const first = change(run(anAccount(), post(rubles(30), 1)))
  const { after } = change(
    decide(
      first.after,
      { kind: 'removeOperation', operationId: first.operation!.id },
      { operation: first.operation, previousId: operationId(400) },
      context,
      usualPolicy,
    ),
  )
  t.equal(after.lastOperationId, operationId(400))
  const older = change(
    run(
      first.after,
      { kind: 'removeOperation', operationId: operationId(400) },
      { ...first.operation!, id: operationId(400) },
    ),
  )
  t.equal(older.after.lastOperationId, first.operation!.id)
})

t.test('what cannot be stored is refused', async (t) => {
  const rich = anAccount({ balance: moneyMax, receipts: moneyMax })
  t.same(run(rich, post(rubles(1), 1)), { kind: 'refused', reason: 'amountOutOfRange' })
  t.same(run(anAccount(), post(rubles(1), 1, { subscriberId: subscriberId(99) })), {
    kind: 'refused',
    reason: 'subscriberNotOnAccount',
  })
  t.same(run(anAccount(), { kind: 'setLogin', loginId: loginId(9), enabled: true }), {
    kind: 'refused',
    reason: 'loginNotOnAccount',
  })
})

t.test('a subscriber who moves is judged by the new account', async (t) => {
  const poor = anAccount({ id: accountId(2), balance: rubles(-5), writeOffs: rubles(105), subscribers: [] })
  const move = decideMove(anAccount(), poor, subscriberId(10), context)
  t.strictSame(move?.from.after.subscribers, [])
  t.equal(move?.to.after.subscribers[0]?.enabled, false)
  t.equal(move?.to.effects.length, 1, 'the live session is cut')
  t.match(move?.to.audits, [
    { action: 'link' },
    { table: 'ABONENTS_BLOCK', action: 'block', objectId: subscriberId(10) },
  ])
  t.equal(decideMove(anAccount(), poor, subscriberId(99), context), null)
})

t.test('who leaves a frozen account is charged from that day on, as one whose freeze ends', async (t) => {
  const frozen = anAccount({ sleepUntil: new Date(now.getTime() + hour) })
  const other = (sleepUntil: Date | null) => anAccount({ id: accountId(2), sleepUntil, subscribers: [] })
  const from = (source: Account, target: Account) =>
    decideMove(source, target, subscriberId(10), context)?.to.after.subscribers[0]?.chargedFrom
  t.same(from(frozen, other(null)), now)
  t.equal(from(frozen, other(frozen.sleepUntil)), null, 'one freeze follows another')
  t.equal(from(anAccount(), other(null)), null)
})

t.test('a promise without its service row ends with its operation: the limit is not returned twice', async (t) => {
  const promise = {
    linkId: null,
    uslugaId: -4,
    limit: rubles(100),
    until: new Date(now.getTime() + hour),
    operationId: null,
  }
  const limit = { typeId: operationTypes.promise, subscriberId: subscriberId(10) }
  const credited = change(run(anAccount(), post(rubles(100), 1, limit)))
  const promised = { ...credited.after, subscribers: [aSubscriber({ promise })] }
  const undone = change(run(promised, { kind: 'reverse', operationId: null }, credited.operation))
  t.equal(undone.after.subscribers[0]?.promise, null)
  t.equal(undone.after.balance, rubles(100))
  const spent = change(run(promised, post(rubles(50), -1)))
  const other = change(run(spent.after, { kind: 'reverse', operationId: null }, spent.operation))
  t.ok(other.after.subscribers[0]?.promise, 'another operation does not end it')
})

t.test('reconnect cuts the sessions and changes nothing else', async (t) => {
  const { after, effects, audits } = change(run(anAccount(), { kind: 'disconnect', subscriberId: subscriberId(10) }))
  t.equal(effects.length, 1)
  t.equal(after.balance, rubles(100))
  t.equal(audits[0]?.action, 'reconnect')
})

t.test('below WARN the client is told once, and again after the balance has recovered', async (t) => {
  const warnings = ({ effects }: AccountChange) =>
    effects.filter((effect) => effect.kind === 'notify' && effect.template === 'low_balance')
  const low = change(run(anAccount({ warnBelow: rubles(60) }), post(rubles(50), -1)))
  t.match(warnings(low), [{ subscriberId: 10, values: { balance: '50.00', warn: '60.00' } }])
  t.equal(low.after.warnedAt, now)
  const lower = change(run(low.after, post(rubles(10), -1)))
  t.strictSame(warnings(lower), [])
  const recovered = change(run(lower.after, post(rubles(100), 1)))
  t.equal(recovered.after.warnedAt, null)
  t.equal(warnings(change(run(recovered.after, post(rubles(100), -1)))).length, 1)
  const reset = change(run(low.after, { kind: 'setTerms', terms: { warnedAt: null } }))
  t.equal(warnings(reset).length, 1, 'a date that was reset is told again')
})

t.test('a debt is as old as the operation that brought the balance below zero', async (t) => {
  const at = (hours: number) => ({ ...context, now: new Date(now.getTime() + hours * hour) })
  const turn = (account: Account, command: AccountCommand, hours: number, operation: Operation | null = null) =>
    change(decide(account, command, { operation }, at(hours), usualPolicy))
  const spent = turn(anAccount(), post(rubles(100), -1), 1)
  t.equal(spent.after.debtSince, null, 'zero is no debt')
  const fallen = turn(spent.after, post(rubles(1), -1, { movedAt: new Date(0) }), 2)
  t.same(fallen.after.debtSince, at(2).now, 'by when it was recorded')
  const deeper = turn(fallen.after, post(rubles(5), -1), 3)
  t.same(deeper.after.debtSince, at(2).now)
  t.same(turn(deeper.after, post(rubles(3), 1), 4).after.debtSince, at(2).now, 'a part of it was paid')
  const removed = turn(
    deeper.after,
    { kind: 'removeOperation', operationId: fallen.operation!.id },
    4,
    fallen.operation,
  )
  t.same(removed.after.debtSince, at(2).now, 'a record that goes leaves the balance')
  t.equal(turn(removed.after, post(rubles(6), 1), 5).after.debtSince, null)
  const limited = turn(spent.after, { kind: 'setTerms', terms: { limit: rubles(-500), unlimited: true } }, 4)
  t.same(turn(limited.after, post(rubles(1), -1), 5).after.debtSince, at(5).now, 'whatever is allowed')
  const paid = turn(deeper.after, post(rubles(50), 1), 6)
  const reversed = turn(paid.after, { kind: 'reverse', operationId: null }, 7, paid.operation)
  t.same(reversed.after.debtSince, at(7).now, 'a payment that is taken back begins it anew')
})

t.test('the operations of an account form a chain', async (t) => {
  const first = change(run(anAccount(), post(rubles(1), 1)))
  const second = change(run(first.after, post(rubles(2), -1)))
  t.match(first.operation?.link, { seq: 1, hash: /^[0-9a-f]{64}$/ })
  t.match(second.operation?.link, { seq: 2, hash: second.after.chain.head })
  t.not(first.operation?.link?.hash, second.operation?.link?.hash)
})
