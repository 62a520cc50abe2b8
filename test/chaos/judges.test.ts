import t from 'tap'
import { Book, type Movement, type Wait } from './book.ts'
import { Door } from './door.ts'
import { judgeBalances, judgeMovements, judgeOwnOperations } from './judge-money.ts'
import { aLine, aRow, aSession, said } from './judged.ts'
import { judgeWaits } from './judge-waits.ts'
import { judgeLeak, judgeLog, judgeRest } from './judge-process.ts'
import { judgeAccess, judgeBlocked, judgeMemory, judgeOperator, judgeSessions } from './judge-sessions.ts'
import type { OperationRow } from './tables.ts'

// Each judge is shown what is right, and then each thing that it is there to find.

const anOperation = (over: Partial<OperationRow> = {}): OperationRow => ({
  ...{
    id: 1,
    account: 5,
    subscriber: 50,
    type: 7,
    amount: 100n,
    description: 'a',
    operator: null,
    payId: null,
    reversalOf: null,
  },
  ...over,
})

t.test('money', async (t) => {
  const ask = (key: string, state: Movement['state'] = 'acknowledged', operationId: number | null = null) => {
    const movement: Movement = {
      key,
      account: 5,
      subscriber: 50,
      amount: 100n,
      state,
      operationId,
      answers: [],
    }
    return new Map([[key, movement]])
  }
  const desk = anOperation({ type: 40, payId: 'd' })
  t.same(judgeMovements(ask('rest:a'), [anOperation()]), [])
  t.same(judgeMovements(ask('rest:a', 'asked'), []), [], 'what nobody answered may be absent')
  t.same(judgeMovements(ask('rest:a', 'asked'), [anOperation()]), [], 'or there')
  t.same(judgeMovements(ask('soap:d', 'acknowledged', 1), [desk]), [])
  t.same(said(judgeMovements(ask('rest:a'), [])), ['an acknowledged movement is lost'])
  t.same(said(judgeMovements(ask('rest:a'), [anOperation(), anOperation({ id: 2 })])), ['a movement was taken twice'])
  t.same(said(judgeMovements(ask('rest:a', 'asked'), [anOperation(), anOperation({ id: 2 })])), [
    'a movement was taken twice',
  ])
  for (const wrong of [{ amount: 101n }, { account: 6 }])
    t.same(said(judgeMovements(ask('rest:a'), [anOperation(wrong)])), ['a movement was taken otherwise than asked'])
  t.same(said(judgeMovements(ask('soap:d', 'acknowledged', 2), [desk])), ['a movement was taken otherwise than asked'])
  const credited = anOperation({ type: 23, payId: 'f' })
  t.same(said(judgeMovements(ask('gwa:f', 'forged'), [credited])), ['a forged payment was credited'])
  t.same(said(judgeMovements(new Map(), [credited])), ['an operation that nobody asked for'])
  t.same(said(judgeMovements(new Map(), [anOperation({ type: 24 })])), ['an operation that nobody asked for'])
  t.same(said(judgeMovements(new Map(), [anOperation({ type: 12 })])), ['an operation of a type nobody asked for'])

  const charge = anOperation({ id: 3, type: 32, amount: -30n })
  t.same(judgeBalances(ask('rest:a'), [anOperation(), charge], new Map([[5, 70n]])), [])
  t.same(said(judgeBalances(ask('rest:a'), [anOperation(), charge], new Map([[5, 100n]]))).length, 1)
  t.same(judgeBalances(ask('rest:a', 'asked'), [], new Map([[5, 0n]])), [])
  t.same(said(judgeBalances(ask('rest:a'), [], new Map([[5, 0n]]))).length, 1, 'acknowledged, and not in the balance')

  t.same(said(judgeOwnOperations(new Map(), [charge, { ...charge, id: 4 }], [])), ['a time was charged twice'])
  const promise = anOperation({ id: 6, type: 31 })
  const back = anOperation({ id: 7, type: 31, amount: -100n, reversalOf: 6 })
  const judged = (asked: number, given: number, rows: OperationRow[], hasPromise: boolean) =>
    said(judgeOwnOperations(new Map([[50, { asked, given }]]), rows, [aLine({ hasPromise })]))
  t.same(judged(1, 1, [promise], true), [])
  t.same(judged(2, 1, [promise, back], false), [])
  t.same(judged(1, 1, [], false), ['a promise that was given has no operation'])
  t.same(judged(0, 0, [promise], true), ['more promises than were asked for'])
  t.same(judged(1, 1, [promise], false), ['the limit of a promise was not returned once'])
})

