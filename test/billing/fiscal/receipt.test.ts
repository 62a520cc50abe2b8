import t from 'tap'
import type { FiscalConfiguration } from '../../../src/billing/fiscal/configuration.ts'
import {
  contactOf,
  decideReceipt,
  externalIdOf,
  type FiscalOperation,
  nextExternalId,
  vatOf,
  writeRequest,
} from '../../../src/billing/fiscal/receipt.ts'
import { formatRubles, moneyFromUnits } from '../../../src/domain/money.ts'
import { rub } from '../../support/documents.ts'

const payment: FiscalOperation = {
  id: 45,
  typeId: 23,
  typeSign: 1,
  amount: rub('150'),
  isAccounting: true,
  isReversed: false,
  isPrinted: false,
  recordedAt: new Date('2026-11-21T13:05:09.500Z'),
}
const reversed = { ...payment, isReversed: true }
const reversal: FiscalOperation = { ...reversed, id: 46, amount: rub('-150') }

t.test('what may be printed', async (t) => {
  const decided = (original: FiscalOperation, back: FiscalOperation | null = null) => {
    const decision = decideReceipt(original, back)
    return decision.kind === 'refused' ? decision.reason : `${decision.direction} of ${decision.of.id}`
  }
  t.equal(decided(payment), 'sell of 45')
  t.equal(decided({ ...payment, isPrinted: true }), 'alreadyPrinted')
  t.equal(decided({ ...payment, isAccounting: false }), 'notAccounting')
  t.equal(decided({ ...payment, amount: rub('-150') }), 'notReceipt')
  t.equal(decided({ ...payment, amount: rub('0') }), 'notReceipt')
  t.equal(decided({ ...payment, typeSign: -1 }), 'notReceipt', 'the reversal of a charge')
  t.equal(decided({ ...payment, typeId: 31 }), 'notReceipt', 'a promise is no money')
  t.equal(decided({ ...payment, typeId: 41 }), 'notReceipt', 'a recalculation is no money')
  t.equal(decided({ ...payment, amount: moneyFromUnits(1_000n) }), 'belowKopeck')
  t.equal(decided(reversed, reversal), 'nothingToReturn')
  t.equal(decided({ ...reversed, isPrinted: true }, reversal), 'sell_refund of 46')
  t.equal(decided({ ...reversed, isPrinted: true }, { ...reversal, isPrinted: true }), 'alreadyPrinted')
  t.equal(decided({ ...reversed, isPrinted: true }, null), 'nothingToReturn')
})

t.test('the receiver knows a receipt by the operation and its moment', async (t) => {
  t.equal(externalIdOf(payment), '45-1795266309')
  t.equal(externalIdOf(payment), externalIdOf({ ...payment, isPrinted: true }))
  t.equal(nextExternalId('45-1795266309'), '45-1795266309-1')
  t.equal(nextExternalId('45-1795266309-1'), '45-1795266309-2')
})

t.test('the contact is the e-mail, else the telephone', async (t) => {
  t.same(contactOf(' ivan@example.org ', '79001234567'), { email: 'ivan@example.org' })
  t.same(contactOf('no address', '79001234567'), { phone: '+79001234567' })
  t.same(contactOf(null, '79001234567'), { phone: '+79001234567' })
  t.same(contactOf(`${'x'.repeat(60)}@example.org`, '79001234567'), { phone: '+79001234567' }, 'longer than it takes')
  t.equal(contactOf('', ''), null)
  t.equal(contactOf(null, '12'), null)
})

const configuration: FiscalConfiguration = {
  id: 1,
  name: 'Main',
  inn: '7701234567',
  paymentAddress: 'https://isp.example',
  companyEmail: 'receipts@isp.example',
  taxSystem: 'osn',
  vat: 'vat22',
  paymentMethod: 'full_prepayment',
  paymentObject: 'service',
}

t.test('the request carries decimals to the kopeck, letter by letter', async (t) => {
  const text = {
    configuration,
    externalId: '45-1',
    amount: rub('922337203.07'),
    contact: { phone: '+79001234567' },
    contractNumber: '0001',
    isCash: true,
    at: new Date('2026-12-31T21:00:05Z'),
    timeZone: 'Europe/Moscow',
  }
  const request = writeRequest(text)
  t.match(request, '"price":922337203.07,"quantity":1,"sum":922337203.07')
  t.match(request, '"vat":{"type":"vat22","sum":166323102.19}')
  t.match(request, '"total":922337203.07')
  t.match(request, '"timestamp":"01.01.2027 00:00:05"')
  t.match(writeRequest({ ...text, amount: rub('150') }), '"sum":150.00')
  t.match(JSON.parse(request), {
    external_id: '45-1',
    receipt: {
      client: { phone: '+79001234567' },
      company: { email: 'receipts@isp.example', sno: 'osn', inn: '7701234567', payment_address: 'https://isp.example' },
      items: [{ name: 'Услуги связи, договор № 0001', payment_method: 'full_prepayment', payment_object: 'service' }],
      payments: [{ type: 0 }],
    },
  })
  t.equal(JSON.parse(writeRequest({ ...text, contractNumber: 'x'.repeat(300) })).receipt.items[0].name.length, 128)
})

t.test('VAT is what the amount includes', async (t) => {
  const cases = { none: '0.00', vat0: '0.00', vat10: '13.64', vat110: '13.64', vat20: '25.00', vat122: '27.05' }
  for (const [vat, sum] of Object.entries(cases)) t.equal(formatRubles(vatOf(rub('150'), vat)), sum, vat)
})
