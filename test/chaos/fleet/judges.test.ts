import t from 'tap'
import { Book } from '../book.ts'
import { aRow, aSession, said } from '../judged.ts'
import type { Loss } from '../losses.ts'
import { judgeAddresses, judgeBalancesSaid, judgeEffects, judgeJobs, judgeSilence } from './judges.ts'
import { fleetPlanOf } from './plan.ts'
import type { Seen } from './witness.ts'

const seenAt = new Date('2026-11-21T12:00:00Z')
const aSeen = (what: Seen['what'], row: Seen['row'], over: Partial<Seen> = {}): Seen => ({
  ...{ at: seenAt, node: 1, epoch: 1, what, row, before: null, wasAlive: null },
  ...over,
})

t.test('a job is at work once', async (t) => {
  const cutOff = { ok: false, ended_at: null }
  const ended = (ok: boolean, before: object) =>
    aSeen('job_runs', { ok, ended_at: 'now' }, { before: before as Seen['row'] })
  t.same(judgeJobs([ended(true, { ok: null, ended_at: null }), ended(false, cutOff)]), [])
  t.same(said(judgeJobs([ended(true, cutOff)])), ['a job was at work twice'])
})

t.test('an effect is done by the node that has it', async (t) => {
  const made = aSeen('outbox', { id: 7, node: 1 })
  const taken = (wasAlive: boolean) => aSeen('outbox', { id: 7, node: 2 }, { node: 2, before: made.row, wasAlive })
  const done = (node: number, epoch = 1, login = 'ivan') =>
    aSeen('coa_requests', { outbox_id: 7, request: 'disconnect', nas_id: 3, session_id: 9, login }, { node, epoch })
  t.same(judgeEffects([made, done(1), taken(false), done(2)]), [], 'the first was killed before it could mark it')
  t.same(judgeEffects([made, done(1), done(1, 2), done(1, 1, 'anna')]), [])
  t.same(judgeEffects([aSeen('coa_requests', { outbox_id: null })]), [], 'without a row')
  t.same(said(judgeEffects([made, done(2)])), ['an effect was carried out by a node that it did not belong to'])
  t.same(said(judgeEffects([made, done(1), done(1)])), ['an effect was carried out twice by one node'])
  t.same(said(judgeEffects([made, taken(true)])), ['an effect was taken from a node that was alive'])
  const marked = aSeen('outbox', { id: 7, node: 1, done_at: 'now' }, { before: made.row, wasAlive: true })
  t.same(judgeEffects([made, done(1), marked]), [], 'its own node has marked it')
})

t.test('an effect may be carried out again whose mark was lost with a server, and no other', async (t) => {
  const made = aSeen('outbox', { id: 7, node: 1, done_at: null })
  const marked = aSeen('outbox', { id: 7, node: 1, done_at: 'now' }, { before: made.row, wasAlive: true })
  const row = { outbox_id: 7, request: 'disconnect', nas_id: 3, session_id: 9, login: 'ivan' }
  const doneAt = (ms: number) => aSeen('coa_requests', row, { at: new Date(performance.timeOrigin + ms) })
  const twice = ['an effect was carried out twice by one node']
  const losses = [{ sinceMs: 1_000, untilMs: 2_000 }]
  t.same(judgeEffects([made, doneAt(900), doneAt(2_500)], losses), [])
  t.same(said(judgeEffects([made, doneAt(900), marked, doneAt(2_500)], losses)), twice, 'the mark is there')
  t.same(said(judgeEffects([made, doneAt(2_100), doneAt(2_500)], losses)), twice, 'nothing was lost since')
  t.same(said(judgeEffects([made, doneAt(500), doneAt(900)], losses)), twice, 'nothing was lost by then')
  const unnamed = (sentMs: number, ms: number) => {
    const sent_at = new Date(performance.timeOrigin + sentMs).toISOString()
    return { ...doneAt(ms), row: { ...row, session_id: null, sent_at } }
  }
  t.same(judgeEffects([made, unnamed(700, 900), unnamed(700, 910)]), [], 'two sessions without ids yet')
  t.same(said(judgeEffects([made, unnamed(700, 900), unnamed(910, 950)])), twice)
})

t.test('an effect whose taking was lost with a server may have been begun by who took it', async (t) => {
  const made = aSeen('outbox', { id: 7, node: 1 })
  const sentAt = (ms: number) => {
    const sent_at = new Date(performance.timeOrigin + ms).toISOString()
    return aSeen('coa_requests', { outbox_id: 7, request: 'disconnect', nas_id: 3, sent_at }, { node: 2 })
  }
  const losses = [{ sinceMs: 1_000, untilMs: 2_000 }]
  t.same(judgeEffects([made, sentAt(1_500)], losses), [])
  for (const ms of [900, 2_100])
    t.same(said(judgeEffects([made, sentAt(ms)], losses)), [
      'an effect was carried out by a node that it did not belong to',
    ])
})

