import { createHash } from 'node:crypto'
import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { type PaymentFixture, openPaymentFixture, shopPassword } from './fixture.ts'

const shared = await SharedDatabase.open(t)

async function openShop(...[t, shared, behaviour]: Parameters<typeof openPaymentFixture>): Promise<PaymentFixture> {
  const fixture = await openPaymentFixture(t, shared, behaviour)
  await fixture.set({ LK_GWA_SECRET_KEY: shopPassword, LK_GWA_API_URL: '', LK_PAYMENT_COMMISSION: '0.05' })
  return fixture
}

const signed = [
  'action',
  'orderSumAmount',
  'orderSumCurrencyPaycash',
  'orderSumBankPaycash',
  'shopId',
  'invoiceId',
  'customerNumber',
] as const

function callback(fields: Readonly<Record<string, string>>, password = shopPassword): URLSearchParams {
  const all: Record<string, string> = {
    action: 'paymentAviso',
    orderSumAmount: '105.00',
    orderSumCurrencyPaycash: '643',
    orderSumBankPaycash: '1001',
    shopId: '100500',
    invoiceId: '2000000000001',
    ...fields,
  }
  const md5 = createHash('md5')
    .update([...signed.map((name) => all[name]), password].join(';'))
    .digest('hex')
    .toUpperCase()
  return new URLSearchParams({ ...all, md5 })
}

const codeOf = (text: string) => Number(/ code="(\d+)"/.exec(text)?.[1])

t.test('a client pays by the form, the shop is asked and told', async (t) => {
  const fixture = await openShop(t, shared)
  const client = await fixture.client({ sms: '8 (900) 123-45-67' })
  const started = await fixture.start(client, '100.00')
  if (started.kind !== 'formPost') throw new Error('not started')
  t.match(started, {
    action: fixture.a.formUrl,
    fields: {
      shopId: '100500',
      scid: '57',
      sum: '105.00',
      customerNumber: String(client),
      orderNumber: String(started.orderId),
      cps_email: 'ivan@example.com',
      cps_phone: '79001234567',
      paymentType: '',
    },
  })
  t.match(await fixture.order(started.orderId), { state: 'sent', protocol: 'http' })
  t.equal(await fixture.pay(started), started.fields.shopSuccessURL)
  t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  const [operation] = await fixture.rows('SELECT * FROM finance_operations')
  t.match(operation, {
    op_type_id: '23',
    operator_name: 'gwa',
    txn: String(started.orderId),
    op_summa: '1000000000000',
  })
  t.match(operation.descr, 'внесено 105.00 руб., комиссия 5.00 руб.')
  const [asked, told] = fixture.a.answers
  t.match(
    asked?.text,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<checkOrderResponse performedDatetime="[^"]+\+03:00" code="0"/,
  )
  t.match(told?.text, `<paymentAvisoResponse`)
  t.match(told?.text, `invoiceId="${operation.operator_pay_id_str}" shopId="100500"/>`)
})

t.test('repeated, forged and in wrong order', async (t) => {
  const fixture = await openShop(t, shared, { repeats: 10, forged: 10, wrongOrder: true })
  const clients = await Promise.all([fixture.client(), fixture.client()])
  await Promise.all(clients.map(async (client) => fixture.pay(await fixture.start(client, '100'))))
  for (const client of clients) t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  // On a busy machine some of so many at once may have no answer in time.
  const toForged = fixture.a.toForged.filter(({ status }) => status === 200).map(({ text }) => codeOf(text))
  t.strictSame([...new Set(toForged)], [1], 'a forged one has code 1')
  const [first, ...others] = fixture.a.answers
    .filter(({ text }) => text.includes('paymentAviso'))
    .map(({ text }) => text)
  const sameInvoice = others.filter((text) => text.slice(-60) === first?.slice(-60))
  t.equal(sameInvoice.length, 9)
  t.ok(
    sameInvoice.every((text) => text === first),
    'a repeat has the answer of the first, to the letter',
  )
})