t.test('an acknowledgement itself', async (t) => {
  const book = new Book()
  const movement = book.ask({ key: 'rest:a', account: 5, subscriber: 50, amount: 1n })
  book.acknowledge(movement, 1)
  book.acknowledge(movement, 1)
  book.settle()
  t.same(book.violations, [])
  book.acknowledge(movement, 2)
  book.acknowledge(book.ask({ key: 'gwa:f', account: 5, subscriber: 50, amount: 1n }, 'forged'), null)
  book.settle()
  t.same(said(book.violations), ['a forged payment was acknowledged', 'a repeat was answered with another operation'])
})

t.test('sessions', async (t) => {
  t.same(judgeSessions([aSession()], [aRow()]), [])
  t.same(judgeSessions([aSession({ isLive: false })], [aRow({ isOpen: false })]), [])
  t.same(judgeSessions([aSession({ acknowledged: null, isForgotten: true, isLive: false })], []), [], 'never answered')
  const later = { seconds: 12, input: 1200n, output: 120n }
  const forgotten = aSession({ isForgotten: true, isLive: false, counters: later })
  t.same(judgeSessions([forgotten], [aRow({ isOpen: false, ...later })]), [], 'stored, and the answer not heard')
  t.same(said(judgeSessions([forgotten], [aRow({ ...later })])), ['a session that has ended at its NAS is open here'])
  const leftover = aRow({ seconds: 0, input: 0n, output: 0n, isOpen: false, endReason: 'Replaced' })
  t.same(said(judgeSessions([aSession()], [leftover, aRow()])), ['a session is there twice'])
  t.same(said(judgeSessions([aSession()], [aRow(), leftover])), ['a session is there twice'])
  t.same(said(judgeSessions([aSession()], [])), ['an acknowledged session is lost'])
  const losses = [{ sinceMs: 10, untilMs: 20 }]
  const doubtful = aSession({ isLive: false, heard: [{ askedMs: 19, answeredMs: 21 }] })
  t.same(judgeSessions([doubtful], [], losses), [], 'it was on a server that is gone')
  t.same(judgeSessions([doubtful], [aRow()], losses), [], 'or its Stop was')
  const heardAgain = aSession({ isLive: false, heard: [...doubtful.heard, { askedMs: 20, answeredMs: 22 }] })
  t.same(said(judgeSessions([heardAgain], [], losses)), ['an acknowledged session is lost'])
  t.same(said(judgeSessions([aSession()], [aRow(), aRow({ isOpen: false })])), ['a session is there twice'])
  t.same(said(judgeSessions([], [aRow()])), ['a session that no NAS had'])
  t.same(said(judgeSessions([aSession()], [aRow({ isOpen: false })])), [
    'a session that lives at its NAS has ended here',
  ])
  for (const wrong of [{ seconds: 8 }, { input: 899n }, { output: 91n }, { seconds: 10 }])
    t.same(said(judgeSessions([aSession()], [aRow(wrong)])), [
      'the counters of a session are not the acknowledged ones',
    ])

  t.same(judgeMemory([aRow()], [aRow(), aRow({ sessionId: 's2', isOpen: false })]), [])
  t.same(said(judgeMemory([aRow()], [])), ['a session in memory only'])
  t.same(said(judgeMemory([], [aRow()])), ['a session in the table only'])
  t.same(said(judgeMemory([aRow(), aRow()], [aRow()])), ['a session is in memory twice'])

  t.same(judgeBlocked([aSession()], [aLine()]), [])
  t.same(said(judgeBlocked([aSession()], [aLine({ enabled: false })])), ['a blocked line has a live session'])
  t.same(judgeOperator(new Map([[50, null]]), [aLine({ operatorBlock: true })]), [], 'never answered')
  t.same(judgeOperator(new Map(), [aLine()]), [])
  t.same(said(judgeOperator(new Map([[50, true]]), [aLine()])).length, 1)
  t.same(said(judgeOperator(new Map([[50, false]]), [aLine({ operatorBlock: true })])).length, 1)
  const answered = (right: string, wrong = 'rejected') => new Map([['ivan', { right, wrong }]])
  t.same(judgeAccess(answered('accepted'), [aLine()]), [])
  t.same(judgeAccess(answered('rejected'), [aLine({ enabled: false })]), [])
  for (const [answers, line] of [
    [answered('rejected'), aLine()],
    [answered('silence'), aLine()],
    [answered('accepted', 'accepted'), aLine()],
    [answered('accepted'), aLine({ enabled: false })],
    [new Map(), aLine()],
  ] as const)
    t.same(said(judgeAccess(answers, [line])), ['RADIUS decides otherwise than the tables'])
})

