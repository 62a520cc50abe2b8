import t from 'tap'
import { GatewayAClient } from '../../../src/billing/payments/gateway-a-client.ts'
import { RefundQueue, type RefundQueueParts } from '../../../src/billing/payments/refund-queue.ts'
import { gatewayRefunds } from '../../../src/billing/payments/refunds.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { SharedDatabase } from '../../support/database.ts'
import { SteadyClock } from '../../support/steady-clock.ts'
import { until, untilAnswer } from '../../support/until.ts'
import { type Json, staffAt } from '../../interfaces/admin-office.ts'
import { openPaymentFixture, type Row } from './fixture.ts'

const shared = await SharedDatabase.open(t)

/** Waits of milliseconds, so that every repeat comes during the test. */
const waits = { firstMs: 5, maxMs: 20 }
const fixture = await openPaymentFixture(t, shared, {}, { gatewayTimeoutMs: 500, refundWaits: waits })
const { a, payments, parts } = fixture
await fixture.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const { staff } = staffAt(parts, fixture.base)
const root = await staff('root')
const client = await fixture.client()
payments.refunds.queue.wake()
const timeZone = () => parts.settings.get('TIME_ZONE')
await parts.outbox.start({ gatewayRefund: gatewayRefunds({ database: parts.database, timeZone }, payments.refunds) })

const problems = '/admin/payments/problems/'
const refundOf = async (payment: string): Promise<Row> =>
  (await fixture.rows('SELECT * FROM payment_refunds WHERE payment_id = $1', [payment]))[0]
const comesTo = (payment: string, state: string): Promise<Row> =>
  untilAnswer(
    () => refundOf(payment),
    (refund) => refund?.state === state,
  )
const refundsAt = (payment: string) => a.refunds.refunds.filter(({ payment_id }) => payment_id === payment)
const askedFor = (payment: string) => a.refunds.asked.filter(({ body }) => body.includes(payment))

/** A payment of 100 rubles with the commission, credited or, where the gateway is silent, not. */
async function paid({ silent = false } = {}): Promise<{ payment: string; operation: number }> {
  a.behaviour.silent = silent
  const started = await fixture.start(client, '100')
  await fixture.pay(started)
  const { gateway_id: payment, operation_id: operation } = await fixture.order(
    started.kind === 'redirect' ? started.orderId : 0,
  )
  return { payment, operation: Number(operation) }
}

let problemNumber = 0
/** A payment that was not credited. */
async function uncredited(payment: string, over: { organization?: number; protocol?: string; gateway?: string } = {}) {
  const { organization = 1, protocol = 'rest', gateway = 'gwa' } = over
  const [{ id }] = await fixture.rows(
    `INSERT INTO payment_problems (gateway, protocol, reason, detail, organization_id, subscriber_id, notice, fingerprint, amount, gateway_id)
      VALUES ($1, $2, 'orphaned', 'x', $3, $4, 'x', $5, 1045000000000, $6) RETURNING id`,
    [gateway, protocol, organization, client, `refund-${++problemNumber}`, payment],
  )
  return Number(id)
}
const settle = (id: number, settlement: string, comment = 'ошибся договором') =>
  root.post(`${problems}${id}/`, { settlement, comment })
const givenBack = async (behaviour: typeof a.behaviour.refunding): Promise<{ payment: string; problem: number }> => {
  const { payment } = await paid({ silent: true })
  const problem = await uncredited(payment)
  a.behaviour.refunding = behaviour
  const { status, body } = await settle(problem, 'refund')
  if (status !== 200) throw new Error(JSON.stringify(body))
  return { payment, problem }
}

t.test('a payment that was not credited is returned by its gateway, once, and then credited by nobody', async (t) => {
  const { payment } = await paid({ silent: true })
  const [first, second] = [await uncredited(payment), await uncredited(payment)]
  t.match((await root.get(`${problems}${first}/`)).body.problem, { given_back_by: 'gateway', refund: null })
  const answer = await settle(first, 'refund')
  t.match(answer, {
    status: 200,
    body: { problem: { settlement: 'given_back', refund: { amount: '104.50', asked_by: 'root', done_at: null } } },
  })
  t.match(await settle(second, 'refund'), { status: 409, body: { code: 'settled_before' } }, 'the same payment')
  const done = await comesTo(payment, 'done')
  t.match(refundsAt(payment), [{ id: done.refund_id, amount: { value: '104.50', currency: 'RUB' } }])
  t.notMatch(askedFor(payment)[0]!.body, 'receipt', 'the gateway has that of the payment')
  const again = await settle(first, 'refund')
  t.match(again, { status: 200, body: { problem: { refund: { state: 'done', refund_id: done.refund_id } } } })
  t.equal(refundsAt(payment).length, 1)
  t.equal(askedFor(payment).length, 1)
  t.match(await settle(first, 'given_back'), { status: 409, body: { code: 'settled_before' } }, 'in another way')
  const { balance } = await fixture.balance(client)
  a.behaviour.silent = false
  await a.notify(payment)
  t.equal((await fixture.balance(client)).balance, balance, 'a notice that comes later')
  const audit = await fixture.rows(
    `SELECT user_name, action, diff FROM audit_operations WHERE table_name = 'PAYMENT_REFUNDS' AND object_id = $1`,
    [done.id],
  )
  t.match(audit, [
    { user_name: 'root', action: 'create', diff: { amount: [null, '104.50'], payment: [null, payment] } },
  ])
})

