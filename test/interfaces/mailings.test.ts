import t from 'tap'
import { WebProvider } from '../billing/messages/servers.ts'
import { fetch } from '../support/published.ts'
import { untilAnswer } from '../support/until.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const gateway = await WebProvider.start(t)
const office = await openOffice(t, {
  env: { TOLLGATE_SMS_URL: `${gateway.url}/?to={phone}&text={text}`, TOLLGATE_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' },
})
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'admin', [2])
const viewer = await office.staff('viewer', 'viewer', [1])
await root.post('/admin/settings/system/', { MAILING_QUIET_HOURS: '' })
await office.messages.start()

const client = async (name: string, number: string, fields: Json = {}): Promise<Json> => {
  const { body } = await root.post('/rest_api/v2/Abonents/', { name, contract_number: number, ...fields })
  return body
}
const owe = async ({ account }: Json, rubles: number, days: number) => {
  await root.post('/rest_api/v2/FinanceOperations/', { account, op_type: 9, op_summa: rubles * 10_000_000_000 })
  await office.rows(`UPDATE admin_accounts SET debt_since = debt_since - $2 * interval '1 day' WHERE id = $1`, [
    account,
    days,
  ])
}
const [old, fresh, mute] = [
  await client('Ivan {debt}', '101', { sms: '8 900 000 0101' }),
  await client('Petr', '102', { sms: '89000000102' }),
  await client('Mute', '103'),
]
await owe(old, 300, 45)
await owe(fresh, 50, 3)
await owe(mute, 70, 60)

const texts = () => gateway.asked.map(({ path }) => new URL(path, gateway.url).searchParams.get('text'))
const ended = (id: number): Promise<Json> =>
  untilAnswer(
    async () => (await root.get(`/admin/messages/mailing/${id}/`)).body.mailing,
    ({ state }) => state !== 'sending' && state !== 'gathering',
  )
const debtors = { filter: { show: 'debtors', debt_days: 30 } }