t.test('the process', async (t) => {
  const mib = 2 ** 20
  const warm = { rss: 200 * mib, heapUsed: 40 * mib, external: 10 * mib, arrayBuffers: 0 }
  t.same(judgeLeak(warm, warm), [])
  t.same(said(judgeLeak(warm, { ...warm, heapUsed: 90 * mib })), ['the heap has grown'])
  t.same(said(judgeLeak(warm, { ...warm, rss: 320 * mib })), ['the process has grown'])
  const error = { level: 'error', message: 'Accounting can be kept nowhere: the database is away' }
  t.same(judgeLog([{ level: 'warn', message: 'x' }, error], new Set(['diskFull'])), [])
  t.same(said(judgeLog([error], new Set())), ['an error in the log'])
  t.same(said(judgeLog([{ level: 'raw', message: 'TypeError: x' }], new Set(['diskFull']))), ['an error in the log'])
  t.same(judgeRest({ outbox: [], spool: [], unanswered: 0 }), [])
  t.same(judgeRest({ outbox: [1], spool: ['s'], unanswered: 2 }).length, 3)
})

t.test('waits that are the doing of the attacker', async (t) => {
  const turn = (fromMs: number) => ({ fromMs, toMs: fromMs + 5_000 })
  const siege = { rests: [10_000, 30_000, 50_000].map(turn), attacks: [20_000, 40_000, 60_000].map(turn) }
  const waitsOf =
    (who: Wait['who']) =>
    (forMs: number, ...from: number[]): Wait[] =>
      from.map((fromMs) => ({ who, fromMs, toMs: fromMs + forMs }))
  const [operator, accounting] = [waitsOf('operator'), waitsOf('accounting')]
  const judged = (...waits: Wait[][]) => said(judgeWaits(waits.flat(), siege))
  t.same(judged(operator(2_000, 20_500, 41_000, 60_000), accounting(1_000, 21_000, 42_000, 61_000)), [])
  t.same(judged(operator(2_100, 20_500, 61_000)), ['the attacker has kept an operator out'])
  t.same(judged(accounting(1_100, 20_500, 41_000)), ['the attacker has kept accounting waiting'])
  t.same(judged(accounting(4_000, 20_500)), [], 'once, as a busy machine does')
  t.same(judged(operator(30_000, 24_000, 64_000), operator(9_000, 0)), [], 'in the times between, and before')
  t.same(judged(operator(3_000, 20_500, 41_000), operator(1_500, 51_000)), [], 'the machine is slow by itself')
  t.same(judged(operator(3_000, 20_500, 41_000), accounting(1_500, 51_000)).length, 1, 'but not so')
})

t.test('a door knows when nobody got through', async (t) => {
  const door = new Door('x')
  door.took('served', 0, 10)
  door.took('unserved', 20, 120)
  door.took('unserved', 200, 210)
  door.took('refused', 300, 310)
  door.took('served', 400, 410)
  t.same(door.outages, [{ fromMs: 20, toMs: 310 }])
  t.equal(door.longestOutageMs, 290)
  t.equal(door.recoveredAfterMs(100), 210)
  t.equal(door.recoveredAfterMs(5), 0)
  door.took('unserved', 500, 510)
  t.equal(door.recoveredAfterMs(600), null)
})
