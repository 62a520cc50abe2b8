import t from 'tap'
import { connectionWords } from '../../../src/billing/payments/connection.ts'
import { isRestKey } from '../../../src/billing/payments/gateways.ts'
import type { StartedPayment } from '../../../src/billing/payments/start.ts'
import { Site } from '../../../src/demo/gateways/site.ts'
import { languages } from '../../../src/domain/language.ts'
import type { SettingName } from '../../../src/platform/settings/catalog.ts'
import { settingNames } from '../../../src/platform/settings/catalog.ts'
import { SharedDatabase } from '../../support/database.ts'
import { type PaymentFixture, openPaymentFixture, shopPassword } from './fixture.ts'

const shared = await SharedDatabase.open(t)

/**
 * Each setting of the tables of specification 4.4 (and the addresses beside them), and a test below that sees it work.
 */
const seen = new Set<SettingName>()

const formOf = (started: StartedPayment): Readonly<Record<string, string>> => {
  if (started.kind !== 'formPost') throw new Error(`Not a form: ${started.kind}`)
  return started.fields
}

/** The body of the last creation. */
const created = (fixture: PaymentFixture) => JSON.parse([...fixture.a.creations.values()].at(-1)!.body)

async function setting<T>(
  fixture: PaymentFixture,
  name: SettingName,
  value: unknown,
  look: () => Promise<T>,
): Promise<T> {
  seen.add(name)
  const before = fixture.settings.get(name)
  await fixture.set({ [name]: value })
  const result = await look()
  await fixture.set({ [name]: before })
  return result
}

t.test('the protocol of gateway A follows the key', async (t) => {
  t.ok(isRestKey('live_x'))
  t.ok(isRestKey('test_x'))
  t.ok(isRestKey('x'.repeat(31)))
  t.notOk(isRestKey('x'.repeat(30)))
  t.notOk(isRestKey(''))
})

t.test('every setting has an effect', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { retries: 0 })
  const client = await fixture.client()
  const rest = async () => {
    t.equal((await fixture.start(client, '100', 'gwa')).kind, 'redirect')
    return created(fixture)
  }
  const fails = async () => (await fixture.start(client, '100', 'gwa')).kind

  t.match(await setting(fixture, 'LK_PAYMENT_SYSTEM', 'gwb', () => fixture.start(client, '100')), { kind: 'formPost' })
  t.match(await setting(fixture, 'LK_PAYMENT_COMMISSION', '0.1', rest), {
    amount: { value: '110.00' },
    metadata: { credit_amount: '100.00', commission: '10.00' },
  })
  t.equal(await setting(fixture, 'LK_GWA_API_URL', 'http://127.0.0.1:1', fails), 'unavailable')
  t.equal(await setting(fixture, 'LK_GWA_SHOP_ID', '7', fails), 'unavailable', 'the gateway knows the shop by it')
  t.equal(await setting(fixture, 'LK_GWA_SECRET_KEY', 'test_other', fails), 'unavailable', 'and by its key')
  const success = 'https://isp.example/thanks'
  t.match(await setting(fixture, 'LK_GWA_SUCCESS_URL', success, rest), { confirmation: { return_url: success } })

  t.match(await rest(), {
    receipt: { items: [{ vat_code: 1, payment_subject: 'service', payment_mode: 'full_prepayment' }] },
  })
  t.equal((await setting(fixture, 'LK_GWA_RECEIPT_ENABLED', false, rest)).receipt, undefined)
  t.match(await setting(fixture, 'LK_GWA_VAT_CODE', 12, rest), { receipt: { items: [{ vat_code: 12 }] } })
  t.match(await setting(fixture, 'LK_GWA_PAYMENT_SUBJECT', 'commodity', rest), {
    receipt: { items: [{ payment_subject: 'commodity' }] },
  })
  t.match(await setting(fixture, 'LK_GWA_PAYMENT_MODE', 'advance', rest), {
    receipt: { items: [{ payment_mode: 'advance' }] },
  })
  await fixture.rows('UPDATE abonents SET email = NULL WHERE id = $1', [client])
  t.equal((await rest()).receipt, undefined)
  t.match(
    fixture.log.at(-1),
    { level: 'warn', message: /without a receipt/, subscriber: client },
    'the operator is warned',
  )
  t.match(await setting(fixture, 'LK_GWA_RECEIPT_FALLBACK_EMAIL', 'kassa@isp.example', rest), {
    receipt: { customer: { email: 'kassa@isp.example' } },
  })
  await fixture.rows(`UPDATE abonents SET sms = '8 900 123 45 67' WHERE id = $1`, [client])
  t.match(await rest(), { receipt: { customer: { phone: '79001234567' }, items: [{ amount: { value: '104.50' } }] } })

  const started = await fixture.start(client, '100', 'gwa')
  fixture.a.behaviour.reading = 'error'
  await fixture.pay(started)
  t.equal((await fixture.balance(client)).balance, '-50.00')
  await setting(fixture, 'LK_GWA_VERIFY_BY_API', false, () => fixture.pay(started))
  t.equal((await fixture.balance(client)).balance, '50.00', 'without a read-back')
})

