import t from 'tap'
import { signatureOf } from '../../../src/billing/payments/gateway-b.ts'
import type { Money } from '../../../src/domain/money.ts'
import { enteredKeys } from '../../../src/domain/money-keys.ts'
import { SharedDatabase } from '../../support/database.ts'
import { type PaymentFixture, merchantKey, openPaymentFixture } from './fixture.ts'

const shared = await SharedDatabase.open(t)

async function openShop(...[t, shared, behaviour]: Parameters<typeof openPaymentFixture>): Promise<PaymentFixture> {
  const fixture = await openPaymentFixture(t, shared, behaviour)
  await fixture.set({ LK_PAYMENT_SYSTEM: 'gwb' })
  return fixture
}

const retry = (words: string) => `WMI_RESULT=RETRY&WMI_DESCRIPTION=${encodeURIComponent(words)}`

function notice(fields: Readonly<Record<string, string>>, key = merchantKey): URLSearchParams {
  const all = {
    WMI_MERCHANT_ID: '119175088534',
    WMI_PAYMENT_AMOUNT: '104.50',
    WMI_CURRENCY_ID: '643',
    WMI_ORDER_ID: '305421309635',
    WMI_ORDER_STATE: 'Accepted',
    ...fields,
  }
  const signed = Object.entries(all).map(([name, value]) => ({ name, value: Buffer.from(value) }))
  return new URLSearchParams({ ...all, WMI_SIGNATURE: signatureOf(signed, key) })
}

t.test('a client pays by the signed form; the notice comes in windows-1251', async (t) => {
  const fixture = await openShop(t, shared)
  const client = await fixture.client()
  const started = await fixture.start(client, '100.00')
  if (started.kind !== 'formPost') throw new Error('not started')
  const { orderId } = started
  t.match(started, {
    action: fixture.b.formUrl,
    fields: {
      WMI_MERCHANT_ID: '119175088534',
      WMI_PAYMENT_AMOUNT: '104.50',
      WMI_CURRENCY_ID: '643',
      WMI_PAYMENT_NO: `${client}-${orderId}`,
      WMI_CUSTOMER_EMAIL: 'ivan@example.com',
    },
  })
  const back = await fixture.pay(started)
  const { result_token: token } = await fixture.order(orderId)
  t.equal(back, `https://billing.example/lk/payments/result/?order=${orderId}&result=success&token=${token}`)
  t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  t.same(
    fixture.b.answers.map(({ text }) => text),
    ['WMI_RESULT=OK', 'WMI_RESULT=OK'],
  )
  const [operation] = await fixture.rows('SELECT * FROM finance_operations')
  t.match(operation, { op_type_id: '24', operator_name: 'gwb', txn: String(orderId), op_summa: '1000000000000' })
  t.match(await fixture.order(orderId), { state: 'paid', gateway_id: operation.operator_pay_id_str })
})

t.test('repeated, forged and in wrong order', async (t) => {
  const fixture = await openShop(t, shared, { repeats: 10, forged: 10, wrongOrder: true })
  const clients = await Promise.all([fixture.client(), fixture.client()])
  await Promise.all(clients.map(async (client) => fixture.pay(await fixture.start(client, '100'))))
  for (const client of clients) t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  t.ok(fixture.b.answers.every(({ text }) => text === 'WMI_RESULT=OK'))
  t.ok(fixture.b.toForged.every(({ text }) => text === retry('The signature is wrong.')))
})

t.test('what does not fit is RETRY and kept', async (t) => {
  const fixture = await openShop(t, shared)
  const [ivan, maria] = [await fixture.client(), await fixture.client()]
  const started = await fixture.start(ivan, '100')
  if (started.kind !== 'formPost') throw new Error('not started')
  const number = { WMI_PAYMENT_NO: `${ivan}-${started.orderId}` }
  const told = async (fields: Readonly<Record<string, string>>, key?: string) =>
    (await fixture.send(notice({ ...number, ...fields }, key))).text

  t.equal(await told({ WMI_PAYMENT_AMOUNT: '1.00' }), retry('104.50 were asked, 1.00 are paid.'))
  t.match(await told({ WMI_PAYMENT_NO: `${maria}-${started.orderId}` }), 'RETRY')
  t.match(await told({ WMI_PAYMENT_NO: `${ivan}-987654` }), 'RETRY')
  t.match(await told({ WMI_PAYMENT_NO: 'kiosk:5' }), 'RETRY')
  t.match(await told({ WMI_MERCHANT_ID: '7' }), 'RETRY')
  t.match(await told({ WMI_CURRENCY_ID: '840' }), 'RETRY')
  t.match(await told({}, 'another key'), 'RETRY')
  const twice = `${notice(number)}&WMI_PAYMENT_AMOUNT=104.50`
  t.equal((await fixture.send(twice)).text, retry('WMI_PAYMENT_AMOUNT was sent twice.'))
  t.same(
    (await fixture.problems()).map(({ reason }) => reason),
    [
      'wrongAmount',
      'unknownOrder',
      'unknownOrder',
      'unknownOrder',
      'wrongShop',
      'wrongAmount',
      'badSignature',
      'malformed',
    ],
  )
  for (const { notice } of await fixture.problems()) t.match(notice, 'WMI_SIGNATURE=***')
  for (const state of ['Created', 'Rejected', 'Expired'])
    t.equal(await told({ WMI_ORDER_STATE: state }), 'WMI_RESULT=OK', `${state} is no money`)
  t.same(await fixture.balance(ivan), { balance: '-50.00', enabled: false })
  t.equal(await told({ WMI_ORDER_STATE: 'ACCEPTED' }), 'WMI_RESULT=OK')
  t.same(await fixture.balance(ivan), { balance: '50.00', enabled: true })
  t.equal(await told({ WMI_ORDER_ID: '305421309636' }), 'WMI_RESULT=OK')
  t.equal((await fixture.balance(ivan)).balance, '50.00', 'a second payment of the order is for the operator')
  t.match((await fixture.problems()).at(-1), { reason: 'doubled', gateway_id: '305421309636' })
})

