import t from 'tap'
import { readEntries } from '../../src/interfaces/admin/subscribers/log/entries.ts'
import { testDatabase } from '../support/database.ts'
import { openOffice, type Json } from './admin-office.ts'

const { database } = await testDatabase(t)
const office = await openOffice(t, { database })
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const first = await office.staff('first', 'operator', [1])
const north = await office.staff('north', 'operator', [2])
const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const tariff = await made('/rest_api/v2/Tarif/', { name: 'Home', price: 0 })
const faster = await made('/rest_api/v2/Tarif/', { name: 'Faster', price: 0 })
const tv = await made('/rest_api/v2/Usluga/', { name: 'Television', price: 0 })
const ivan = await made('/admin/Abonents/create/', {
  ...{ name: 'Ivan', contract_number: '1', tarif: tariff.id, passport_series_number: '4510 123456' },
  ...{ login: { login: 'ivan', password: 'secret-word' }, services: [tv.id], payment: { amount: 100 } },
})
const other = await made('/rest_api/v2/Abonents/', { name: 'Other', contract_number: '2' })
const id = ivan.abonent.id
const door = `/admin/Abonents/log/${id}/`
const all = async (caller = root, query = ''): Promise<Json[]> =>
  (await caller.get(`${door}?limit=200${query}`)).body.items
const said = (items: readonly Json[]) => items.map(({ kind, action }) => `${kind} ${action}`)

t.test('everything that was done to a subscriber is in one list, the newest first', async (t) => {
  t.same(
    said(await all()),
    [...['operation create', 'service create', 'login create', 'subscriber create', 'account create']],
    'a new subscriber part by part, and the posting once',
  )
  await root.put(`/rest_api/v2/Abonents/${id}/`, { tarif: faster.id, comment: 'moved' })
  const second = await made('/rest_api/v2/Users/', { abonent: id, login: 'second', password: 'x' })
  await root.put(`/rest_api/v2/Users/${second.id}/`, { password: 'y' })
  await root.delete(`/rest_api/v2/Users/${second.id}/`)
  await root.post(`/admin/abonents/block/${id}/`)
  await root.post(`/admin/Abonents/finops_crud/${ivan.operation.op_id}/`, { admin_comment: 'checked' })
  await root.post(`/admin/Abonents/accounts_storno/${ivan.account.id}/`)
  const service = (await root.get(`/admin/Abonents/users_usluga_crud/?abonent_id=${id}`)).body.items[0]
  await root.post(`/admin/Abonents/users_usluga_crud/${service.id}/`, { _delete: 1 })
  const ticket = await made('/rest_api/v2/Hdsk/', { abonent: id, subject: 'No line', body: 'Since noon' })
  await root.post(`/rest_api/v2/Hdsk/${ticket.id}/messages/`, { body: 'We look into it' })
  await office.rows(`INSERT INTO hdsks (abonent_id, subject) VALUES ($1, 'From the phone')`, [id])
  await office.rows(
    `INSERT INTO notifications (subscriber_id, kind, text, channel, error) VALUES ($1, 'x', 'Your bill', 'sms', 'The subscriber has no phone.')`,
    [id],
  )
  const items = await all()
  t.same(said(items).slice(0, -5), [
    ...['message waiting', 'ticket create', 'ticket reply', 'ticket create', 'service delete'],
    ...['operation storno', 'operation change', 'block block'],
    ...[
      'login delete',
      'login change',
      'login change',
      'login create',
      'operation create',
      'subscriber change',
      'subscriber change',
    ],
  ])
  const of = (kind: string, action: string) => items.find((item) => item.kind === kind && item.action === action)
  t.match(of('message', 'waiting').changes[0], { field: 'text', before: null, after: 'Your bill' })
  t.same(of('message', 'waiting').faults, [{ code: 'no_address', detail: 'phone' }])
  t.match(of('ticket', 'reply'), {
    user: 'root',
    object: { id: ticket.id },
    changes: [{ field: 'body', after: 'We look into it' }],
  })
  t.match(of('service', 'delete').object, { name: 'Television' })
  t.match(of('login', 'delete'), { user: 'root', address: '127.0.0.1', object: { id: second.id, name: 'second' } })
  const storno = of('operation', 'storno').changes
  t.match(
    storno.find(({ field }: Json) => field === 'op_type'),
    { after: 33, after_name: 'Смена тарифа' },
  )
  const changed = items.findLast(({ kind, action }) => kind === 'subscriber' && action === 'change')
  t.ok(changed)
  const tariffs = items.flatMap(({ changes }) => changes).filter(({ field }) => field === 'tarif')
  t.match(tariffs[0], { before: tariff.id, after: faster.id, before_name: 'Home', after_name: 'Faster' })
  t.notMatch(JSON.stringify(items), 'secret-word')
  t.ok(
    items.every((item, at) => at === 0 || item.at <= items[at - 1].at),
    'in the order of time',
  )

  const paged: Json[] = []
  for (let cursor = ''; ; ) {
    const { body } = await root.get(`${door}?limit=3${cursor && `&cursor=${cursor}`}`)
    paged.push(...body.items)
    if (body.next_cursor === null) break
    cursor = body.next_cursor
  }
  t.same(paged, items, 'by pages it is the same')
})

t.test('who may not see personal documents, or the subscriber, does not', async (t) => {
  const hidden = (await all(first))
    .flatMap(({ changes }) => changes)
    .filter(({ field }) => field === 'passport_series_number')
  t.match(hidden, [{ before: '***', after: '***' }])
  t.match(JSON.stringify(await all()), '4510 123456')
  t.equal((await north.get(door)).status, 404)
  t.equal((await root.get('/admin/Abonents/log/999999/')).status, 404)
  for (const cursor of [
    'x',
    Buffer.from('2026-01-01 3').toString('base64url'),
    Buffer.from('x 3 1').toString('base64url'),
  ])
    t.equal((await root.get(`${door}?cursor=${cursor}`)).status, 400, cursor)
  await office.rows(
    `INSERT INTO audit_operations (table_name, object_id, action, organization_id) VALUES ('ABONENTS', $1, 'change', 2)`,
    [String(id)],
  )
  t.equal((await all(first)).length, (await all()).length - 1, 'nor what was done by another organization')
  t.notMatch(JSON.stringify((await root.get(`/admin/Abonents/log/${other.id}/`)).body), 'Ivan')
})

t.test('however long the audit, a page is found by indexes', async (t) => {
  await office.rows(`INSERT INTO audit_operations (at, table_name, object_id, action, diff, organization_id)
    SELECT now() - n * interval '1 second', (ARRAY['ABONENTS', 'FINANCE_OPERATIONS', 'USERS', 'ADMIN_ACCOUNTS'])[1 + n % 4],
      (1000 + n % 5000)::text, 'create', '{}', 1 FROM generate_series(1, 20000) AS n`)
  await office.rows('ANALYZE audit_operations')
  const client = await office.database.pool.connect()
  await client.query('BEGIN')
  t.ok((await readEntries(client, id, null, null, 50)).length > 20)
  const { rows } = await client.query(
    `SELECT seq_scan, idx_scan FROM pg_stat_xact_user_tables WHERE relname = 'audit_operations'`,
  )
  await client.query('ROLLBACK')
  client.release()
  t.match(rows, [{ seq_scan: '0', idx_scan: /^[1-9]/ }], 'the table is never read as a whole')
})
