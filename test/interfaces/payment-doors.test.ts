import t from 'tap'
import { SimulatedGatewayA } from '../../src/demo/gateways/gateway-a.ts'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
const north = await office.staff('north', 'cashier', [2])
const viewer = await office.staff('viewer', 'viewer', [2])
await office.rows(
  `INSERT INTO payment_problems (id, gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, last_at)
    VALUES (1, 'gwa', 'rest', 'wrongAmount', 'of the north', 2, 'a', 'a', 1045000000000, '2026-01-03'),
      (2, 'gwb', 'form', 'doubled', 'of the south', 3, 'b', 'b', NULL, '2026-01-02'),
      (3, 'gwa', 'http', 'badSignature', 'of nobody', NULL, 'c', 'c', NULL, '2026-01-01')`,
)
const path = '/admin/payments/problems/'

t.test('what was not credited is listed for who may see it', async (t) => {
  const all = await root.get(path)
  t.match(all, { status: 200, body: { ok: true, total: 3, has_more: false } })
  t.same(
    all.body.items.map(({ id }: { id: number }) => id),
    [1, 2, 3],
  )
  t.match(all.body.items[0], { reason: 'wrongAmount', amount: '104.50', resolved: false, times: 1, order_id: null })
  t.same(
    (await north.get(path)).body.items.map(({ id }: { id: number }) => id),
    [1],
  )
  t.equal((await viewer.get(path)).status, 403, 'money is not for everybody')
  t.match((await root.get(`${path}?per_page=2`)).body, { total: 3, has_more: true })
  for (const word of ['x', '__proto__', 'constructor'])
    t.equal((await root.get(`${path}?resolved=${word}`)).status, 400, word)
})

t.test('a problem is marked as seen to, once', async (t) => {
  t.equal((await north.post(`${path}2/`)).status, 404, 'a foreign one')
  t.equal((await north.post(`${path}3/`)).status, 404, 'one of nobody')
  t.equal((await north.post(`${path}1/`, { comment: 'x'.repeat(1001) })).status, 400)
  const first = await north.post(`${path}1/`, { comment: 'вернули' })
  t.match(first, {
    status: 200,
    body: { ok: true, problem: { resolved: true, resolved_by: 'north', comment: 'вернули' } },
  })
  t.match(await root.post(`${path}1/`), { body: { problem: { resolved_by: 'north', comment: 'вернули' } } })
  t.same(
    (await root.get(`${path}?resolved=0`)).body.items.map(({ id }: { id: number }) => id),
    [2, 3],
  )
  t.same(
    (await root.get(`${path}?resolved=1`)).body.items.map(({ id }: { id: number }) => id),
    [1],
  )
  t.match(
    await office.rows(
      `SELECT user_name, action, organization_id FROM audit_operations WHERE table_name = 'PAYMENT_PROBLEMS'`,
    ),
    [{ user_name: 'north', action: 'change', organization_id: '2' }],
  )
  t.equal((await office.rows(`SELECT FROM audit_operations WHERE table_name = 'PAYMENT_PROBLEMS'`)).length, 1)
})

const settingsPath = '/admin/settings/payment/'

t.test('the settings of payments as JSON, with a try of the gateway', async (t) => {
  const gateway = new SimulatedGatewayA({ shopId: '7', secretKey: 'test_key', shopPassword: '', webhook: '' })
  await gateway.start()
  t.teardown(() => gateway.stop())
  const list = await root.get(`${settingsPath}?format=json`)
  t.match(list, { status: 200, body: { ok: true, settings: [{ name: 'LK_PAYMENT_SYSTEM', value: 'gwa' }] } })
  const values = { LK_GWA_API_URL: gateway.apiUrl, LK_GWA_SHOP_ID: '7', LK_GWA_SECRET_KEY: 'test_key' }
  t.match(await root.post(settingsPath, { ...values, check: 'gwa' }), {
    status: 200,
    body: {
      ok: true,
      connection: { gateway: 'gwa', protocol: 'rest', ok: true, messages: { ru: /^Шлюз отвечает/, en: /answers/ } },
    },
  })
  t.equal(office.settings.get('LK_GWA_SECRET_KEY'), 'test_key')
  const shown = (await root.get(`${settingsPath}?format=json`)).body.settings
  t.match(
    shown.find(({ name }: { name: string }) => name === 'LK_GWA_SECRET_KEY'),
    { value: '***', secret: true },
  )
  t.match(await root.post(settingsPath, { LK_GWA_SECRET_KEY: '***', LK_GWA_SHOP_ID: '8', check: 'gwa' }), {
    body: { connection: { ok: false, message: /does not know/ } },
  })
  t.equal(office.settings.get('LK_GWA_SECRET_KEY'), 'test_key', 'sent back masked it stays')
  t.match(await root.post(settingsPath, { LK_GWA_VAT_CODE: 13 }), {
    status: 400,
    body: {
      ok: false,
      code: 'wrong_field',
      errors: { LK_GWA_VAT_CODE: /1 to 12/ },
      codes: { LK_GWA_VAT_CODE: 'wrong_format' },
    },
  })
  t.match(await root.post(settingsPath, { LK_GWA_API_URL: 'http://gateway.example' }), { status: 400 }, 'not in clear')
  t.match(await root.post(settingsPath, { TIME_ZONE: 'UTC' }), {
    status: 400,
    body: { errors: { TIME_ZONE: /no setting of payments/ } },
  })
  t.match(await root.post(settingsPath, { check: 'x' }), { status: 400 })
  t.equal((await north.get(settingsPath)).status, 403)
  const audits = await office.rows(`SELECT diff FROM audit_operations WHERE object_id = 'LK_GWA_SECRET_KEY'`)
  t.match(audits, [{ diff: { value: ['', '***'] } }], 'a secret is not in the audit')
})