t.test('the stored order says what is credited, whatever the commission is by now', async (t) => {
  const fixture = await openShop(t, shared)
  const client = await fixture.client()
  const started = await fixture.start(client, '100')
  await fixture.set({ LK_PAYMENT_COMMISSION: '0.2', LK_PAYMENT_SYSTEM: 'gwa' })
  await fixture.pay(started)
  t.equal((await fixture.balance(client)).balance, '50.00', 'and a gateway that is not in use any more is believed')
})

t.test(
  'a cashier who took the order by its number was quicker, even when that operation has been deleted',
  async (t) => {
    for (const deletes of [false, true]) {
      const fixture = await openShop(t, shared)
      const client = await fixture.client()
      const started = await fixture.start(client, '100')
      if (started.kind !== 'formPost') throw new Error('not started')
      const { accountId } = (await fixture.payments.orders.find(started.orderId)) ?? {}
      const receipt = {
        kind: 'post',
        typeId: 7,
        sign: 1,
        amount: 1_000_000_000_000n,
        subscriberId: client,
        movedAt: null,
        description: '',
        details: { txn: String(started.orderId) },
        keys: enteredKeys(accountId!, 1_000_000_000_000n as Money, { txn: String(started.orderId) }),
      }
      const author = { staffId: null, name: 'cashier', address: null }
      const taken = await fixture.accounts.ask(accountId!, receipt as never, author)
      if (taken.kind !== 'done') throw new Error(taken.kind)
      if (deletes) {
        await fixture.accounts.ask(accountId!, { kind: 'removeOperation', operationId: taken.operation!.id }, author)
      }
      await fixture.pay(started)
      t.equal((await fixture.balance(client)).balance, '50.00')
      t.match(await fixture.problems(), [{ reason: 'doubled' }], deletes ? 'deleted' : 'there')
    }
  },
)

t.test('nobody takes the keys of an order or of a gateway beforehand', async (t) => {
  const fixture = await openShop(t, shared)
  const [client, accomplice] = [await fixture.client(), await fixture.client()]
  const started = await fixture.start(client, '100')
  if (started.kind !== 'formPost') throw new Error('not started')
  const author = { staffId: null, name: 'cashier', address: null }
  const orderOf = async (id: number) => (await fixture.payments.orders.find(id))!
  const { accountId: theirs } = await orderOf(started.orderId)
  const other = await fixture.start(accomplice, '100')
  const { accountId: own } = await orderOf(other.kind === 'formPost' ? other.orderId : 0)
  const paymentId = started.fields.WMI_PAYMENT_NO!
  const names = { txn: String(started.orderId), operatorName: 'gwb', operatorPayId: paymentId }
  // On another account, and on the client's own with another sum.
  for (const [account, subscriberId, amount] of [
    [own!, accomplice, 1_000_000_000_000n],
    [theirs!, client, 100_000_000n],
  ] as const) {
    const entered = enteredKeys(account, amount as Money, names)
    const receipt = {
      kind: 'post',
      typeId: 7,
      sign: 1,
      amount,
      subscriberId,
      movedAt: null,
      description: '',
      details: names,
      // The names themselves are taken once in all accounts.
      keys: account === own ? entered : entered.filter((key) => /^(order|receipt):/.test(key)),
    }
    const taken = await fixture.accounts.ask(account, receipt as never, author)
    t.equal(taken.kind, 'done')
  }
  await fixture.pay(started)
  t.equal((await fixture.balance(client)).balance, '50.01', 'credited, though the keys were tried before')
  t.match(await fixture.problems(), [])
})

t.test('the signed form of an order cannot be cut into a notice of a payment', async (t) => {
  const fixture = await openShop(t, shared)
  const aim = await fixture.client()
  const wanted = await fixture.start(aim, '100000')
  if (wanted.kind !== 'formPost') throw new Error('not started')
  const { WMI_MERCHANT_ID = '', WMI_PAYMENT_AMOUNT = '', WMI_PAYMENT_NO = '' } = wanted.fields
  const bait = `${WMI_MERCHANT_ID}AcCepted${WMI_PAYMENT_AMOUNT}${WMI_PAYMENT_NO}`
  const forgers = [
    { email: 'ivan@example.com', url: `https://forger.example/?${bait}` },
    { email: `${bait}@forger.example`, url: null },
  ]
  for (const { email, url } of forgers) {
    const forged = await fixture.start(await fixture.client({ email }), '1', 'gwb', url)
    if (forged.kind !== 'formPost') throw new Error('not started')
    const { WMI_SIGNATURE = '', ...fields } = forged.fields
    const joined = Object.keys(fields)
      .sort()
      .map((name) => fields[name])
      .join('')
    const at = joined.indexOf(bait)
    const cut = {
      WMI_A: joined.slice(0, Math.max(0, at)),
      WMI_MERCHANT_ID,
      WMI_ORDER_STATE: 'AcCepted',
      WMI_PAYMENT_AMOUNT,
      WMI_PAYMENT_NO,
      WMI_Z: joined.slice(at + bait.length),
      WMI_SIGNATURE,
    }
    t.equal((await fixture.send(new URLSearchParams(cut))).text, retry('The signature is wrong.'))
  }
  t.same(await fixture.balance(aim), { balance: '-50.00', enabled: false })
})
