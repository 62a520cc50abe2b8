import t from 'tap'
import { signedMetadata } from '../../../src/billing/payments/gateway-a-rest.ts'
import { SharedDatabase } from '../../support/database.ts'
import { money, openPaymentFixture, restKey } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const succeeded = (id: string, value: string, metadata: object, over: object = {}) =>
  JSON.stringify({
    type: 'notification',
    event: 'payment.succeeded',
    object: { id, status: 'succeeded', amount: { value, currency: 'RUB' }, metadata, ...over },
  })
const json = 'application/json; charset=utf-8'

t.test('a client pays, and the line is open before the gateway has its answer', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const client = await fixture.client()
  t.same(await fixture.balance(client), { balance: '-50.00', enabled: false })
  const started = await fixture.start(client, '100.00')
  t.match(started, { kind: 'redirect', url: fixture.a.apiUrl })
  if (started.kind !== 'redirect') throw new Error('not started')
  const { orderId } = started
  t.match(await fixture.order(orderId), {
    state: 'sent',
    amount: '1000000000000',
    payable: '1045000000000',
    paid_at: null,
  })
  const back = await fixture.pay(started)
  const page = `https://billing.example/lk/payments/result/?order=${orderId}&result=success`
  const { result_token: token } = await fixture.order(orderId)
  t.match(token, /^[\w-]{22}$/)
  t.equal(back, `${page}&token=${token}`)
  t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  t.same(
    fixture.a.answers.map(({ status }) => status),
    [200, 200],
  )
  const [paid] = fixture.a.payments
  const [operation] = await fixture.rows('SELECT * FROM finance_operations')
  t.match(operation, {
    op_type_id: '23',
    op_summa: '1000000000000',
    abonent_id: String(client),
    descr: `Онлайн-оплата: внесено 104.50 руб., комиссия 4.50 руб. [txn:${orderId}]`,
    operator_name: 'gwa',
    operator_pay_id_str: paid?.id,
    txn: String(orderId),
    aa_ostatok: '-500000000000',
  })
  t.match(await fixture.order(orderId), { state: 'paid', gateway_id: paid?.id, operation_id: operation.op_id })
  t.same(await fixture.problems(), [])
})

t.test('repeated, forged and out of order: an order is credited once, nothing forged ever', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { repeats: 10, forged: 10, wrongOrder: true })
  const clients = await Promise.all([fixture.client(), fixture.client(), fixture.client()])
  await Promise.all(clients.map(async (client) => fixture.pay(await fixture.start(client, '100.10'))))
  for (const client of clients) t.same(await fixture.balance(client), { balance: '50.10', enabled: true })
  t.equal((await fixture.rows('SELECT FROM finance_operations')).length, 3)
  t.ok(
    fixture.a.answers.every(({ status }) => status === 200),
    'every copy is answered alike',
  )
  t.equal(fixture.a.toForged.length, 30)
  // On a busy machine some of so many at once may have no answer in time.
  t.strictSame(
    fixture.a.toForged.map(({ status }) => status).filter((status) => ![403, 503, 0].includes(status)),
    [],
    'a forged one is refused',
  )
  t.ok(fixture.a.toForged.some(({ status }) => status === 403))
  const problems = await fixture.problems()
  t.same([...new Set(problems.map(({ reason }) => reason))], ['badSignature'])
  for (const { notice } of problems) t.match(notice, '"signature":"***"', 'the signature is cut')
})

t.test('what the notice says is compared with what was ordered', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  await fixture.set({ LK_GWA_VERIFY_BY_API: false })
  const [ivan, maria] = [await fixture.client(), await fixture.client()]
  const started = await fixture.start(ivan, '100')
  if (started.kind !== 'redirect') throw new Error('not started')
  const { orderId } = started
  const asked = {
    orderId,
    subscriberId: ivan,
    credit: money('100'),
    payable: money('104.50'),
    commission: money('4.50'),
  }
  const send = (value: string, metadata: object, over?: object) =>
    fixture.send(succeeded('p-1', value, metadata, over), json)
  const signed = (over: object = {}) => signedMetadata({ ...asked, ...over }, restKey)

  t.equal((await send('1.00', signed())).status, 200, 'a wrong amount')
  t.equal((await send('104.50', signed({ subscriberId: maria }))).status, 200, 'another subscriber')
  t.equal((await send('104.50', signed({ orderId: orderId + 1000 }))).status, 200, 'an unknown order')
  t.equal((await send('104.50', signed({ credit: money('200') }))).status, 200, 'another credit')
  t.equal((await send('104.50', signed(), { recipient: { account_id: '7' } })).status, 200, 'another shop')
  t.equal((await send('104.50', { ...signed(), credit_amount: '200.00' })).status, 403, 'a changed credit')
  t.equal((await send('104.50', { abonent_id: String(ivan) })).status, 403, 'no signature')
  t.equal((await fixture.send('{"event":', json)).status, 400, 'no JSON')
  t.equal((await fixture.send('{"event":"payment.succeeded","object":{}}', json)).status, 400, 'no payment')
  t.same(await fixture.balance(ivan), { balance: '-50.00', enabled: false })
  t.same(
    (await fixture.problems()).map(({ reason }) => reason),
    ['wrongAmount', 'unknownOrder', 'unknownOrder', 'wrongAmount', 'wrongShop', 'badSignature', 'badSignature'],
  )
  t.equal((await send('1.00', signed())).status, 200)
  t.equal((await fixture.problems())[0].times, 2, 'the same again is counted')

  for (const event of ['payment.canceled', 'refund.succeeded', 'payment.waiting_for_capture']) {
    const body = JSON.stringify({ event, object: {} })
    t.equal((await fixture.send(body, json)).status, 200, `${event} is nothing to us`)
  }
  t.equal((await send('104.50', signed())).status, 200)
  t.same(
    await fixture.balance(ivan),
    { balance: '50.00', enabled: true },
    'the right one is credited without a read-back',
  )
  t.equal((await fixture.send(succeeded('p-2', '104.50', signed()), json)).status, 200)
  t.same(await fixture.balance(ivan), { balance: '50.00', enabled: true }, 'a second payment of the order is not')
  t.match((await fixture.problems()).at(-1), { reason: 'doubled', gateway_id: 'p-2', order_id: String(orderId) })
})