async function press(caller: Caller, body: object, key: string) {
  const response = await fetch(`${office.base}/admin/messages/mailing/`, {
    method: 'POST',
    headers: { ...caller.headers, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Json }
}

t.test('debtors are found by the age of their debt', async (t) => {
  const names = async (query: string) =>
    (await root.get(`/admin/Abonents/subscribers/?${query}`)).body.items.map(({ name }: Json) => name)
  t.same(await names('show=debtors'), ['Ivan {debt}', 'Mute', 'Petr'])
  t.same(await names('debt_days=30'), ['Ivan {debt}', 'Mute'])
  t.same(await names('debt_days=50'), ['Mute'])
  t.same(await names('show=debtors&debt_days_to=49'), ['Ivan {debt}', 'Petr'])
  t.same(await names('debt_days=30&debt_days_to=70'), ['Ivan {debt}', 'Mute'])
  t.same(await names('debt_days=30&debt_days_to=59'), ['Ivan {debt}'])
  const { body } = await root.get('/admin/Abonents/subscribers/?q=petr')
  t.ok(Math.abs(Date.now() - Date.parse(body.items[0].debt_since) - 3 * 86_400_000) < 3_600_000)
  await root.post('/rest_api/v2/FinanceOperations/', { account: mute.account, op_type: 7, op_summa: 80 * 1e10 })
  await owe(mute, 100, 0)
  t.same(await names('debt_days=30'), ['Ivan {debt}'], 'who has paid in between owes from then on')
  t.equal((await root.get('/admin/Abonents/subscribers/?debt_days=0')).status, 400)
})

t.test('a mailing is previewed, sent once and told', async (t) => {
  const order = { ...debtors, channel: 'auto', text: 'Dear {name}, pay {debt}.\nContract {contract}' }
  const { body: preview } = await root.post('/admin/messages/mailing/preview/', { ...debtors, channel: 'auto' })
  t.match(preview, {
    total: 1,
    reached: { push: 0, sms: 1, email: 0 },
    left_out: { opted_out: 0, no_address: 0, no_provider: 0, deleted: 0 },
    quiet_until: null,
    samples: [{ id: old.id, channel: 'sms', text: '' }],
  })
  const worded = await root.post('/admin/messages/mailing/preview/', {
    ids: [old.id],
    channel: 'auto',
    text: '{name}: {x}',
  })
  t.match(worded.body, {
    unknown: ['x'],
    samples: [{ name: 'Ivan {debt}', title: 'Tollgate', text: 'Ivan {debt}: ', sms_count: 1 }],
  })
  t.equal(gateway.asked.length, 0)
  const [first, second] = await Promise.all([press(root, order, 'one'), press(root, order, 'one')])
  t.equal(first.body.mailing.id, second.body.mailing.id)
  t.match(await press(root, { ...order, text: 'Other' }, 'one'), { status: 409, body: { code: 'key_taken' } })
  const mailing = await ended(first.body.mailing.id)
  t.match(mailing, { state: 'done', total: 1, sent: 1, user: 'root', asked: debtors, quiet_until: null })
  t.same(texts(), ['Dear Ivan {debt}, pay 300 руб.\nContract 101'])
  const messages = await root.get(`/admin/messages/?mailing=${mailing.id}&limit=10`)
  t.match(messages.body, {
    items: [{ abonent_name: 'Ivan {debt}', kind: 'mailing', state: 'sent', faults: [], mailing_id: mailing.id }],
    next_cursor: null,
    total: 1,
  })
  t.match(
    await office.rows(`SELECT user_name, action FROM audit_operations WHERE table_name = 'MAILINGS' ORDER BY id`),
    [{ user_name: 'root', action: 'create' }],
  )
})

t.test('whoever wants none gets none, and the rest is left out with a reason', async (t) => {
  t.same((await root.get(`/admin/messages/opt_out/${fresh.id}/`)).body.on, false)
  t.equal((await root.post(`/admin/messages/opt_out/${fresh.id}/`, { on: true })).status, 200)
  t.match((await root.get(`/admin/messages/opt_out/${fresh.id}/`)).body, { on: true, user: 'root', at: String })
  t.equal((await root.post(`/admin/messages/opt_out/${fresh.id}/`, {})).status, 400)
  const { body } = await root.post('/admin/messages/mailing/', {
    ids: [old.id, fresh.id, mute.id],
    channel: 'sms',
    text: 'Works tonight',
  })
  const mailing = await ended(body.mailing.id)
  t.match(mailing, { total: 3, done: 3, sent: 1, opted_out: 1, no_address: 1, asked: { ids: 3 } })
  const leftOut = async (query = '') =>
    (await root.get(`/admin/messages/mailing/${mailing.id}/left_out/?${query}`)).body
  t.same(await leftOut(), {
    ok: true,
    items: [
      { id: fresh.id, name: 'Petr', reason: 'opted_out' },
      { id: mute.id, name: 'Mute', reason: 'no_address' },
    ],
    next_cursor: null,
  })
  const { next_cursor } = await leftOut('limit=1')
  t.match(await leftOut(`limit=1&cursor=${next_cursor}`), { items: [{ id: mute.id }], next_cursor: null })
  t.match(await leftOut('reason=no_address'), { items: [{ id: mute.id }] })
  await root.post(`/admin/messages/opt_out/${fresh.id}/`, { on: false })
  const changes = await office.rows(`SELECT diff FROM audit_operations WHERE diff ? 'no_mailings' ORDER BY id`)
  t.same(changes, [{ diff: { no_mailings: [false, true] } }, { diff: { no_mailings: [true, false] } }])
})

t.test('a wrong text, audience or address is refused by name, and a test goes to one address', async (t) => {
  const order = { ...debtors, channel: 'auto', text: 'Hello' }
  const refused = async (change: object) => {
    const { status, body } = await root.post('/admin/messages/mailing/', { ...order, ...change })
    return [status, body.code, body.error]
  }
  t.same(await refused({ text: 'Dear {nmae}, {x y}' }), [400, 'unknown_field', 'There is no field {nmae}, {x y}.'])
  t.same((await refused({ title: '{nobody}' })).slice(0, 2), [400, 'unknown_field'])
  for (const change of [{ text: ' ' }, { text: 'a\0' }, { channel: 'pigeon' }, { send_at: 'soon' }, { ids: [old.id] }])
    t.same((await refused(change)).slice(0, 2), [400, 'wrong_field'], JSON.stringify(change))
  t.same((await refused({ test: 'nobody' })).slice(0, 2), [400, 'not_address'])
  t.same((await refused({ test: 'me@isp.example' })).slice(0, 2), [400, 'no_provider'])
  const before = gateway.asked.length
  const { body } = await root.post('/admin/messages/mailing/', { ...order, text: '{name}', test: '+7 900 555-55-55' })
  t.match(body, { mailing: null, message: Number })
  await gateway.askedTimes(before + 1)
  const last = new URL(gateway.asked.at(-1)!.path, gateway.url).searchParams
  t.same([last.get('to'), last.get('text')], ['79005555555', 'Ivan {debt}'])
})

t.test('mailings are of who began them, and only for whom the subscribers are visible', async (t) => {
  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [fresh.id])
  const everybody = { filter: {}, channel: 'sms', text: 'Hello' }
  t.match((await north.post('/admin/messages/mailing/preview/', { filter: {}, channel: 'sms' })).body, { total: 1 })
  t.equal(
    (await north.post('/admin/messages/mailing/', { ...everybody, filter: undefined, ids: [old.id] })).status,
    403,
  )
  const { body } = await north.post('/admin/messages/mailing/', everybody)
  t.match(await ended(body.mailing.id), { total: 1, sent: 1, user: 'north' })
  t.same(
    (await north.get('/admin/messages/mailing/')).body.items.map(({ id }: Json) => id),
    [body.mailing.id],
  )
  const pages = await root.get('/admin/messages/mailing/?limit=1')
  t.match(pages.body.items, [{ id: body.mailing.id }])
  t.ok((await root.get(`/admin/messages/mailing/?cursor=${pages.body.next_cursor}`)).body.items.length >= 2)
  t.equal((await viewer.post('/admin/messages/mailing/', everybody)).status, 403)
  t.equal((await north.post(`/admin/messages/opt_out/${old.id}/`, { on: true })).status, 404)
  const names = async (caller: typeof root) =>
    (await caller.get(`/admin/messages/mailing/${body.mailing.id}/left_out/`)).body.items.map(({ name }: Json) => name)
  await office.rows(`UPDATE mailing_recipients SET skipped = 'no_address' WHERE mailing_id = $1`, [body.mailing.id])
  t.same(await names(north), ['Petr'])
  await office.rows('UPDATE abonents SET organization_id = 1 WHERE id = $1', [fresh.id])
  t.same([await names(north), await names(root)], [[], ['Petr']], 'of another organization now')
  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [fresh.id])
})

