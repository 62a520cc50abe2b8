import t from 'tap'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'admin', [2])
const viewer = await office.staff('viewer', 'viewer', [2])
const folder = (await root.post('/admin/dictionary/folders_crud/', { name: 'North street', organization: 2 })).body
const client = async (contract_number: string, parent?: number): Promise<Json> =>
  (await root.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number, ...(parent && { parent }) })).body
const [one, northerner] = [await client('1'), await client('2', folder.id)]

const told = async (subscriber: Json, over: Json = {}): Promise<number> => {
  const row = {
    subscriber_id: subscriber.id,
    account_id: subscriber.account,
    kind: 'low_balance',
    text: 'Пополните счёт',
    state: 'sent',
    next_try_at: null,
    created_at: '2026-11-20T12:00:00Z',
    expires_at: '2026-11-23T12:00:00Z',
    attempts: 1,
    title: '',
    ...over,
  }
  const rows = await office.rows(
    `INSERT INTO notifications (subscriber_id, account_id, kind, text, state, next_try_at, created_at, expires_at, attempts, title, channel, error, sent_at)
      SELECT subscriber_id, account_id, kind, text, state, next_try_at, created_at, expires_at, attempts, title, channel, error, sent_at
      FROM json_populate_record(NULL::notifications, $1) RETURNING id`,
    [JSON.stringify(row)],
  )
  return Number(rows[0].id)
}
const sent = await told(one, { channel: 'sms', sent_at: '2026-11-20T12:00:01Z' })
const failed = await told(one, {
  channel: 'email',
  state: 'failed',
  error: '550 no such user',
  created_at: '2026-11-20T20:30:00Z',
})
const waiting = await told(northerner, {
  state: 'waiting',
  next_try_at: '2026-11-21T00:00:00Z',
  created_at: '2026-11-20T21:30:00Z',
})

const ids = async (query: string, caller: Caller = root) =>
  (await caller.get(`/admin/messages/?${query}`)).body.items.map(({ id }: Json) => id)

t.test('messages are found by a short word, which is a whole contract number or begins a name', async (t) => {
  const all = (await office.rows('SELECT id FROM notifications ORDER BY id DESC')).map(({ id }) => Number(id))
  for (const [q, found] of [
    ['iv', all],
    ['va', []],
    ['2', [waiting]],
    ['2_', []],
    ['iv 1', [failed, sent]],
  ] as const)
    t.same(await ids(`q=${encodeURIComponent(q)}`), found, q)
  await office.rows('UPDATE abonents SET deleted = true WHERE id = $1', [northerner.id])
  t.same(await ids('q=2'), [waiting], 'of a deleted one too')
  await office.rows('UPDATE abonents SET deleted = false WHERE id = $1', [northerner.id])
})

t.test('messages are listed, the newest first, and found by client, state, channel and day', async (t) => {
  const { status, body } = await root.get('/admin/messages/')
  t.equal(status, 200)
  t.match(body, { ok: true, total: 3, has_more: false })
  t.same(body.items[2], {
    id: sent,
    at: body.items[2].at,
    abonent_id: one.id,
    abonent_name: 'Ivan',
    account_id: one.account,
    mailing_id: null,
    kind: 'low_balance',
    channel: 'sms',
    address: null,
    text: 'Пополните счёт',
    state: 'sent',
    attempts: 1,
    error: null,
    faults: [],
    next_try_at: null,
    expires_at: body.items[2].expires_at,
    sent_at: '2026-11-20T15:00:01+03:00',
  })
  t.same(await ids(''), [waiting, failed, sent])
  t.same(await ids(`abonent_id=${one.id}`), [failed, sent])
  t.same(await ids(`account_id=${northerner.account}`), [waiting])
  t.same(await ids('state=failed&channel='), [failed])
  t.same(await ids('channel=sms'), [sent])
  t.same(await ids('date_from=2026-11-21'), [waiting], 'days begin where TIME_ZONE says')
  t.same(await ids('date_to=2026-11-20'), [failed, sent])
  t.same(await ids('per_page=1&page=2'), [failed])
  for (const query of ['abonent_id=x', 'state=lost', 'channel=pigeon', 'date_from=today', 'page=0'])
    t.match(await root.get(`/admin/messages/?${query}`), { status: 400, body: { ok: false, error: String } }, query)
})

t.test('staff of an organization see its messages only', async (t) => {
  t.same(await ids('', north), [waiting])
  t.equal((await north.post(`/admin/messages/${failed}/retry/`)).status, 404)
})

t.test('a message that was refused can be tried again, one that was sent cannot', async (t) => {
  t.match(await root.post(`/admin/messages/${failed}/retry/`), { status: 200, body: { ok: true, state: 'waiting' } })
  const [row] = await office.rows(
    'SELECT state, attempts, channel, expires_at > now() AS fresh FROM notifications WHERE id = $1',
    [failed],
  )
  t.match(row, { state: 'waiting', attempts: 0, channel: null, fresh: true })
  t.match(await root.post(`/admin/messages/${sent}/retry/`), { status: 400, body: { ok: false, error: /sent/ } })
  t.equal((await root.post('/admin/messages/999/retry/')).status, 404)
  t.equal((await root.post('/admin/messages/x/retry/')).status, 404)
  t.equal((await viewer.post(`/admin/messages/${waiting}/retry/`)).status, 403, 'a viewer looks')
})