t.test('what does not fit is code 100 and kept', async (t) => {
  const fixture = await openShop(t, shared)
  const [ivan, maria] = [await fixture.client(), await fixture.client()]
  const started = await fixture.start(ivan, '100')
  if (started.kind !== 'formPost') throw new Error('not started')
  const order = { customerNumber: String(ivan), orderNumber: String(started.orderId) }
  const code = async (fields: Readonly<Record<string, string>>) => {
    const answers = []
    for (const action of ['checkOrder', 'paymentAviso']) {
      const { status, text } = await fixture.send(callback({ ...order, action, ...fields }))
      t.equal(status, 200)
      answers.push(codeOf(text))
    }
    return answers
  }
  t.same(await code({ orderSumAmount: '1.00' }), [100, 100], 'a changed sum')
  t.same(await code({ shopId: '7' }), [100, 100], 'another shop')
  t.same(await code({ customerNumber: String(maria) }), [100, 100], 'another customer')
  t.same(await code({ customerNumber: '987654', orderNumber: '' }), [100, 100], 'an unknown customer')
  t.same(await code({ orderNumber: '987654' }), [100, 100], 'an unknown order')
  t.same(await code({ invoiceId: 'x' }), [100, 100], 'an invoice that is no number')
  t.equal(codeOf((await fixture.send(callback(order, 'other'))).text), 1, 'another password')
  t.same(await fixture.balance(ivan), { balance: '-50.00', enabled: false })
  t.same(
    (await fixture.problems()).map(({ reason, times }) => `${reason} ${times}`),
    [
      'wrongAmount 2',
      'wrongShop 2',
      'unknownOrder 2',
      'unknownSubscriber 2',
      'unknownOrder 2',
      'malformed 1',
      'malformed 1',
      'badSignature 1',
    ],
  )
  t.same(await code({}), [0, 0])
  t.same(await fixture.balance(ivan), { balance: '50.00', enabled: true })
  t.same(await code({}), [0, 0], 'the same again')
  t.same(
    await code({ invoiceId: '2000000000002' }),
    [100, 0],
    'paid twice: nobody is asked to, but what is done is told',
  )
  t.same(await fixture.balance(ivan), { balance: '50.00', enabled: true })
  t.match((await fixture.problems()).at(-1), { reason: 'doubled', times: 2 })
})

t.test('a payment without an order number credits what the commission leaves', async (t) => {
  const fixture = await openShop(t, shared)
  const client = await fixture.client()
  const aviso = (fields: Readonly<Record<string, string>>) =>
    fixture.send(callback({ customerNumber: String(client), ...fields }))
  const [one, two] = await Promise.all([aviso({ orderSumAmount: '210.00' }), aviso({ orderSumAmount: '210.00' })])
  t.equal(one.text, two.text)
  t.equal(codeOf(one.text), 0)
  t.same(await fixture.balance(client), { balance: '150.00', enabled: true })
  t.match(await fixture.rows('SELECT origin, state, amount, payable FROM payment_orders'), [
    { origin: 'notice', state: 'paid', amount: '2000000000000', payable: '2100000000000' },
  ])

  const started = await fixture.start(client, '100')
  await fixture.set({ LK_PAYMENT_COMMISSION: '0.1' })
  const waiting = ['2000000000011', '2000000000012'].map((invoiceId) => aviso({ invoiceId }))
  t.same(
    (await Promise.all(waiting)).map(({ text }) => codeOf(text)),
    [0, 0],
  )
  t.equal((await fixture.balance(client)).balance, '345.45', 'one was for the waiting order, the other for itself')
  t.match(started.kind === 'formPost' && (await fixture.order(started.orderId)), { state: 'paid' })
  t.same(await fixture.problems(), [])
})

t.test('a payment of somebody who has left is credited, but nobody is let to make one', async (t) => {
  const fixture = await openShop(t, shared)
  const client = await fixture.client()
  await fixture.rows('UPDATE abonents SET deleted = true WHERE id = $1', [client])
  const order = { customerNumber: String(client) }
  t.equal(codeOf((await fixture.send(callback({ ...order, action: 'checkOrder' }))).text), 100)
  t.equal(codeOf((await fixture.send(callback(order))).text), 0)
  t.equal((await fixture.balance(client)).balance, '50.00')
})

t.test('a payment that was given back is not credited when its notice can be', async (t) => {
  const fixture = await openShop(t, shared)
  const client = await fixture.client()
  const problem = { id: 1, gateway: 'gwa', gatewayId: '2000000000001' } as const
  t.equal(await fixture.payments.withholdUncredited(fixture.database.pool, problem), null)
  await fixture.send(callback({ customerNumber: String(client) }))
  t.match(await fixture.problems(), [{ reason: 'doubled', times: 1, gateway_id: '2000000000001' }])
  t.equal((await fixture.balance(client)).balance, '-50.00')

  const other = { customerNumber: String(client), invoiceId: '2000000000002' }
  t.equal(codeOf((await fixture.send(callback(other))).text), 0)
  const [{ op_id }] = await fixture.rows('SELECT op_id::int FROM finance_operations')
  t.equal(
    await fixture.payments.withholdUncredited(fixture.database.pool, { ...problem, gatewayId: other.invoiceId }),
    op_id,
    'one that was credited is not withheld',
  )
})
