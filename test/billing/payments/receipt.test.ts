import fc from 'fast-check'
import t from 'tap'
import { contactFor, httpReceipt, restReceipt } from '../../../src/billing/payments/receipt.ts'
import { firstAsciiEmail, firstPhone } from '../../../src/domain/contacts.ts'
import { parseRubles } from '../../../src/domain/money.ts'

const line = {
  contract: '000123',
  payable: parseRubles('104.50')!,
  vatCode: 11,
  paymentSubject: 'service',
  paymentMode: 'full_prepayment',
}

t.test('the receipt goes to the e-mail, else the phone, else the provider', async (t) => {
  const both = { email: 'ivan@example.com', phone: '+7 (900) 123-45-67' }
  t.same(contactFor(both, 'kassa@isp.example'), { kind: 'email', value: 'ivan@example.com' })
  t.same(contactFor({ ...both, email: '' }, 'kassa@isp.example'), { kind: 'phone', value: '79001234567' })
  t.same(contactFor({ email: 'none', phone: '12' }, 'kassa@isp.example'), { kind: 'email', value: 'kassa@isp.example' })
  t.equal(contactFor({ email: '', phone: '' }, ''), null)
})

t.test('a phone becomes eleven digits however it was typed', async (t) => {
  for (const typed of [
    '+7 (900) 123-45-67',
    '8 900 1234567',
    '9001234567',
    '79001234567',
    'тел. 8-900-123-45-67, дом 5',
  ])
    t.equal(firstPhone(typed), '79001234567', typed)
  t.equal(firstPhone('12-34-56; 8 900 123-45-67'), '79001234567', 'the first that is one')
  t.equal(firstPhone('+375291234567'), null, 'twelve digits are no phone of eleven')
  fc.assert(fc.property(fc.string(), (text) => /^(\d{11})?$/.test(firstPhone(text) ?? '')))
})

t.test('the first e-mail of a field', async (t) => {
  t.equal(firstAsciiEmail('a@b.ru, c@d.ru'), 'a@b.ru')
  t.equal(firstAsciiEmail('Иван <a@b.ru>'), null)
  t.equal(firstAsciiEmail('иван@почта.рф'), null)
  fc.assert(fc.property(fc.string(), (text) => (firstAsciiEmail(text) ?? 'a@b.ru').includes('@')))
})

t.test('one line for the whole payment', async (t) => {
  t.strictSame(restReceipt({ kind: 'phone', value: '79001234567' }, line), {
    customer: { phone: '79001234567' },
    items: [
      {
        description: 'Пополнение лицевого счёта по договору 000123',
        quantity: '1.00',
        amount: { value: '104.50', currency: 'RUB' },
        vat_code: 11,
        payment_subject: 'service',
        payment_mode: 'full_prepayment',
      },
    ],
  })
  t.strictSame(JSON.parse(httpReceipt({ kind: 'phone', value: '79001234567' }, line)), {
    customerContact: '+79001234567',
    items: [
      {
        quantity: 1,
        price: { amount: '104.50', currency: 'RUB' },
        tax: 11,
        text: 'Пополнение лицевого счёта по договору 000123',
        paymentSubjectType: 'service',
        paymentMethodType: 'full_prepayment',
      },
    ],
  })
})