t.test('of one who has the gateway return it and one who says that it was returned, one succeeds', async (t) => {
  for (let race = 0; race < 3; race++) {
    const { payment } = await paid({ silent: true })
    const problem = await uncredited(payment)
    const deeds = await Promise.all([settle(problem, 'refund'), settle(problem, 'given_back')])
    t.same(deeds.map(({ status }) => status).sort(), [200, 409])
    const { refund } = (await root.get(`${problems}${problem}/`)).body.problem
    t.equal(refund !== null, deeds[0]!.status === 200)
    if (refund) await comesTo(payment, 'done')
  }
})

t.test('what the other protocols have taken is returned in the office of the gateway', async (t) => {
  for (const over of [{ protocol: 'http' }, { protocol: 'form', gateway: 'gwb' }]) {
    const problem = await uncredited(`office-${over.protocol}`, over)
    t.match((await root.get(`${problems}${problem}/`)).body.problem, { given_back_by: 'office' })
    t.match(await settle(problem, 'refund'), { status: 409, body: { code: 'refund_unavailable' } })
    t.match(await settle(problem, 'given_back'), { body: { problem: { settlement: 'given_back', refund: null } } })
    t.match(await settle(problem, 'refund'), { status: 409, body: { code: 'settled_before' } })
  }
})

t.test('a credited payment is reversed first, and then a part of it is returned with a receipt', async (t) => {
  const { payment, operation } = await paid()
  const before = Number((await fixture.balance(client)).balance)
  const path = `/admin/Abonents/finops_reverse/${operation}/`
  const detail = async (id = operation): Promise<Json> => (await root.get(`/admin/Abonents/finops_detail/${id}/`)).body
  t.match(await detail(), { gateway_payment: { paid: '104.50', given_back_by: 'gateway' }, refund: null })
  for (const refund of ['104.51', '0', '-1', 'x'])
    t.match(await root.post(path, { reason: 'x', refund }), { status: 400, body: { code: 'wrong_field' } }, refund)
  t.equal(Number((await fixture.balance(client)).balance), before, 'and nothing is reversed')
  const reversed = await root.post(path, { reason: 'дважды', refund: '100' })
  t.match(reversed, { status: 200, body: { operation: { amount: '-100.00' } } })
  t.equal(Number((await fixture.balance(client)).balance), before - 100)
  const done = await comesTo(payment, 'done')
  t.match(done, { operation_id: String(operation), reversal_id: String(reversed.body.operation.op_id) })
  t.match(refundsAt(payment), [{ status: 'succeeded', amount: { value: '100.00' } }])
  t.match(JSON.parse(askedFor(payment)[0]!.body).receipt, {
    customer: { email: 'ivan@example.com' },
    items: [{ quantity: '1.00', amount: { value: '100.00', currency: 'RUB' }, payment_subject: 'service' }],
  })
  for (const id of [operation, reversed.body.operation.op_id])
    t.match((await detail(id)).refund, { state: 'done', amount: '100.00', paid: '104.50', asked_by: 'root' })
  t.match(await root.post(path, { reason: 'ещё раз', refund: '4.50' }), {
    status: 409,
    body: { code: 'refunded_before' },
  })
  t.equal(refundsAt(payment).length, 1)
})

t.test('an operation that no gateway can return is not reversed when that was asked', async (t) => {
  const [{ account_id }] = await fixture.rows('SELECT account_id FROM abonents WHERE id = $1', [client])
  const posted = await root.post(`/admin/Abonents/accounts_payment/${account_id}/`, { amount: 5, abonent_id: client })
  const path = `/admin/Abonents/finops_reverse/${posted.body.operation.op_id}/`
  t.match(await root.post(path, { reason: 'x', refund: '5' }), { status: 409, body: { code: 'refund_unavailable' } })
  t.equal((await root.post(path, { reason: 'x' })).status, 200)
})

t.test('whatever fails on the way, the same request is sent again and the money goes back once', async (t) => {
  for (const behaviour of ['error', 'lost', 'silence', 'garbage', 'unauthorized'] as const) {
    const { payment } = await givenBack(behaviour)
    // What was made without an answer may be found at the next try, before anybody looks at the fault.
    await untilAnswer(
      () => refundOf(payment),
      ({ tries }) => tries > 0,
    )
    a.behaviour.refunding = 'fine'
    await comesTo(payment, 'done')
    t.equal(refundsAt(payment).length, 1, behaviour)
    t.equal(new Set(askedFor(payment).map(({ key, body }) => `${key} ${body}`)).size, 1, behaviour)
  }
})

