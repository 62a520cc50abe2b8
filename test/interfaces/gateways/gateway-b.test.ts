import fc from 'fast-check'
import t from 'tap'
import { formFields, signatureOf } from '../../../src/billing/payments/gateway-b.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { parseRubles } from '../../../src/domain/money.ts'
import { asWindows1251, FormBytes, readFormBytes, textOf } from '../../../src/interfaces/gateways/form-bytes.ts'
import {
  isAccepted,
  isSignedWith,
  noticeOf,
  okAnswer,
  repeatedField,
  retryAnswer,
} from '../../../src/interfaces/gateways/gateway-b.ts'

type Fields = Readonly<Record<string, string>>

const utf8 = (text: string) => Buffer.from(text)
const windows1251 = (text: string) => asWindows1251(Buffer.from(text))!

const escaped = (bytes: Buffer) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const posted = (fields: Fields, encode: (text: string) => Buffer) =>
  readFormBytes(
    Buffer.from(
      Object.entries(fields)
        .map(([name, value]) => `${name}=${escaped(encode(value))}`)
        .join('&'),
    ),
  )!

/**
 * The form of walletone.com/en/merchant/documentation/ (step 3), as codeandgraphics/walletone, Tests/SignatureTest.php,
 * has it.
 */
const documentedForm = {
  WMI_MERCHANT_ID: '119175088534',
  WMI_PAYMENT_AMOUNT: '100.00',
  WMI_CURRENCY_ID: '643',
  WMI_PAYMENT_NO: '12345-001',
  WMI_DESCRIPTION: `BASE64:${Buffer.from('Payment for order #12345-001 in MYSHOP.com').toString('base64')}`,
  WMI_EXPIRED_DATE: '2019-12-31T23:59:59',
  WMI_SUCCESS_URL: 'https://myshop.com/w1/success.php',
  WMI_FAIL_URL: 'https://myshop.com/w1/fail.php',
  MyShopParam1: 'Value1',
  MyShopParam2: 'Value2',
  MyShopParam3: 'Value3',
  WMI_SIGNATURE: '7qnRb5mi+2viZbYS3wKlhQ==',
}
const documentedKey = 'XkZMYW56NzVbNV1aekxGNVxvT3xwVHExZ005'

/** A notification that the gateway has sent: the same file, testResponseSignature. */
const notification = {
  WMI_AUTO_ACCEPT: '1',
  WMI_COMMISSION_AMOUNT: '0.03',
  WMI_CREATE_DATE: '2017-03-14 19:48:45',
  WMI_CURRENCY_ID: '643',
  WMI_DESCRIPTION: 'Payment for order #12345-001 in MYSHOP.com',
  WMI_EXPIRED_DATE: '2017-04-14 19:48:45',
  WMI_FAIL_URL: 'https://myshop.com/w1/fail.php',
  WMI_LAST_NOTIFY_DATE: '2017-03-14 20:41:54',
  WMI_MERCHANT_ID: '119175088534',
  WMI_NOTIFY_COUNT: '12',
  WMI_ORDER_ID: '305421309635',
  WMI_ORDER_STATE: 'Accepted',
  WMI_PAYMENT_AMOUNT: '100.00',
  WMI_PAYMENT_NO: '12345-001',
  WMI_PAYMENT_TYPE: 'WalletOneRUB',
  WMI_SUCCESS_URL: 'https://myshop.com/w1/success.php',
  WMI_TO_USER_ID: '135723121206',
  WMI_UPDATE_DATE: '2017-03-14 20:00:46',
  WMI_SIGNATURE: 'OHPVU/Us1Rr3Pn68MDexrw==',
}

