import t from 'tap'
import type { Account } from '../../src/domain/account.ts'
import { noBlocks, withBlock } from '../../src/domain/block.ts'
import { accountId, nasId, operationId, organizationId, staffId, subscriberId } from '../../src/domain/ids.ts'
import { moneyFromUnits, negated, rubles, zero } from '../../src/domain/money.ts'
import { type Operation, operationTypes } from '../../src/domain/operation.ts'
import { sees } from '../../src/live/frames.ts'
import { noticesOf } from '../../src/live/topics.ts'
import { anAccount, aSubscriber } from '../support/account.ts'
import { aSession } from './a-session.ts'

const at = new Date('2026-03-01T12:00:00Z')

const anOperation = (over: Partial<Operation> = {}): Operation => ({
  id: operationId(77),
  accountId: accountId(1),
  subscriberId: subscriberId(10),
  organizationId: organizationId(1),
  typeId: operationTypes.manualReceipt,
  amount: rubles(50),
  movedAt: at,
  recordedAt: at,
  ownerId: null,
  description: '',
  reversed: false,
  reversalOf: null,
  details: {},
  snapshot: {
    balance: zero,
    receipts: zero,
    writeOffs: zero,
    warnBelow: null,
    limit: zero,
    unlimited: false,
    unlimitedUntil: null,
  },
  link: null,
  ...over,
})

const promiseUntil = (until: Date) => ({ linkId: 1, uslugaId: 30353, limit: rubles(100), until, operationId: null })

const committed = (before: Account, after: Account, operations: readonly Operation[] = []) =>
  noticesOf({ kind: 'accountCommitted', at, before, after, operations, effects: [] })

const typesOf = (...args: Parameters<typeof committed>) => committed(...args).map(({ type }) => type)

const debtor = aSubscriber({ blocks: withBlock(noBlocks, 'debt', true), enabled: false, hasBlockRecord: true })

t.test('a payment that lifts a block is sent as payment, balance and block', async (t) => {
  const before = anAccount({ balance: rubles(-20), receipts: zero, writeOffs: rubles(20), subscribers: [debtor] })
  const after = anAccount({ balance: rubles(30), receipts: rubles(50), writeOffs: rubles(20) })
  const notices = committed(before, after, [anOperation()])
  t.strictSame(
    notices.map(({ type, topics }) => [type, topics]),
    [
      ['payment.credited', ['finance', 'abonent:10']],
      ['balance.changed', ['finance', 'abonent:10']],
      ['block.changed', ['blocks', 'abonent:10']],
    ],
  )
  t.match(notices[0]?.fields, { op_id: 77, op_type_id: 7, amount: '50.00', balance: '30.00', abonent_id: 10 })
  t.match(notices[1]?.fields, { balance: '30.00', previous: '-20.00', limit: '0.00', abonent_ids: [10] })
  t.match(notices[2]?.fields, { enabled: true, b_negbal: false, reasons: [] })
})

t.test('a block carries its flags and reasons', async (t) => {
  const both = { ...debtor, blocks: withBlock(debtor.blocks, 'operator', true) }
  const [notice] = committed(anAccount({ subscribers: [debtor] }), anAccount({ subscribers: [both] }))
  t.equal(notice?.type, 'block.changed')
  t.match(notice?.fields, {
    abonent_id: 10,
    enabled: false,
    b_negbal: true,
    b_admin: true,
    b_own: false,
    b_sys: false,
    reasons: ['debt', 'operator'],
    logins: ['ivan'],
  })
})

t.test('amounts have two places, also beyond 2^53 and below a kopeck', async (t) => {
  const before = anAccount({ balance: zero })
  const after = anAccount({ balance: moneyFromUnits('9223372036854775807') })
  t.equal(committed(before, after)[0]?.fields.balance, '922337203.69')
  t.equal(committed(before, anAccount({ balance: moneyFromUnits('-125000000') }))[0]?.fields.balance, '-0.01')
})

t.test('only a receipt that moved money is a payment', async (t) => {
  const before = anAccount()
  const more = anAccount({ balance: rubles(150), receipts: rubles(150) })
  const less = anAccount({ balance: rubles(50), writeOffs: rubles(50) })
  t.strictSame(typesOf(before, more, [anOperation()]), ['payment.credited', 'balance.changed'])
  t.strictSame(typesOf(before, less, [anOperation({ amount: negated(rubles(50)), typeId: 9 })]), ['balance.changed'])
  t.strictSame(typesOf(before, more, [anOperation({ typeId: operationTypes.promise })]), ['balance.changed'])
  t.strictSame(typesOf(before, more, [anOperation({ reversalOf: operationId(5) })]), ['balance.changed'])
  t.strictSame(typesOf(before, before, [anOperation({ typeId: 33 })]), [], 'an informational one moves nothing')
})

t.test('a commit that changed nothing visible to clients is not sent', async (t) => {
  t.strictSame(typesOf(anAccount(), anAccount({ version: 1 })), [])
})

t.test('a changed limit is sent with the balance', async (t) => {
  t.match(committed(anAccount(), anAccount({ limit: rubles(-100) }))[0], {
    type: 'balance.changed',
    fields: { limit: '-100.00', balance: '100.00' },
  })
})

