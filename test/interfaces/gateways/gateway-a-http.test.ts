import fc from 'fast-check'
import t from 'tap'
import { formFields } from '../../../src/billing/payments/gateway-a-http.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { parseRubles } from '../../../src/domain/money.ts'
import { FormBytes, readFormBytes } from '../../../src/interfaces/gateways/form-bytes.ts'
import {
  answerXml,
  isSignedWith,
  momentIn,
  noticeOf,
  signatureOf,
} from '../../../src/interfaces/gateways/gateway-a-http.ts'

const formOf = (fields: Readonly<Record<string, string>>) =>
  readFormBytes(Buffer.from(String(new URLSearchParams(fields))))!

/**
 * The sample of the vendor's protocol description
 * (yookassa.ru/docs/payment-solution/payments/notifications/http/basics), as it stands in the tests of many clients,
 * for example davydes/yk_form (spec/) on GitHub.
 */
const sample = {
  action: 'checkOrder',
  orderSumAmount: '87.10',
  orderSumCurrencyPaycash: '643',
  orderSumBankPaycash: '1001',
  shopId: '13',
  invoiceId: '55',
  customerNumber: '8123294469',
  md5: '1B35ABE38AA54F2931B0C58646FD1321',
}
const password = 's<kY23653f,{9fcnshwq'

t.test("the vendor's published sample verifies", async (t) => {
  t.equal(signatureOf(formOf(sample), password), sample.md5)
  t.ok(isSignedWith(formOf(sample), password))
  t.ok(isSignedWith(formOf({ ...sample, md5: sample.md5.toLowerCase() }), password), 'in small letters too')
})

t.test('any changed value, another password or none is refused', async (t) => {
  for (const name of Object.keys(sample)) {
    t.notOk(isSignedWith(formOf({ ...sample, [name]: `${sample[name as keyof typeof sample]}1` }), password), name)
  }
  t.notOk(isSignedWith(formOf(sample), 'other'))
  const unset = { ...sample, md5: signatureOf(formOf(sample), '') }
  t.notOk(isSignedWith(formOf(unset), ''), 'a shop without a password believes nobody')
})

t.test('a notice is read from digits only', async (t) => {
  t.same(noticeOf(formOf(sample)), {
    gateway: 'gwa',
    protocol: 'http',
    gatewayId: '55',
    orderId: null,
    subscriberId: 8123294469,
    paid: parseRubles('87.10'),
    credit: null,
    result: 'checkOrder',
  })
  t.equal(noticeOf(formOf({ ...sample, orderNumber: '1000001' }))?.orderId, 1000001)
  for (const wrong of [
    { invoiceId: '55a' },
    { customerNumber: '-1' },
    { customerNumber: '12 ' },
    { orderSumAmount: '87.101' },
    { orderSumAmount: '-5' },
    { orderNumber: 'x' },
  ]) {
    t.equal(noticeOf(formOf({ ...sample, ...wrong })), null, JSON.stringify(wrong))
  }
})

t.test('the answer is the XML of the protocol', async (t) => {
  const answer = {
    action: 'checkOrder',
    code: 0,
    performedAt: new Date('2011-05-04T16:38:01Z'),
    timeZone: 'Etc/GMT-4',
    invoiceId: '1234567',
    shopId: '13',
  } as const
  t.equal(
    answerXml(answer),
    '<?xml version="1.0" encoding="UTF-8"?>\n<checkOrderResponse performedDatetime="2011-05-04T20:38:01.000+04:00" code="0" invoiceId="1234567" shopId="13"/>\n',
  )
  t.match(answerXml({ ...answer, invoiceId: '"><x', shopId: '"><x' }), 'invoiceId="" shopId="&quot;&gt;&lt;x"')
  t.equal(momentIn(new Date('2026-01-01T00:00:00Z'), 'America/New_York'), '2025-12-31T19:00:00.000-05:00')
  t.equal(momentIn(new Date('2026-01-01T00:00:00Z'), 'UTC'), '2026-01-01T00:00:00.000+00:00')
})

t.test('the form has the fields of the specification', async (t) => {
  const order = {
    shopId: '13',
    scid: '57',
    payable: parseRubles('104.5')!,
    subscriberId: subscriberId(7),
    orderId: 1000001,
    successUrl: 'https://isp.example/ok',
    failUrl: 'https://isp.example/fail',
    email: 'ivan@example.com',
    phone: '79001234567',
    receipt: null,
  }
  t.strictSame(formFields(order), {
    shopId: '13',
    scid: '57',
    sum: '104.50',
    customerNumber: '7',
    orderNumber: '1000001',
    shopSuccessURL: 'https://isp.example/ok',
    shopFailURL: 'https://isp.example/fail',
    cps_email: 'ivan@example.com',
    cps_phone: '79001234567',
    paymentType: '',
  })
  t.equal(formFields({ ...order, receipt: '{}' }).ym_merchant_receipt, '{}')
})

t.test('no bytes make the reader throw, and an unsigned notice is never taken for a signed one', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const form = readFormBytes(Buffer.from(bytes))!
      noticeOf(form)
      return !isSignedWith(form, password)
    }),
  )
  const names = fc.constantFrom(...Object.keys(sample), 'orderNumber', 'WMI_X')
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.uint8Array({ maxLength: 20 }))), (fields) => {
      const form = new FormBytes(fields.map(([name, value]) => ({ name, value: Buffer.from(value) })))
      noticeOf(form)
      return !isSignedWith(form, password)
    }),
  )
})