t.test('what is silent was not heard', async (t) => {
  const closed = aSeen('radius_sessions', { acct_session_id: 's1', login: 'ivan' })
  const closedMs = seenAt.getTime() - performance.timeOrigin
  const at = (ms: number) => ({ askedMs: ms, answeredMs: ms })
  const heard = (agoMs: number, losses: readonly Loss[] = []) =>
    judgeSilence([aSession({ heard: [at(closedMs - 60_000), at(closedMs - agoMs)] })], [closed], 15_000, losses)
  t.same(heard(15_000), [])
  t.same(said(heard(14_000)), ['a session was closed that was heard of'])
  t.same(heard(14_000, [{ sinceMs: closedMs - 20_000, untilMs: closedMs - 10_000 }]), [])
  const later = { sinceMs: closedMs - 13_000, untilMs: closedMs - 10_000 }
  t.equal(heard(14_000, [later]).length, 1)
  t.same(heard(14_000, [{ ...later, spooledSinceMs: closedMs - 15_000 }]), [], 'stored, and lost, since')
  t.same(judgeSilence([], [closed], 15_000), [])
})

t.test('an address is in one session, a balance is the same at every node', async (t) => {
  const [one, other] = [aRow({ ip: '10.0.0.1' }), aRow({ ip: '10.0.0.1', sessionId: 's2' })]
  t.same(judgeAddresses([one, { ...other, isOpen: false }, aRow(), aRow()]), [])
  t.same(said(judgeAddresses([one, other])), ['an address is in two live sessions'])
  const begun = (answeredMs: number) => [aSession({ sessionId: 's2', heard: [{ askedMs: 1, answeredMs }] })]
  const losses = [{ sinceMs: 2, untilMs: 3 }]
  t.same(judgeAddresses([one, other], begun(4), losses), [], 'nobody knew that it had begun')
  t.same(said(judgeAddresses([one, other], begun(1), losses)), ['an address is in two live sessions'])
  const heard = [1, 4].map((answeredMs) => ({ askedMs: 1, answeredMs }))
  const reported = (isLive: boolean) => [aSession({ sessionId: 's2', isLive, heard })]
  t.same(judgeAddresses([one, other], reported(false), losses), [], 'nobody knows that it has ended')
  t.same(said(judgeAddresses([one, other], reported(true), losses)), ['an address is in two live sessions'])
  const balances = new Map([[5, -12_050_000_000n]])
  t.same(judgeBalancesSaid(new Map([[5, '-1.20']]), balances), [])
  t.same(said(judgeBalancesSaid(new Map([[5, '1.20']]), balances)), ['a node says another balance than the tables'])
})

t.test('what was acknowledged by a server that is gone is in doubt', async (t) => {
  const book = new Book()
  const asked = { key: 'rest:a', account: 5, subscriber: 50, amount: 1n }
  const [movement, other] = [book.ask(asked), book.ask({ ...asked, key: 'rest:b' })]
  const answered = { askedMs: 12, answeredMs: 25 }
  book.acknowledge(movement, 1, answered)
  book.acknowledge(other, 1, answered)
  book.askPromise(50)
  book.gavePromise(50, answered)
  book.say(50, true, answered)
  book.losses.push({ sinceMs: 26, untilMs: 30 }, { sinceMs: 2, untilMs: 12 })
  book.settle()
  t.match(movement, { state: 'acknowledged', operationId: 1 })
  t.same(book.promises.get(50), { asked: 1, given: 1 })
  t.equal(book.operatorBlocks.get(50), true)
  book.losses.push({ sinceMs: 20, untilMs: 24 })
  book.acknowledge(other, 2, { askedMs: 24, answeredMs: 25 })
  book.settle()
  t.match(movement, { state: 'asked', operationId: null })
  t.match(other, { state: 'acknowledged', operationId: 2 }, 'asked again, it is another operation')
  t.same(book.promises.get(50), { asked: 1, given: 0 })
  t.equal(book.operatorBlocks.get(50), null)
  const ofLostOrder = { ...asked, key: 'gwa:c', ordered: { askedMs: 22, answeredMs: 23 } }
  const [kept, ignored] = [book.ask(ofLostOrder), book.ask({ ...ofLostOrder, key: 'gwa:d' })]
  for (const one of [kept, ignored]) book.acknowledge(one, null, { askedMs: 24, answeredMs: 25 })
  book.settle(new Set(['gwa:c', 'rest:b']))
  t.equal(kept.state, 'asked', 'its order is lost, and an operator sees it')
  t.equal(ignored.state, 'acknowledged', 'a payment that nobody sees is lost')
  t.equal(other.state, 'acknowledged')
  t.same(book.violations, [])
})

t.test('the same seed gives the same plan, which has every fault when it is long', async (t) => {
  const plan = (seed: number) => fleetPlanOf(seed, 150_000, 4, 3)
  t.same(plan(7), plan(7))
  t.not(JSON.stringify(plan(8).faults), JSON.stringify(plan(7).faults))
  t.same(new Set([1, 2, 3, 4, 5, 6].map((seed) => plan(seed).replication)).size, 2)
  for (let seed = 1; seed <= 40; seed++) {
    const { faults, loadMs } = plan(seed)
    t.equal(new Set(faults.map(({ kind }) => kind)).size, 13, `seed ${seed}`)
    t.ok(faults.every(({ atMs, forMs }) => atMs + forMs <= loadMs))
  }
})