t.test('a mailing of later is stopped before it begins', async (t) => {
  const before = gateway.asked.length
  const later = { filter: {}, channel: 'sms', text: 'Hello', send_at: new Date(Date.now() + 86_400_000).toISOString() }
  const { id } = (await root.post('/admin/messages/mailing/', later)).body.mailing
  await untilAnswer(
    async () => (await root.get(`/admin/messages/mailing/${id}/`)).body.mailing,
    ({ state }) => state === 'sending',
  )
  t.match((await root.post(`/admin/messages/mailing/${id}/stop/`)).body, {
    mailing: { state: 'stopped', total: 3, done: 0, ended_at: String },
  })
  t.match(await root.post(`/admin/messages/mailing/${id}/stop/`), { status: 400, body: { code: 'mailing_over' } })
  t.equal(gateway.asked.length, before)
})

t.test('messages are found by cursor, by who they were for and by why they were not sent', async (t) => {
  await office.rows(`INSERT INTO notifications (subscriber_id, kind, text, state, next_try_at, error) VALUES
    (${mute.id}, 'low_balance', 'x', 'failed', NULL, 'The subscriber has no device, phone or e-mail address.'),
    (${mute.id}, 'low_balance', 'x', 'failed', NULL, 'The SMS gateway answered 422: nobody'),
    (${old.id}, 'low_balance', 'x', 'failed', NULL, '550 unknown Given up: it was not sent while it was of use.')`)
  const list = async (query: string) => (await root.get(`/admin/messages/?limit=2&${query}`)).body
  const codes = ({ items }: Json) => items.map(({ faults }: Json) => faults.map(({ code }: Json) => code))
  const page = await list('state=failed')
  t.same(codes(page), [['other', 'expired'], ['sms_answered']])
  t.same(codes(await list(`state=failed&cursor=${page.next_cursor}`)), [['no_address']])
  t.same(codes(await list('reason=sms_answered')), [['sms_answered']])
  t.same(codes(await list('reason=expired')), [['other', 'expired']])
  t.same(codes(await list('reason=other')), [['other', 'expired']])
  t.equal((await list('q=mute')).total, 2)
  t.equal((await list('kind=mailing_test')).total, 1)
  t.match(await north.get('/admin/messages/?limit=5'), { body: { items: [{ abonent_name: 'Petr' }] } })
  t.equal((await root.get('/admin/messages/?limit=5&reason=none')).status, 400)
})