t.test('every setting of the HTTP protocol has an effect', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  await fixture.set({ LK_GWA_SECRET_KEY: shopPassword })
  const client = await fixture.client()
  const form = async () => formOf(await fixture.start(client, '100', 'gwa'))
  t.equal((await setting(fixture, 'LK_GWA_SCID', '58', form)).scid, '58')
  t.equal(
    (await setting(fixture, 'LK_GWA_FAIL_URL', 'https://isp.example/sorry', form)).shopFailURL,
    'https://isp.example/sorry',
  )
  t.equal(
    (await setting(fixture, 'LK_GWA_SUCCESS_URL', 'https://isp.example/ok', form)).shopSuccessURL,
    'https://isp.example/ok',
  )
  const action = await setting(fixture, 'LK_GWA_FORM_URL', 'https://gateway.example/form', () =>
    fixture.start(client, '100', 'gwa'),
  )
  t.match(action, { action: 'https://gateway.example/form' })
  t.match(JSON.parse((await form()).ym_merchant_receipt ?? ''), {
    customerContact: 'ivan@example.com',
    items: [{ tax: 1 }],
  })
  t.equal((await setting(fixture, 'LK_GWA_RECEIPT_ENABLED', false, form)).ym_merchant_receipt, undefined)
  for (const name of ['LK_GWA_SCID', 'LK_GWA_FORM_URL', 'LK_GWA_SHOP_ID', 'LK_GWA_SECRET_KEY'] as const)
    t.match(
      await setting(fixture, name, '', () => fixture.start(client, '100', 'gwa')),
      { kind: 'unavailable' },
      `no ${name}`,
    )
})

t.test('every setting of gateway B and the return addresses have an effect', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const client = await fixture.client()
  const form = async () => formOf(await fixture.start(client, '100', 'gwb'))
  const signature = (await form()).WMI_SIGNATURE
  t.equal((await setting(fixture, 'LK_GWB_MERCHANT_ID', '7', form)).WMI_MERCHANT_ID, '7')
  t.not((await setting(fixture, 'LK_GWB_SECRET_KEY', 'other', form)).WMI_SIGNATURE, signature)
  t.equal((await setting(fixture, 'LK_GWB_CURRENCY', '398', form)).WMI_CURRENCY_ID, '398')
  t.equal(
    (await setting(fixture, 'LK_GWB_SUCCESS_URL', 'https://isp.example/ok', form)).WMI_SUCCESS_URL,
    'https://isp.example/ok',
  )
  t.equal(
    (await setting(fixture, 'LK_GWB_FAIL_URL', 'https://isp.example/no', form)).WMI_FAIL_URL,
    'https://isp.example/no',
  )
  const action = await setting(fixture, 'LK_GWB_FORM_URL', 'https://b.example/', () =>
    fixture.start(client, '100', 'gwb'),
  )
  t.match(action, { action: 'https://b.example/' })
  for (const name of ['LK_GWB_FORM_URL', 'LK_GWB_MERCHANT_ID', 'LK_GWB_SECRET_KEY'] as const)
    t.match(
      await setting(fixture, name, '', () => fixture.start(client, '100', 'gwb')),
      { kind: 'unavailable' },
      `no ${name}`,
    )

  const returning = async (url: string) => formOf(await fixture.start(client, '100', 'gwb', url)).WMI_SUCCESS_URL
  t.equal(await returning('https://app.example/back'), 'https://app.example/back')
  for (const url of ['http://app.example/', 'myisp://back', 'javascript:alert(1)', 'nonsense', ''])
    t.match(await returning(url), /^https:\/\/billing\.example\/lk\/payments\/result\//, `${url} is not used`)
  t.equal(await setting(fixture, 'LK_MOBILE_SCHEMES', 'other, myisp', () => returning('myisp://back')), 'myisp://back')
})

t.test('a gateway can be tried', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const tried = async (gateway: 'gwa' | 'gwb') => {
    const connection = await fixture.payments.checkConnection(gateway)
    for (const language of languages) t.match(connectionWords(connection, language), /^\p{Lu}.*\.$/u, language)
    return { ...connection, ok: connection.fault === null, message: connectionWords(connection, 'en') }
  }
  const check = () => tried('gwa')
  t.match(await check(), { gateway: 'gwa', protocol: 'rest', ok: true })
  t.match(await setting(fixture, 'LK_GWA_SECRET_KEY', 'test_other', check), { ok: false, message: /does not know/ })
  t.match(await setting(fixture, 'LK_GWA_API_URL', 'http://127.0.0.1:1', check), {
    ok: false,
    message: /cannot be reached/,
  })
  t.match(await setting(fixture, 'LK_GWA_API_URL', '', check), { ok: false, message: 'Not set: LK_GWA_API_URL.' })
  t.match(await setting(fixture, 'LK_GWA_SECRET_KEY', shopPassword, check), { protocol: 'http', ok: true })
  t.match(await tried('gwb'), { gateway: 'gwb', protocol: 'form', ok: true })
  const broken = new Site(() => ({ status: 500 }))
  await broken.start()
  t.teardown(() => broken.stop())
  t.match(await setting(fixture, 'LK_GWB_FORM_URL', broken.address, () => tried('gwb')), {
    ok: false,
    message: /500/,
  })
})

t.test('no setting of payments was left out', async (t) => {
  const all = settingNames.filter((name) => /^LK_(PAYMENT|GWA|GWB|MOBILE_SCHEMES)/.test(name))
  t.same([...seen].sort(), all.sort())
})
