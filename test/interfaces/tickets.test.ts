import t from 'tap'
import { isCurrentSql } from '../../src/billing/clients/ticket-inbox.ts'
import { createStaff } from '../../src/platform/staff/staff-table.ts'
import { Browser } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { Phone } from '../support/phone.ts'
import { planOf } from '../support/plan.ts'
import { fetch } from '../support/published.ts'
import { answerOf, envelope, fiscalNamespace, hashOf, salt, userNamespace } from '../support/soap.ts'
import { Watcher } from '../support/watcher.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const { database } = await testDatabase(t)
const office = await openOffice(t, { database })
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
await office.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (1, 2, 'North')`)
const clerk = await office.staff('clerk', 'operator', [1])
const viewer = await office.staff('viewer', 'viewer', [1])
const north = await office.staff('north', 'operator', [2])
const idOf = async (name: string): Promise<number> =>
  Number((await office.rows('SELECT id FROM staff WHERE username = $1', [name]))[0].id)

const made = async (path: string, body: object, caller: Caller = root): Promise<Json> => {
  const { status, body: record } = await caller.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const place = async (kind: string, name: string, parent?: number) =>
  made('/admin/dictionary/homes_crud/', { kind, name, parent })
const city = await place('city', 'Tver')
const street = await place('street', 'Mira', city.id)
const [ten, nine] = [await place('house', '10', street.id), await place('house', '9', street.id)]
const created = async (body: object) => (await made('/admin/Abonents/create/', body)).abonent
const ivan = await created({
  ...{ name: 'Ivan Petrov', contract_number: '77', home: ten.id, login: { login: 'ivan', password: 'secret-word' } },
})
const olga = await created({
  ...{ name: 'Olga Orlova', contract_number: '78', home: ten.id, login: { login: 'olga', password: 'secret-word' } },
})
const boris = await created({ name: 'Boris of the north', contract_number: '79', home: nine.id, organization: 2 })
await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [boris.id])

/** A ticket as the phone of a client makes it. */
async function asked(client: Json, subject: string, ...said: readonly string[]): Promise<number> {
  const [{ id }] = await office.rows('INSERT INTO hdsks (abonent_id, subject, body) VALUES ($1, $2, $3) RETURNING id', [
    ...[client.id, subject, said[0]],
  ])
  for (const body of said)
    await office.rows(`INSERT INTO hdsk_messages (hdsk_id, author, body) VALUES ($1, 'client', $2)`, [id, body])
  return Number(id)
}
const list = '/admin/Abonents/tickets/'
const one = (id: number) => `/admin/Abonents/ticket/${id}/`
const listed = async (query = '', caller: Caller = root): Promise<Json[]> => (await caller.get(list + query)).body.items
const idsOf = async (query = '', caller: Caller = root) => (await listed(query, caller)).map(({ id }) => id)

const noLine = await asked(ivan, 'No line', 'Since noon', 'Still nothing')
const slow = await asked(olga, 'Slow in the evening', 'From eight on')
const moving = await asked(boris, 'Moving house', 'In March')
const old = await asked(ivan, 'The bill', 'Too much')
await made(one(old), { status: 'closed' })

t.test('tickets are listed with whose the last word is, sorted, filtered and page by page', async (t) => {
  t.same(await idsOf(), [old, moving, slow, noLine], 'the latest word first')
  t.same(await idsOf('?sort=opened'), [noLine, slow, moving, old])
  t.same(await idsOf('?show=open'), [moving, slow, noLine])
  t.same(await idsOf('?show=mine'), [])
  t.match((await listed()).at(-1), {
    ...{ id: noLine, subject: 'No line', status: 'open', abonent_id: ivan.id, name: 'Ivan Petrov', home_id: ten.id },
    ...{ assignee: null, last_author: 'client', last_text: 'Still nothing', notes: 0, unread: true },
    address: 'Tver, Mira, 10',
  })
  t.match(await listed('?status=closed'), [{ id: old, unread: false }], 'a closed one waits for nobody')
  t.same(await idsOf(`?home=${ten.id}`), [old, slow, noLine])
  t.same(await idsOf(`?home=${street.id}&show=open`), [moving, slow, noLine])
  t.same(await idsOf('?organization=2'), [moving])
  for (const [q, found] of [
    ['evening slow', [slow]],
    ['petrov', [old, noLine]],
    ['78', [slow]],
    [`№ ${noLine}`, [noLine]],
    ['petrov evening', []],
    ['%', []],
    ['iv', [old, noLine]],
    ['ov', []],
    ['no line', [noLine]],
  ] as const)
    t.same(await idsOf(`?q=${encodeURIComponent(q)}`), found, q)
  const first = (await root.get(`${list}?sort=opened&limit=3`)).body
  t.match(first, { total: 4, has_more_than_total: false })
  t.same(await idsOf(`?sort=opened&limit=3&cursor=${first.next_cursor}`), [old])
  t.same(await idsOf(`?sort=-opened&limit=3&cursor=${Buffer.from('["no moment",1]').toString('base64url')}`), [])
  for (const wrong of ['show=none', 'assignee=x', 'sort=name', 'last=nobody', 'date_from=x'])
    t.equal((await root.get(`${list}?${wrong}`)).status, 400, wrong)

  t.same(await idsOf('', clerk), [old, slow, noLine], 'of the own organizations')
  t.same(await idsOf('', north), [moving])
  t.same(await idsOf('?q=petrov', north), [])
  t.same(await idsOf('?organization=2', north), [moving], 'the one that it sees')
  for (const filter of ['', '&q=petrov', '&show=open', '&unread=1'])
    t.same(await idsOf(`?organization=1${filter}`, north), [], 'one that it does not see')
})

t.test('a search finds page by page, and once, what its words find in several ways', async (t) => {
  const both = await asked(ivan, 'Petrov again', 'Once more')
  const found = ['?q=petrov&limit=1']
  const ids: number[] = []
  for (const query of found) {
    const { body } = await root.get(`${list}${query}`)
    t.match(body, ids.length === 0 ? { total: 3, has_more_than_total: false } : {})
    ids.push(...body.items.map(({ id }: { id: number }) => id))
    if (body.next_cursor) found.push(`?q=petrov&limit=1&cursor=${body.next_cursor}`)
  }
  t.same(ids, [both, old, noLine])
  t.same(await idsOf('?q=petrov&status=closed'), [old], 'with other filters')
  await office.rows(
    `INSERT INTO hdsks (abonent_id, subject, body, status, create_date, last_at)
      SELECT $1, 'Petrov once more', '', 'closed', now(), '2020-01-01'::timestamptz + n * interval '1 minute'
      FROM generate_series(1, 1001) AS n`,
    [olga.id],
  )
  const { body: many } = await root.get(`${list}?q=petrov&limit=200`)
  t.match(many, { total: 1000, has_more_than_total: true })
  const plain = await office.rows(
    `SELECT id::int4 FROM hdsks WHERE lower(subject) LIKE '%petrov%' OR abonent_id = $1 ORDER BY last_at DESC, id DESC LIMIT 400`,
    [ivan.id],
  )
  const { body: next } = await root.get(`${list}?q=petrov&limit=200&cursor=${many.next_cursor}`)
  const shown = [...many.items, ...next.items].map(({ id }: { id: number }) => ({ id }))
  t.same(shown, plain, 'as a plain query finds them')
  await office.rows(`DELETE FROM hdsks WHERE id = $1 OR subject = 'Petrov once more'`, [both])
})

t.test('pages of very many tickets are in the order of an index', async (t) => {
  const client = await office.database.pool.connect()
  // A short table is read as a whole otherwise.
  await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off')
  for (const [order, where, index] of [
    ['last_at DESC, id DESC', 'true', 'hdsks_last'],
    ['create_date, id', 'true', 'hdsks_opened'],
    ['last_at DESC, id DESC', isCurrentSql, 'hdsks_current'],
    ['last_at DESC, id DESC', `${isCurrentSql} AND ticket.assignee_id = 1`, 'hdsks_assignee'],
  ] as const) {
    const plan = await planOf(client, `SELECT id FROM hdsks AS ticket WHERE ${where} ORDER BY ${order} LIMIT 51`)
    t.match(plan, `using ${index} `, index)
  }
  await client.query('ROLLBACK')
  client.release()
})

t.test('a ticket is given to somebody who may answer it, and taken away', async (t) => {
  const [clerkId, viewerId, northId] = [await idOf('clerk'), await idOf('viewer'), await idOf('north')]
  t.same(
    (await clerk.get(`/admin/Abonents/ticket_staff/?ticket=${noLine}`)).body.items.map(
      ({ username }: Json) => username,
    ),
    ['clerk', 'root'],
    'who may write and sees the organization',
  )
  t.equal((await north.get(`/admin/Abonents/ticket_staff/?ticket=${noLine}`)).status, 404)
  t.match((await north.get('/admin/Abonents/ticket_staff/')).body.items, [{ username: 'north' }, { username: 'root' }])
  t.match((await clerk.post(one(noLine), { assignee: clerkId, status: 'in_progress' })).body.ticket, {
    ...{ assignee_id: clerkId, assignee: 'clerk', status: 'in_progress', name: 'Ivan Petrov', others_of_home: 1 },
  })
  t.same(await idsOf('?show=mine', clerk), [noLine])
  t.same(await idsOf(`?assignee=${clerkId}`), [noLine])
  t.same(await idsOf('?assignee=nobody&show=open', clerk), [slow])
  for (const [assignee, why] of [
    [viewerId, 'who only reads'],
    [northId, 'of another organization'],
    [987_654, 'nobody has this id'],
  ] as const)
    t.match(
      await clerk.post(one(noLine), { assignee, body: 'Not sent' }),
      {
        ...{ status: 400, body: { code: 'not_assignable' } },
      },
      why,
    )
  t.match(await clerk.post(one(noLine), {}), { status: 400, body: { code: 'wrong_field' } })
  t.equal((await viewer.post(one(noLine), { assignee: clerkId })).status, 403)
  t.equal((await north.post(one(noLine), { assignee: northId })).status, 404)
  t.match((await root.post(one(noLine), { assignee: null })).body.ticket, { assignee: null, assignee_id: null })
  await made(one(noLine), { assignee: clerkId }, clerk)
  t.match(
    await office.rows(
      `SELECT user_name, diff FROM audit_operations WHERE table_name = 'HDSK' AND object_id = $1 ORDER BY id`,
      [String(noLine)],
    ),
    [
      { user_name: 'clerk', diff: { status: ['open', 'in_progress'], assignee: [null, 'clerk'] } },
      { user_name: 'root', diff: { assignee: ['clerk', null] } },
      { user_name: 'clerk', diff: { assignee: [null, 'clerk'] } },
    ],
  )
  t.equal((await root.delete(`/admin/dictionary/staff_crud/${clerkId}/`)).status, 400)
  t.notMatch(JSON.stringify((await root.get(one(noLine))).body), 'Not sent')
})

t.test('each of the staff has read what they have read, and a new word is unread again', async (t) => {
  const { last_message_id: message } = (await clerk.get(one(noLine))).body.ticket
  t.match(await listed('?unread=1', clerk), [{ id: slow }, { id: noLine }])
  const door = `/admin/Abonents/ticket_read/${noLine}/`
  t.match(await viewer.post(door, { message }), { status: 200, body: { ok: true } }, 'a right to read is enough')
  t.match(await clerk.post(door, { message: message + 1000 }), { status: 200 }, 'not beyond the last')
  t.match(await clerk.post(door, { message: 1 }), { status: 200 }, 'and never back')
  t.same(await idsOf('?unread=1', clerk), [slow])
  t.same(await idsOf('?unread=1&organization=1'), [slow, noLine], 'others have not read it')
  await office.rows(`INSERT INTO hdsk_messages (hdsk_id, author, body) VALUES ($1, 'client', 'Hello?')`, [noLine])
  t.same(await idsOf('?unread=1', clerk), [noLine, slow])
  await made(one(noLine), { body: 'We look into it' }, clerk)
  t.same(await idsOf('?unread=1'), [moving, slow], 'what was answered waits for nobody')
  t.match((await listed('?last=staff'))[0], { id: noLine, last_text: 'We look into it' })
  t.equal((await north.post(door, { message })).status, 404)
  t.match(await clerk.post(door, { message: 'x' }), { status: 400 })
})

t.test('no client sees a note at any door', async (t) => {
  const note = 'NOTE-OF-THE-OFFICE'
  const { ticket } = await made(one(noLine), { note }, clerk)
  t.match(ticket.notes, [{ staff: 'clerk', body: note }])
  t.match(await listed('?show=mine', clerk), [{ notes: 1, last_text: 'We look into it' }])
  const log = (await root.get(`/admin/Abonents/log/${ivan.id}/`)).body.items
  t.match(log[0], { kind: 'ticket', action: 'note', user: 'clerk', changes: [{ field: 'body', after: note }] })

  const phone = await Phone.of(office.base)
  t.equal((await phone.signIn('ivan', 'secret-word')).status, 200)
  const portal = new Browser(office.base)
  t.equal((await portal.signIn('ivan', 'secret-word')).status, 302)
  t.match((await portal.get('/lk/')).text, 'Ivan Petrov')
  const seen: string[] = []
  const thread = await phone.get(`/support/tickets/${noLine}`)
  t.match(thread.body.messages.at(-1), { author: 'staff', body: 'We look into it' }, 'answers are seen')
  seen.push(JSON.stringify(thread.body))
  seen.push(JSON.stringify((await phone.post(`/support/tickets/${noLine}`, { body: 'Thank you' })).body))
  const params: Readonly<Record<string, string>> = { id: String(noLine) }
  const outside = office.routes.filter(
    // The way out would end the session that asks.
    ({ method, door, path }) => method === 'GET' && !['admin', 'page'].includes(door) && path !== '/admin/logout',
  )
  for (const { path, door } of outside) {
    const address = path.replace(/[:*](\w+)/g, (_, name: string) => params[name] ?? String(ivan.id))
    const headers = door === 'mobile' ? { Authorization: `Bearer ${phone.access}` } : root.headers
    const asked = async () => (await fetch(office.base + address, { headers, redirect: 'manual' })).text()
    seen.push(door === 'client' ? (await portal.get(address)).text : await asked())
  }
  seen.push(JSON.stringify((await root.get(`/rest_api/v2/Hdsk/${noLine}/`)).body))
  t.match(seen.at(-1), 'We look into it', 'REST has the answers')
  t.ok(outside.some(({ door }) => door === 'mobile') && outside.some(({ door }) => door === 'client'))

  await office.settings.set({ SOAP_HASH_SALT: salt })
  await createStaff(office.database.pool, {
    ...{ username: 'desk', password: 'desk-password', role: 'cashier', soap: true },
    seal: (plain) => office.secrets.seal(plain),
  })
  const soap = async (path: string, body: string) => {
    const headers = { 'Content-Type': 'text/xml; charset=utf-8' }
    const response = await fetch(office.base + path, { method: 'POST', headers, body })
    return answerOf(response.status, await response.text())
  }
  const login = { username: 'desk', hash: hashOf('desk-password') }
  const { result: hash_key } = await soap('/api/', envelope('get_user_hash', userNamespace, login))
  const check = { hash_key: hash_key ?? '', ACT: 'CHECK', CONTRACT_NUMBER: '77', PAY_OPERATOR: 'x' }
  const paid = await soap('/api/fiscal/', envelope('pay_usr_act2', fiscalNamespace, check))
  t.match(paid, { status: 200, result: /^OK;77/ })
  seen.push(paid.text)
  for (const text of seen) t.notMatch(text, note)
})

t.test('the office and the phone of the client hear of every change, and nobody else does', async (t) => {
  const mine = await new Watcher(office.base, clerk.key).open(['tickets'])
  const other = await new Watcher(office.base, north.key).open(['tickets'])
  const phone = await Phone.of(office.base)
  await phone.signIn('olga', 'secret-word')
  const live = phone.live()
  t.teardown(() => live.close())
  await live.status()
  t.teardown(() => {
    mine.close()
    other.close()
  })
  t.match(mine.frames[0], { type: 'snapshot', topic: 'tickets', counts: { open: 2, mine: 1, unread: 2 } })
  const elses = await new Watcher(office.base, viewer.key).open(['tickets'])
  t.teardown(() => elses.close())
  const unread = (await idsOf('?show=open&unread=1', viewer)).length
  t.ok(unread > 0)
  t.equal(elses.frames[0]?.counts.unread, unread, 'as many as the list has, also of those that are the work of others')
  const told = (deed: string) => (frame: Json) => frame.type === 'ticket.changed' && frame.deeds.includes(deed)
  const opened = (await phone.post('/support/tickets', { subject: 'Which tariff', body: 'Is there a faster one?' }))
    .body
  await mine.seen(told('opened'))
  t.match(await mine.seen(told('asked')), {
    ticket: { id: opened.id, abonent_id: olga.id, organization_id: 1, last_author: 'client', assignee_id: null },
  })
  const shown = (status: string, unread: number) => (frame: Json) =>
    frame.type === 'ticket' &&
    frame.ticket.id === opened.id &&
    frame.ticket.status === status &&
    frame.ticket.unread === unread
  const first = await live.frame(shown('open', 0))
  t.strictSame(Object.keys(first.ticket), ['id', 'subject', 'status', 'create_date', 'unread'])

  const clerkId = await idOf('clerk')
  const before = live.frames.filter(({ type }) => type === 'ticket').length
  await made(one(opened.id), { assignee: clerkId, note: 'A good client' }, clerk)
  t.match(await mine.seen(told('assigned')), { ticket: { id: opened.id, assignee_id: clerkId } })
  await mine.seen(told('noted'))
  live.send({ type: 'ping' })
  await live.frame(({ type }) => type === 'pong')
  t.equal(live.frames.filter(({ type }) => type === 'ticket').length, before, 'neither is news to the client')

  await made(one(opened.id), { body: 'There is', status: 'closed' }, clerk)
  t.match(await mine.seen(told('closed')), { ticket: { status: 'closed', last_author: 'staff' } })
  await mine.seen(told('answered'))
  await live.frame(shown('closed', 1))
  await phone.post(`/support/tickets/${opened.id}`, { body: 'Then that one' })
  await mine.seen(told('reopened'))
  await root.post(`/rest_api/v2/Hdsk/${opened.id}/messages/`, { body: 'It is done' })
  await live.frame(shown('open', 1))

  await made(one(moving), { status: 'in_progress' }, north)
  await other.seen(told('changed'))
  t.same(
    other.frames.filter(({ type }) => type === 'ticket.changed').map(({ ticket }) => ticket.id),
    [moving],
    'of the own organization alone',
  )
  t.ok(mine.frames.every((frame) => frame.ticket?.id !== moving))
})

t.test('templates of answers are in one language or both, and shared by all organizations', async (t) => {
  const door = '/admin/dictionary/ticket_templates_crud/'
  const template = await made(door, { name: 'Router', text_ru: 'Перезагрузите роутер', text_en: 'Restart the router' })
  t.match((await north.get(door)).body.items, [{ name: 'Router', text_en: 'Restart the router' }])
  t.equal((await north.post(door, { name: 'Mine', text_en: 'x' })).status, 403, 'all organizations share them')
  t.match(await root.post(door, { name: 'Empty' }), { status: 400, body: { codes: { text_ru: 'required' } } })
  t.match(await root.post(door, { name: 'Router', text_en: 'x' }), { status: 400, body: { codes: { name: 'taken' } } })
  t.match(await root.post(`${door}${template.id}/`, { text_ru: '' }), { status: 200, body: { text_ru: null } })
  t.equal((await root.post(`${door}${template.id}/`, { text_en: '' })).status, 400)
  t.match((await root.delete(`${door}${template.id}/`)).body, { ok: true })
  t.match(await office.rows(`SELECT action FROM audit_operations WHERE table_name = 'TICKET_TEMPLATES' ORDER BY id`), [
    { action: 'create' },
    { action: 'change' },
    { action: 'delete' },
  ])
})
