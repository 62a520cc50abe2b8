import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import {
  creationBody,
  isSignedBy,
  noticeOf,
  readBackFault,
  readNotification,
  readPayment,
  signedMetadata,
} from '../../../src/billing/payments/gateway-a-rest.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { parseRubles, rubles } from '../../../src/domain/money.ts'

const key = 'test_Fh8hUAVVBGUGbjmlzba6TB0iyUbos_lueTHE-axOwM0'
const asked = {
  orderId: 1000001,
  subscriberId: subscriberId(42),
  credit: rubles(100),
  payable: parseRubles('104.50')!,
  commission: parseRubles('4.50')!,
}
const payment = (over: object = {}) => ({
  id: '23d93cac-000f-5000-8000-126628f15141',
  status: 'succeeded',
  paid: true,
  amount: { value: '104.50', currency: 'RUB' },
  metadata: signedMetadata(asked, key),
  ...over,
})
const told = (over: object = {}, event = 'payment.succeeded') =>
  readNotification(Buffer.from(JSON.stringify({ type: 'notification', event, object: payment(over) })))

t.test('the signature is the HMAC of the four values of the metadata', async (t) => {
  const metadata = signedMetadata(asked, key)
  t.strictSame(metadata, {
    abonent_id: '42',
    credit_amount: '100.00',
    commission: '4.50',
    order_id: '1000001',
    signature: createHmac('sha256', key).update('42;100.00;4.50;1000001').digest('hex'),
  })
  t.ok(isSignedBy(metadata, key))
  for (const name of Object.keys(metadata)) {
    t.notOk(isSignedBy({ ...metadata, [name]: '1' }, key), `a changed ${name}`)
    const { [name]: _, ...without } = metadata
    t.notOk(isSignedBy(without, key), `no ${name}`)
  }
  t.notOk(isSignedBy(signedMetadata(asked, ''), ''), 'without a key nothing is ours')
})

t.test('the body of a creation', async (t) => {
  const order = { secretKey: key, description: 'Д'.repeat(200), returnUrl: 'https://isp.example/back', receipt: null }
  t.strictSame(creationBody(asked, order), {
    amount: { value: '104.50', currency: 'RUB' },
    confirmation: { type: 'redirect', return_url: 'https://isp.example/back' },
    capture: true,
    description: 'Д'.repeat(128),
    metadata: signedMetadata(asked, key),
  })
  t.match(creationBody(asked, { ...order, receipt: { items: [] } }), { receipt: { items: [] } })
})

t.test('only payment.succeeded is a payment', async (t) => {
  t.match(told(), { kind: 'succeeded', payment: { id: payment().id, amount: asked.payable } })
  t.same(told({}, 'payment.canceled'), { kind: 'ignored', event: 'payment.canceled' })
  t.same(told({}, 'refund.succeeded'), { kind: 'ignored', event: 'refund.succeeded' })
  t.equal(told({ status: 'pending' }).kind, 'malformed')
  t.equal(told({ id: '../../x' }).kind, 'malformed')
  t.equal(told({ amount: { value: '1.001', currency: 'RUB' } }).kind, 'malformed')
  t.equal(told({ amount: null }).kind, 'malformed')
  t.equal(readNotification(Buffer.from('{"event":')).kind, 'malformed')
  t.equal(readNotification(Buffer.from('[]')).kind, 'malformed')
})

t.test('a notice is what the signed metadata say', async (t) => {
  t.same(noticeOf(readPayment(payment())!), {
    gateway: 'gwa',
    protocol: 'rest',
    gatewayId: payment().id,
    orderId: 1000001,
    subscriberId: 42,
    paid: asked.payable,
    credit: asked.credit,
    result: 'succeeded',
  })
  t.equal(noticeOf(readPayment(payment({ metadata: {} }))!), null)
})

t.test('a payment read back is compared in all that matters', async (t) => {
  const first = readPayment(payment())!
  t.equal(readBackFault(first, readPayment(payment())!), null)
  t.equal(readBackFault(first, readPayment(payment({ status: 'pending' }))!), 'notSucceeded')
  t.equal(readBackFault(first, readPayment(payment({ id: 'other' }))!), 'otherPayment')
  t.equal(readBackFault(first, readPayment(payment({ amount: { value: '1.00', currency: 'RUB' } }))!), 'otherPayment')
  t.equal(readBackFault(first, readPayment(payment({ amount: { value: '104.50', currency: 'USD' } }))!), 'otherPayment')
  t.equal(readBackFault(first, readPayment(payment({ metadata: {} }))!), 'otherPayment')
})

t.test('no body breaks the reading', async () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      (bytes) => readNotification(Buffer.from(bytes)).kind === 'malformed',
    ),
  )
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (object, event) => {
      const read = readNotification(Buffer.from(JSON.stringify({ event, object })))
      if (read.kind === 'succeeded') noticeOf(read.payment)
      return true
    }),
  )
  const member = fc.oneof(fc.jsonValue(), fc.constantFrom('1', '100.00', 'succeeded', '__proto__'))
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(payment()), '__proto__'), member), (over) => {
      const read = told(over)
      if (read.kind === 'succeeded') noticeOf(read.payment)
      return true
    }),
  )
})