t.test('a refund that was made before the program died is found in the list when its key is forgotten', async (t) => {
  await payments.refunds.queue.stop()
  const { database, settings, outgoingHttp } = parts
  const queue = (gatewayA: RefundQueueParts['gatewayA']) => {
    const opened = new RefundQueue({
      ...{ pool: database.pool, settings, gatewayA, waits },
      ...{ clock: new SteadyClock(), log: silentLog },
    })
    t.teardown(() => opened.stop())
    opened.wake()
    return opened
  }
  const { payment } = await givenBack('silence')
  // It waits for the answer until it is stopped.
  const dying = queue(new GatewayAClient(settings, new SteadyClock(), outgoingHttp, 600_000))
  await until(() => refundsAt(payment).length === 1)
  await dying.stop()
  t.match(await refundOf(payment), { state: 'asked', attempts: 1 })
  a.refunds.forgetKeys()
  a.behaviour.refunding = 'fine'
  await fixture.rows('UPDATE payment_refunds SET due_at = now()')
  const restarted = queue(payments.gatewayA)
  t.match(await comesTo(payment, 'done'), { refund_id: refundsAt(payment)[0]!.id })
  t.equal(refundsAt(payment).length, 1)
  t.equal(askedFor(payment).length, 1, 'it was not even asked again')

  t.test('what the gateway is at work on is asked for until it is done', async (t) => {
    const { payment: slow } = await givenBack('pending')
    restarted.wake()
    await comesTo(slow, 'sent')
    refundsAt(slow)[0]!.status = 'succeeded'
    t.match(await comesTo(slow, 'done'), { refund_id: refundsAt(slow)[0]!.id, error: null })
    t.equal(askedFor(slow).length, 1)
  })

  t.test('what the gateway refuses is asked anew, or closed when somebody has returned it', async (t) => {
    const { payment: refused, problem } = await givenBack('refused')
    restarted.wake()
    const failed = await comesTo(refused, 'failed')
    t.match(failed.error, /400: invalid_request, Refunds are not available/)
    t.same(await restarted.counts(), { stages: { asked: 0, sent: 0, failed: 1 }, oldestSeconds: 0 })
    const path = `/admin/payments/refunds/${failed.id}/`
    const north = await staff('north', 'cashier', [2])
    const viewer = await staff('viewer', 'viewer', [1])
    t.equal((await north.post(path, { deed: 'again' })).status, 404, 'of another organization')
    t.equal((await viewer.post(path, { deed: 'again' })).status, 403)
    t.equal((await root.post(path, { deed: 'x' })).status, 400)
    a.behaviour.refunding = 'canceled'
    t.match(await root.post(path, { deed: 'again' }), { status: 200, body: { state: 'asked' } })
    restarted.wake()
    const canceled = await comesTo(refused, 'failed')
    t.match(canceled.error, /yoo_money, insufficient_funds/)
    const keys = askedFor(refused).map(({ key }) => key)
    t.equal(keys.length, 2)
    t.not(keys[0], keys[1], 'under a new key')
    t.match(await root.post(path, { deed: 'by_hand', comment: 'в кабинете' }), { body: { state: 'by_hand' } })
    t.match(await root.post(path, { deed: 'again' }), { status: 409, body: { code: 'refund_not_failed' } })
    t.match((await root.get(`${problems}${problem}/`)).body.problem.refund, { state: 'by_hand', comment: 'в кабинете' })
    const list = '/admin/payments/refunds/'
    const { body } = await root.get(`${list}?state=by_hand`)
    t.match(body, { total: 1, items: [{ problem_id: Number(problem), refund: { state: 'by_hand' } }] })
    t.ok((await root.get(list)).body.total > 1, 'the others are not closed')
    t.equal((await root.get(`${list}?state=x`)).status, 400)
    t.match((await north.get(list)).body, { total: 0, items: [] }, 'of another organization')
  })

  t.test('a payment that the gateway does not have as it was reported is not returned', async (t) => {
    const { payment: other } = await paid({ silent: true })
    a.behaviour.reading = 'otherSum'
    a.behaviour.refunding = 'fine'
    await settle(await uncredited(other), 'refund')
    restarted.wake()
    t.match(await comesTo(other, 'failed'), { error: 'The gateway shows 1.00 RUB as paid.', attempts: 0 })
    a.behaviour.reading = 'fine'
    await settle(await uncredited('nobody-knows'), 'refund')
    restarted.wake()
    t.match(await comesTo('nobody-knows', 'failed'), { error: 'The gateway knows no such payment.' })
    t.equal(refundsAt(other).length, 0)
  })
})