/** A notification with Russian text, signed in windows-1251: BrandyMint/walletone, spec/walletone/response_spec.rb. */
const russianNotification = {
  WMI_MERCHANT_ID: '127696943127',
  WMI_CURRENCY_ID: '643',
  WMI_PAYMENT_AMOUNT: '3000.00',
  WMI_AUTO_ACCEPT: '1',
  WMI_COMMISSION_AMOUNT: '120.00',
  WMI_CREATE_DATE: '2014-12-16 20:04:27',
  WMI_DESCRIPTION: 'Браслет цепочка Хамса с цирконами золоченый',
  WMI_EXPIRED_DATE: '2015-01-16 20:04:27',
  WMI_EXTERNAL_ACCOUNT_ID: '4276********3093',
  WMI_LAST_NOTIFY_DATE: '2014-12-16 20:07:44',
  WMI_NOTIFY_COUNT: '3',
  WMI_ORDER_ID: '346935973926',
  WMI_ORDER_STATE: 'Accepted',
  WMI_PAYMENT_NO: 'kiosk:5-604-pro',
  WMI_PAYMENT_TYPE: 'CreditCardRUB',
  WMI_FAIL_URL: 'http://wannabe.kiiiosk.ru/payments/w1/failure',
  WMI_SUCCESS_URL: 'http://wannabe.kiiiosk.ru/payments/w1/success',
  WMI_UPDATE_DATE: '2014-12-16 20:05:51',
  WMI_SIGNATURE: '0v/qXN0eonX2+8AuiLLONQ==',
}
const russianKey = '623577687055676e43446f6c474f385165356e64556e474e5d7366'

/** The form in the README of wallet-one 0.11 on PyPI. */
const pythonForm = {
  WMI_MERCHANT_ID: '195751850197',
  WMI_PAYMENT_AMOUNT: '1000.0',
  WMI_CURRENCY_ID: '643',
  WMI_DESCRIPTION: 'Your payment description',
  WMI_SUCCESS_URL: 'https://your.url/success',
  WMI_FAIL_URL: 'https://your.url/fail',
  WMI_SIGNATURE: 'b1VngBA5Y3aiWlPLPEdG9w==',
}
const pythonKey = '4436657a5c785f354b76314a6c4a666e6832695e58356a5c475c60'

t.test('published samples verify', async (t) => {
  t.ok(isSignedWith(posted(documentedForm, utf8), documentedKey), "the vendor's documentation")
  t.ok(isSignedWith(posted(notification, utf8), documentedKey), 'a notification')
  t.ok(isSignedWith(posted(russianNotification, windows1251), russianKey), 'a notification in windows-1251')
  t.ok(isSignedWith(posted(russianNotification, utf8), russianKey), 'the same, arrived as UTF-8')
  t.ok(isSignedWith(posted(pythonForm, utf8), pythonKey), 'a form of another client')
})

t.test('a changed value, another key or none is refused', async (t) => {
  for (const [name, value] of Object.entries(russianNotification)) {
    t.notOk(isSignedWith(posted({ ...russianNotification, [name]: `${value}1` }, windows1251), russianKey), name)
  }
  t.notOk(isSignedWith(posted(notification, utf8), 'other'))
  const unsigned = { ...pythonForm, WMI_SIGNATURE: '' }
  const { WMI_SIGNATURE: _, ...plain } = unsigned
  t.notOk(isSignedWith(posted({ ...plain, WMI_SIGNATURE: signatureOf(posted(plain, utf8).fields, '') }, utf8), ''))
})

t.test('a signature over the WMI_ fields alone is accepted too', async (t) => {
  const { WMI_SIGNATURE: _, MyShopParam1: _1, MyShopParam2: _2, MyShopParam3: _3, ...own } = documentedForm
  const signature = signatureOf(posted(own, utf8).fields, documentedKey)
  t.not(signature, documentedForm.WMI_SIGNATURE)
  t.ok(isSignedWith(posted({ ...documentedForm, WMI_SIGNATURE: signature }, utf8), documentedKey))
})

t.test('a list is sorted in itself, names are taken in case-sensitive order', async (t) => {
  const form = (body: string) => readFormBytes(Buffer.from(body))!
  const listed = form('WMI_PTENABLED=b&WMI_PTENABLED=a&WMI_MERCHANT_ID=1')
  t.equal(signatureOf(listed.fields, 'k'), signatureOf([{ name: 'all', value: Buffer.from('1ab') }], 'k'))
  const cased = form('wmi=3&WMI_B=2&WMI_A=1')
  t.equal(signatureOf(cased.fields, 'k'), signatureOf([{ name: 'all', value: Buffer.from('123') }], 'k'))
  t.equal(repeatedField(listed), null)
  t.equal(repeatedField(form('WMI_PAYMENT_AMOUNT=1&WMI_PAYMENT_AMOUNT=2')), 'WMI_PAYMENT_AMOUNT')
  t.equal(repeatedField(form('own=1&own=2')), null)
})