t.test('a payment that was not credited is credited to a subscriber, once', async (t) => {
  const made = async (number: number, organization: number) => {
    const body = { name: `Ivan ${number}`, contract_number: String(number) }
    const { id } = (await root.post('/rest_api/v2/Abonents/', body)).body
    await office.rows('UPDATE abonents SET organization_id = $2 WHERE id = $1', [id, organization])
    return { id }
  }
  const [client, other] = [await made(1, 2), await made(2, 3)]
  await office.rows(
    `INSERT INTO payment_problems (id, gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, gateway_id)
      VALUES (4, 'gwa', 'rest', 'unknownOrder', 'x', 2, 'x', 'd', 1045000000000, 'p-4'),
        (5, 'gwa', 'rest', 'badSignature', 'x', 2, 'x', 'e', 1045000000000, 'p-5'),
        (6, 'gwa', 'rest', 'doubled', 'x', 2, 'x', 'f', 1045000000000, 'p-4'),
        (7, 'gwa', 'rest', 'orphaned', 'x', 2, 'x', 'g', 1045000000000, 'p-7')`,
  )
  t.match((await north.get(`${path}4/`)).body.problem, { amount: '104.50', credit: '100.00', is_proven: true })
  t.match((await north.get(`${path}5/`)).body.problem, { is_proven: false })
  const credit = (id: number, body: object, who = north) => who.post(`${path}${id}/credit/`, body)
  const asked = { abonent_id: client.id, amount: '100.00' }
  for (const amount of ['0', '-1', '104.51', 'x'])
    t.match(await credit(4, { ...asked, amount }), { status: 400, body: { errors: { amount: String } } }, amount)
  t.match(await credit(4, { ...asked, abonent_id: other.id }), {
    status: 400,
    body: { errors: { abonent_id: String } },
  })
  t.match(await credit(5, asked), { status: 400, body: { code: 'not_proven' } })
  t.equal((await credit(2, asked)).status, 404, 'a foreign one')
  t.equal((await credit(4, asked, viewer)).status, 403)

  const first = await credit(4, { ...asked, comment: 'по звонку' })
  t.match(first, {
    status: 200,
    body: { problem: { resolved: true, settlement: 'credited', operation_id: Number, comment: 'по звонку' } },
  })
  const [operation] = await office.rows('SELECT op_summa, operator_name, operator_pay_id_str FROM finance_operations')
  t.match(operation, { op_summa: '1000000000000', operator_name: 'gwa', operator_pay_id_str: 'p-4' })
  t.match((await credit(4, asked)).body.problem, { operation_id: first.body.problem.operation_id }, 'a repeat')
  t.match(await credit(4, { ...asked, amount: '90.00' }), { status: 409, body: { code: 'keyTakenWithOtherAmount' } })
  t.match(await credit(4, { ...asked, abonent_id: other.id }, root), { status: 409, body: { code: 'credited_before' } })
  t.match(await credit(6, asked), { status: 409, body: { code: 'credited_before' } }, 'the same payment came twice')
  t.equal((await office.rows('SELECT FROM finance_operations')).length, 1)

  t.match(await north.post(`${path}5/`, { settlement: 'given_back' }), { status: 400, body: { code: 'not_proven' } })
  t.match(await north.post(`${path}6/`, { settlement: 'noted', comment: 'повтор' }), {
    body: { problem: { settlement: 'noted', operation_id: null } },
  })
  t.match(await north.post(`${path}7/`, { settlement: 'given_back', comment: 'в кабинете' }), {
    body: { problem: { settlement: 'given_back' } },
  })
  t.match(await credit(7, asked), { status: 409, body: { code: 'settled_before' } })
  const noted = (comment?: string) => north.post(`${path}6/`, { settlement: 'noted', comment })
  t.match(await noted('другое'), { status: 409, body: { code: 'settled_before' } }, 'a note is not replaced')
  for (const same of ['повтор', undefined])
    t.match(await noted(same), { status: 200, body: { problem: { comment: 'повтор' } } }, 'a repeat')
  const told = await office.rows(
    `SELECT diff FROM audit_operations WHERE table_name = 'PAYMENT_PROBLEMS' AND object_id = '4'`,
  )
  t.match(told, [
    {
      diff: { resolved: [false, true], settlement: [null, 'credited'], op_id: [null, first.body.problem.operation_id] },
    },
  ])
  t.equal(told.length, 1)
})