t.test('a promise is sent when it begins, changes and ends', async (t) => {
  const promised = anAccount({ subscribers: [aSubscriber({ promise: promiseUntil(at) })] })
  t.match(committed(anAccount(), promised)[0], { type: 'promise.changed', fields: { active: true } })
  t.match(committed(promised, anAccount())[0], { type: 'promise.changed', fields: { active: false } })
  t.strictSame(
    typesOf(promised, anAccount({ subscribers: [aSubscriber({ promise: promiseUntil(new Date(at)) })] })),
    [],
  )
})

t.test('a subscriber who is new on an account is sent only when access is closed', async (t) => {
  t.strictSame(typesOf(anAccount({ subscribers: [] }), anAccount()), [])
  t.strictSame(typesOf(anAccount({ subscribers: [] }), anAccount({ subscribers: [debtor] })), ['block.changed'])
})

t.test('subscribers of two organizations on one account do not learn of each other', async (t) => {
  const other = aSubscriber({ id: subscriberId(20), organizationId: organizationId(2) })
  const before = anAccount({ subscribers: [aSubscriber(), other] })
  const notices = committed(before, { ...before, balance: rubles(1) })
  t.strictSame(
    notices.map(({ audience, topics, fields }) => [audience, topics, fields.abonent_ids]),
    [
      [1, ['finance', 'abonent:10'], [10]],
      [2, ['finance', 'abonent:20'], [20]],
    ],
  )
})

t.test('what belongs to nobody is shown to those who see everything', async (t) => {
  const [orphan] = committed(anAccount({ subscribers: [] }), anAccount({ subscribers: [], balance: zero }))
  t.equal(orphan?.audience, null)
  const one = new Set([organizationId(1)])
  t.notOk(sees(one, null))
  t.notOk(sees(one, organizationId(2)))
  t.ok(sees(one, organizationId(1)))
  t.ok(sees(one, 'everybody'))
  t.ok(sees(null, null))
  t.ok(sees(null, organizationId(2)))
})

t.test('sessions go to their topic and their subscriber; only updates replace each other', async (t) => {
  const session = aSession({ id: '5', subscriberId: subscriberId(10), inputOctets: 2n ** 40n })
  const [started] = noticesOf({ kind: 'sessionStarted', at, session })
  const [updated] = noticesOf({ kind: 'sessionUpdated', at, session })
  const [stopped] = noticesOf({ kind: 'sessionStopped', at, session })
  t.match(started, { type: 'session.started', topics: ['sessions', 'abonent:10'], replaces: null })
  t.match(updated, { type: 'session.updated', replaces: 'session:5' })
  t.match(stopped, { type: 'session.stopped', replaces: null })
  t.match(updated?.fields.session, { id: 5, login: 'ivan', abonent_id: 10, input_octets: 2 ** 40 })
})

t.test('a ticket goes to the office and to the card of its subscriber, with what happened to it', async (t) => {
  const ticket = { id: 4, subject: 'No line', status: 'open', create_date: at, unread: 2 } as const
  const [notice] = noticesOf({
    kind: 'ticketChanged',
    at,
    deeds: ['asked', 'reopened'],
    ticket: {
      ...ticket,
      subscriberId: subscriberId(10),
      organizationId: organizationId(2),
      assigneeId: staffId(7),
      lastAuthor: 'client',
      lastAt: at,
    },
  })
  t.match(notice, { type: 'ticket.changed', topics: ['tickets', 'abonent:10'], audience: 2, replaces: undefined })
  t.strictSame(notice?.fields, {
    deeds: ['asked', 'reopened'],
    ticket: {
      ...{ id: 4, abonent_id: 10, organization_id: 2, subject: 'No line', status: 'open', create_date: at },
      ...{ assignee_id: 7, last_author: 'client', last_at: at },
    },
  })
})

t.test('rejections and answers of a NAS go to the radius topic', async (t) => {
  const common = { at, login: 'x', subscriberId: null, organizationId: null, nasId: nasId(3) }
  const [rejected] = noticesOf({
    kind: 'accessRejected',
    ...common,
    reason: 'blocked',
    code: 'blocked_debt',
    station: 'AA-BB',
  })
  const fields = { reason: 'blocked', code: 'blocked_debt' }
  t.match(rejected, { type: 'access.rejected', topics: ['radius'], audience: null, fields })
  const answer = { request: 'disconnect', result: 'nak', errorCause: 503, tookMs: 12 } as const
  const [coa] = noticesOf({ kind: 'coaAnswered', ...common, ...answer })
  t.match(coa, { type: 'coa.answered', topics: ['radius'], fields: { result: 'nak', error_cause: 503, took_ms: 12 } })
})

t.test('a run of a job is told to everybody who follows the system, without what it came to', (t) => {
  const [notice, ...others] = noticesOf({ kind: 'jobChanged', at, name: 'retention', done: 3, total: null, ok: null })
  t.match(notice, { type: 'job.changed', topics: ['system'], audience: 'everybody', replaces: 'job:retention' })
  t.same(notice?.fields, { name: 'retention', running: true, done: 3, total: null, ok: null })
  t.same(others, [])
  const [ended] = noticesOf({ kind: 'jobChanged', at, name: 'retention', done: 3, total: null, ok: false })
  t.match(ended?.fields, { running: false, ok: false })
  t.end()
})