t.test('a payment is read back before it is credited', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { retries: 0 })
  const client = await fixture.client()
  const started = await fixture.start(client, '100')
  for (const [reading, status] of [
    ['error', 503],
    ['missing', 503],
    ['pending', 503],
    ['otherSum', 200],
  ] as const) {
    fixture.a.behaviour.reading = reading
    await fixture.pay(started)
    t.equal(fixture.a.answers.at(-1)?.status, status, reading)
    t.same(await fixture.balance(client), { balance: '-50.00', enabled: false })
  }
  t.same(
    (await fixture.problems()).map(({ reason, times }) => [reason, times]),
    [
      ['notConfirmed', 2],
      ['wrongAmount', 1],
    ],
  )
  fixture.a.behaviour.reading = 'fine'
  await fixture.pay(started)
  t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  fixture.a.behaviour.reading = 'error'
  await fixture.pay(started)
  t.equal(fixture.a.answers.at(-1)?.status, 200, 'a repeat needs no read-back')
})

t.test('a creation without an answer is repeated with its key', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const client = await fixture.client()
  for (const creation of ['error', 'silence', 'garbage', 'lost'] as const) {
    fixture.a.behaviour.creation = creation
    t.same(await fixture.start(client, '100'), { kind: 'unavailable' }, creation)
  }
  const orders = await fixture.rows('SELECT state, idempotence_key, error FROM payment_orders')
  t.equal(orders.length, 1, 'all of them were one order')
  t.match(orders[0], { state: 'created', error: 'The gateway answered 500' })
  fixture.a.behaviour.creation = 'fine'
  const started = await fixture.start(client, '100')
  t.equal(started.kind, 'redirect')
  t.equal(fixture.a.payments.length, 1, 'the gateway made one payment')
  t.same([...fixture.a.creations.keys()], [orders[0].idempotence_key])
  t.match(orders[0].idempotence_key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  await fixture.pay(started)
  t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  t.not((await fixture.start(client, '100')).kind, 'unavailable')
  t.equal(fixture.a.payments.length, 2, 'the next payment is another one')
  fixture.a.behaviour.creation = 'refused'
  t.same(await fixture.start(client, '101'), { kind: 'unavailable' })
  t.match(await fixture.rows(`SELECT error FROM payment_orders WHERE state = 'failed'`), [
    { error: /400: invalid_request/ },
  ])
})

t.test('a key is exchanged while people pay', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const [ivan, maria] = [await fixture.client(), await fixture.client()]
  const [first, second] = [await fixture.start(ivan, '100'), await fixture.start(maria, '100')]
  fixture.a.shop.secretKey = 'test_the_next_key'
  await fixture.set({ LK_GWA_SECRET_KEY: 'test_the_next_key' })
  await fixture.pay(first)
  t.same(await fixture.balance(ivan), { balance: '50.00', enabled: true }, 'the metadata are those that were sent')
  const [, { metadata }] = fixture.a.payments as unknown as [unknown, { metadata: Record<string, string> }]
  const forged = { ...metadata, credit_amount: '1000.00' }
  t.equal((await fixture.send(succeeded('p-9', '104.50', forged), json)).status, 403)
  await fixture.set({ LK_GWA_SECRET_KEY: '' })
  t.equal((await fixture.send(succeeded('p-9', '104.50', metadata), json)).status, 403, 'without a key nothing is ours')
  await fixture.set({ LK_GWA_SECRET_KEY: 'test_the_next_key', LK_GWA_VERIFY_BY_API: false })
  t.equal((await fixture.send(succeeded('p-9', '104.50', metadata), json)).status, 503, 'a former key proves nothing')
  t.same(await fixture.balance(maria), { balance: '-50.00', enabled: false })
  await fixture.pay(second)
  t.same(await fixture.balance(maria), { balance: '50.00', enabled: true })
})

t.test('amounts and subscribers that cannot be meant are refused', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const client = await fixture.client()
  for (const amount of ['0', '-1', '1000000.01'])
    t.same(await fixture.start(client, amount), { kind: 'refused', reason: 'amountWrong' }, amount)
  await fixture.rows('UPDATE abonents SET deleted = true WHERE id = $1', [client])
  t.same(await fixture.start(client, '1'), { kind: 'refused', reason: 'subscriberMissing' })
  t.same(await fixture.rows('SELECT FROM payment_orders'), [])
})