t.test(
  'a payment that was given back is credited by nobody, and one that was credited is not given back',
  async (t) => {
    const { id, account } = (await root.post('/rest_api/v2/Abonents/', { name: 'Oleg', contract_number: '31' })).body
    await office.rows(
      `INSERT INTO payment_problems (id, gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, gateway_id, subscriber_id)
      SELECT id, 'gwa', 'http', 'notPosted', 'x', 2, 'x', 'h' || id, 1045000000000, payment, NULLIF(subscriber, 0)
        FROM (VALUES (20, 'p-20', $1::int8), (21, 'p-20', 0), (22, 'p-22', 0), (23, 'p-23', 0)) AS made(id, payment, subscriber)`,
      [id],
    )
    const operations = () => office.rows('SELECT op_id FROM finance_operations WHERE account_id = $1', [account])
    const entered = (payment: string, amount: string) =>
      root.post('/admin/Abonents/finops_crud/', {
        ...{ abonent_id: id, op_type_id: 7, amount, operator_name: 'gwa', operator_pay_id_str: payment },
      })
    const credit = (problem: number, amount = '100.00') =>
      root.post(`${path}${problem}/credit/`, { abonent_id: id, amount })
    const giveBack = (problem: number) => root.post(`${path}${problem}/`, { settlement: 'given_back' })

    t.match(await giveBack(20), {
      status: 200,
      body: { problem: { settlement: 'given_back', abonent_id: id, abonent_name: 'Oleg' } },
    })
    t.match((await root.get(`${path}20/`)).body, { problem: { abonent_name: 'Oleg' } })
    t.match((await north.get(`${path}20/`)).body, { problem: { abonent_id: id, abonent_name: null } }, 'not theirs')
    t.match(await giveBack(20), { status: 200 }, 'a repeat')
    t.match(await credit(21), { status: 409 }, 'by another notice of the same payment')
    t.match(await entered('p-20', '104.50'), { status: 409 }, 'by hand')
    t.same(await operations(), [])
    t.match(await giveBack(21), { status: 200 })

    t.equal((await credit(22)).status, 200)
    t.match(await giveBack(22), { status: 409, body: { code: 'settled_before' } })
    t.match(await entered('p-22', '104.50'), { status: 409 }, 'with the commission, by hand')
    t.equal((await operations()).length, 1)

    t.equal((await entered('p-23', '104.50')).status, 200)
    t.match(await giveBack(23), { status: 409, body: { code: 'credited_before' } })
    t.match(await credit(23), { status: 409 })
    t.equal((await operations()).length, 2)
  },
)

t.test('of one who credits and one who gives back at once, one succeeds', async (t) => {
  const { id, account } = (await root.post('/rest_api/v2/Abonents/', { name: 'Nina', contract_number: '32' })).body
  const numbers = Array.from({ length: 12 }, (_, n) => 40 + n)
  await office.rows(
    `INSERT INTO payment_problems (id, gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, gateway_id)
      SELECT id, 'gwa', 'rest', 'orphaned', 'x', 2, 'x', 'r' || id, 1000000000000, 'race-' || id FROM unnest($1::int8[]) AS id`,
    [numbers],
  )
  const deeds = await Promise.all(
    numbers.map(async (number) => {
      const [credited, givenBack] = await Promise.all([
        root.post(`${path}${number}/credit/`, { abonent_id: id, amount: '10.00' }),
        root.post(`${path}${number}/`, { settlement: 'given_back' }),
      ])
      t.same([credited.status, givenBack.status].sort(), [200, 409], `problem ${number}`)
      return { number, isCredited: credited.status === 200 }
    }),
  )
  const credited = deeds.filter(({ isCredited }) => isCredited)
  t.equal(
    (await office.rows('SELECT FROM finance_operations WHERE account_id = $1', [account])).length,
    credited.length,
  )
  t.same(
    await office.rows(
      `SELECT id::int AS number, settlement = 'credited' AND operation_id IS NOT NULL AS "isCredited"
        FROM payment_problems WHERE gateway_id LIKE 'race-%' ORDER BY id`,
    ),
    deeds,
  )
})