t.test('a notice names subscriber and order by its number', async (t) => {
  const of = (over: Fields) => noticeOf(posted({ ...notification, WMI_PAYMENT_NO: '42-1000001', ...over }, utf8))
  t.same(of({}), {
    gateway: 'gwb',
    protocol: 'form',
    gatewayId: '305421309635',
    orderId: 1000001,
    subscriberId: 42,
    paid: parseRubles('100'),
    credit: null,
    result: 'Accepted',
  })
  t.equal(of({ WMI_ORDER_ID: '' })?.gatewayId, '42-1000001')
  for (const number of ['kiosk:5-604-pro', '42', '42-', '-1', '42-1-1', '42-1.5', '042-1'])
    t.equal(of({ WMI_PAYMENT_NO: number }), null, number)
  t.equal(of({ WMI_PAYMENT_AMOUNT: '1.001' }), null)
  t.ok(isAccepted(posted({ WMI_ORDER_STATE: 'ACCEPTED' }, utf8)))
  t.notOk(isAccepted(posted({ WMI_ORDER_STATE: 'Rejected' }, utf8)))
})

t.test('our form is signed, in ASCII, with its purpose in BASE64', async (t) => {
  const fields = formFields(
    {
      merchantId: '119175088534',
      payable: parseRubles('104.5')!,
      currencyId: '643',
      description: 'Пополнение счёта',
      subscriberId: subscriberId(42),
      orderId: 1000001,
      successUrl: 'https://isp.example/ok',
      failUrl: 'https://isp.example/fail',
      email: 'ivan@example.com',
    },
    documentedKey,
  )
  t.match(fields, {
    WMI_PAYMENT_AMOUNT: '104.50',
    WMI_PAYMENT_NO: '42-1000001',
    WMI_CUSTOMER_EMAIL: 'ivan@example.com',
  })
  t.equal(fields.WMI_DESCRIPTION, `BASE64:${Buffer.from('Пополнение счёта').toString('base64')}`)
  t.match(Object.values(fields).join(''), /^[\x20-\x7e]+$/)
  t.ok(isSignedWith(posted(fields, utf8), documentedKey))
})

t.test('answers are text of the protocol', async (t) => {
  t.equal(okAnswer, 'WMI_RESULT=OK')
  t.equal(retryAnswer('Unknown order'), 'WMI_RESULT=RETRY&WMI_DESCRIPTION=Unknown%20order')
})

t.test('any form that is signed verifies in both encodings, in whatever order it is sent', async () => {
  const name = fc.stringMatching(/^(WMI_)?[A-Za-z]{1,6}$/).filter((text) => text !== 'WMI_SIGNATURE')
  const value = fc.array(fc.constantFrom(...'abz019 %&=+;ЖёЯ№'), { maxLength: 12 }).map((signs) => signs.join(''))
  const fields = fc.array(fc.tuple(name, value), { maxLength: 12 })
  fc.assert(
    fc.property(fields, fc.boolean(), fc.string({ minLength: 1 }), (sent, inUtf8, key) => {
      const encode = inUtf8 ? utf8 : windows1251
      const signed = sent.map(([name, text]) => ({ name, value: encode(text) }))
      const signature = { name: 'WMI_SIGNATURE', value: Buffer.from(signatureOf(signed, key)) }
      const body = [...signed, signature].reverse().map(({ name, value }) => `${name}=${escaped(value)}`)
      const form = readFormBytes(Buffer.from(body.join('&')))!
      return isSignedWith(form, key) && !isSignedWith(form, `${key}x`)
    }),
  )
})

t.test('no bytes break the reading', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const form = readFormBytes(Buffer.from(bytes))!
      noticeOf(form)
      repeatedField(form)
      for (const { value } of form.fields) textOf(value)
      return !isSignedWith(form, 'key')
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
      const form = readFormBytes(Buffer.from(String(new URLSearchParams(pairs))))!
      return form.fields.every(({ value }, at) => textOf(value) === Buffer.from(pairs[at]![1]).toString())
    }),
  )
  t.equal(readFormBytes(Buffer.from('a&'.repeat(1001))), null, 'too many fields are none')
  t.equal(new FormBytes([]).text('x'), '')
  t.equal(readFormBytes(Buffer.from('a=%zz%4&b=%41+%'))!.text('a'), '%zz%4')
  t.equal(readFormBytes(Buffer.from('a=%zz%4&b=%41+%'))!.text('b'), 'A %')
})
