import fc from 'fast-check'
import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { fetch } from '../../support/published.ts'
import { openPaymentFixture } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

t.test('the source is told by the fields, in the order of the specification', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const answer = async (body: string, type: string) => (await fixture.send(body, type)).text
  t.match(await answer('WMI_MERCHANT_ID=1&action=checkOrder', form), 'WMI_RESULT=RETRY')
  t.match(await answer('action=checkOrder', form), '<checkOrderResponse ')
  t.match(await answer('action=paymentAviso', form), '<paymentAvisoResponse ')
  t.match(await answer('action=checkOrder', 'text/plain'), '<checkOrderResponse ', 'whatever the type says')
  t.equal(await answer('{"event":"payment.canceled"}', json), 'OK\n')
  t.equal(
    (await fixture.send('{"event":"refund.succeeded","x":"&WMI_MERCHANT_ID=1&"}', json)).text,
    'OK\n',
    "a client's text in JSON is no field",
  )
  for (const [body, type] of [
    ['', form],
    ['action=cancel', form],
    ['{"event":"payment.succeeded"}', form],
    ['<x/>', 'text/xml'],
  ] as const)
    t.equal((await fixture.send(body, type)).status, 400, body)
  t.equal((await fetch(`${fixture.base}/lk/payments/webhook/`)).status, 405)
})

t.test('in READ_ONLY_MODE the gateways are told to come again', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  await fixture.set({ READ_ONLY_MODE: true })
  t.equal((await fixture.send('action=checkOrder')).status, 403)
})

t.test('whatever is sent, nothing fails and nothing is credited', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  await fixture.client()
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('checkOrder', 'paymentAviso', 'Accepted', '1', '100.00', '\0'),
  )
  const name = fc.constantFrom(
    ...['WMI_MERCHANT_ID', 'WMI_SIGNATURE', 'WMI_PAYMENT_NO', 'WMI_PAYMENT_AMOUNT', 'WMI_ORDER_STATE', 'action'],
    ...['md5', 'orderSumAmount', 'shopId', 'invoiceId', 'customerNumber', 'orderNumber'],
  )
  const forms = fc.array(fc.tuple(name, word), { maxLength: 10 }).map((fields) => String(new URLSearchParams(fields)))
  const notices = fc
    .record({ event: fc.constant('payment.succeeded'), object: fc.jsonValue() })
    .map((notice) => JSON.stringify(notice))
  await fc.assert(
    fc.asyncProperty(fc.oneof(forms, notices, fc.string()), fc.constantFrom(form, json, ''), async (body, type) => {
      const { status } = await fixture.send(body, type)
      return status === 200 || status === 400 || status === 403
    }),
    { numRuns: 300 },
  )
  await fixture.send('WMI_MERCHANT_ID=1&WMI_%00=1&WMI_%00=2')
  t.same(await fixture.rows('SELECT FROM finance_operations'), [])
  t.same(
    fixture.log.filter(({ level }) => level === 'error'),
    [],
  )
})

t.test('who sends forged notices all day does not fill the table', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  for (let n = 0; n < 130; n++) await fixture.send(`WMI_MERCHANT_ID=1&WMI_PAYMENT_NO=${n}`)
  t.equal((await fixture.problems()).length, 100)
  await fixture.send('WMI_MERCHANT_ID=1&WMI_PAYMENT_NO=1')
  t.match((await fixture.problems())[1], { times: 2 }, 'what is known is still counted')
})