t.test('a notice says what the operator has worded, until it is put back', async (t) => {
  const change = (body: object, caller = root) => caller.post('/admin/messages/template/payment_credited/', body)
  const own = { language: 'ru', title: 'Оплата', text: 'Спасибо! {amount}' }
  t.equal((await change(own)).status, 200)
  const { body } = await root.get('/admin/messages/template/')
  t.match(
    body.items.find(({ name }: Json) => name === 'payment_credited'),
    {
      fields: ['amount', 'balance'],
      ru: { is_own: true, text: 'Спасибо! {amount}', usual: { text: 'Зачислено {amount}, баланс {balance}' } },
      en: { is_own: false },
    },
  )
  const looks = { language: 'en', title: '{amount}', text: '{balance}{x}' }
  t.match((await viewer.post('/admin/messages/template/payment_credited/preview/', looks)).body, {
    ...{ title: '500 RUB', text: '-120.50 RUB', unknown: ['x'] },
  })
  const said = async (key: string) => {
    const notice = { template: 'payment_credited', values: { amount: '10.00', balance: '1.00' }, key } as const
    await office.messages.notices.add([{ ...notice, subscriberId: old.id }])
    return (await office.rows('SELECT text FROM notifications WHERE key = $1', [key]))[0].text
  }
  t.equal(await said('own'), 'Спасибо! 10 руб.')
  t.match(await change({ ...own, text: '{until}' }), { status: 400, body: { code: 'unknown_field' } })
  t.equal((await change({ language: 'ru' })).status, 400)
  t.equal((await change({ ...own, language: 'fr' })).status, 400)
  t.equal((await change(own, viewer)).status, 403)
  t.equal((await root.post('/admin/messages/template/nothing/', own)).status, 404)
  t.equal((await change({ language: 'ru', reset: true })).status, 200)
  t.equal(await said('shipped'), 'Зачислено 10 руб., баланс 1 руб.')
  const audits = await office.rows(
    `SELECT diff->'title' AS title FROM audit_operations WHERE table_name = 'MESSAGE_TEMPLATES' ORDER BY id`,
  )
  t.same(audits, [{ title: ['Платёж зачислен', 'Оплата'] }, { title: ['Оплата', 'Платёж зачислен'] }])
})
