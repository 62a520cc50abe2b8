import t from 'tap'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'viewer', [2])
const audit = async (query = '', caller = root) => (await caller.get(`/admin/audit/${query}`)).body

t.test('what REST and the admin change is found by table, record, user and day', async (t) => {
  const { body: type } = await root.post('/admin/dictionary/fin_types_crud/', { op_name: 'Bonus', op_sign: 1 })
  await root.post(`/admin/dictionary/fin_types_crud/${type.id}/`, { op_name: 'Gift' })
  await root.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '1' })
  const all = await audit()
  t.match(all, { ok: true, total: Number, has_more: false })
  t.same(
    all.items.map(({ id }: { id: number }) => id),
    [...all.items].map(({ id }: { id: number }) => id).sort((a, b) => b - a),
    'the newest first',
  )
  const types = await audit(`?table_name=FIN_TYPES&object_id=${type.id}`)
  t.match(types, {
    total: 2,
    items: [
      { user: 'root', address: '127.0.0.1', table_name: 'FIN_TYPES', object_id: String(type.id), action: 'change' },
      { action: 'create', diff: { op_name: [null, 'Bonus'] } },
    ],
  })
  t.same(Object.keys(types.items[0]), ['id', 'at', 'user', 'address', 'table_name', 'object_id', 'action', 'diff'])
  t.same(types.items[0].diff, { op_name: ['Bonus', 'Gift'] })
  t.match(types.items[0].at, /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/)
  t.equal((await audit('?table_name=fin_types')).total, 2)
  const own = all.items.filter(({ user }: { user: string }) => user === 'root').length
  t.equal((await audit('?user=root')).total, own)
  t.equal((await audit('?user=nobody')).total, 0)
  const [{ id }] = await office.rows(`SELECT id FROM staff WHERE username = 'root'`)
  t.equal((await audit(`?user=${id}`)).total, own)
})

t.test('a date_to without a time includes the whole day in TIME_ZONE', async (t) => {
  const at = (moment: string, id: string) =>
    office.rows(`INSERT INTO audit_operations (at, table_name, object_id, action) VALUES ($1, 'OLD', $2, 'change')`, [
      moment,
      id,
    ])
  await at('2020-05-01T23:59:59+03:00', 'last')
  await at('2020-05-02T00:00:00+03:00', 'next')
  const found = async (query: string) =>
    (await audit(`?table_name=OLD&${query}`)).items.map(({ object_id }: { object_id: string }) => object_id)
  t.same(await found('date_to=2020-05-01'), ['last'])
  t.same(await found('date_from=2020-05-02'), ['next'])
  t.same(await found('date_from=2020-05-01&date_to=2020-05-02'), ['next', 'last'])
  t.same(await found('date_to=2020-05-01T20:59:59Z'), ['last'])
  for (const query of ['date_from=yesterday', 'date_to=2020-02-31', 'page=0', 'page=x', 'per_page=-1'])
    t.match(await root.get(`/admin/audit/?${query}`), { status: 400, body: { ok: false, error: /It must/ } }, query)
})

t.test('pages follow one another', async (t) => {
  const first = await audit('?per_page=2')
  const second = await audit('?per_page=2&page=2')
  t.equal(first.items.length, 2)
  t.ok(first.has_more)
  t.ok(first.items[1].id > second.items[0].id || first.items[1].at > second.items[0].at)
  t.match(await audit('?page=100000'), { items: { length: 0 }, has_more: false })
})

t.test('a long list is not counted to its end, and its pages go on', async (t) => {
  const add = (rows: number) =>
    office.rows(
      `INSERT INTO audit_operations (at, table_name, object_id, action)
        SELECT '2020-06-01', 'LONG', n::text, 'change' FROM generate_series(1, $1::int) AS n`,
      [rows],
    )
  await add(10_000)
  t.match(await audit('?table_name=LONG'), { total: 10_000, has_more_than_total: false, has_more: true })
  t.match(await audit('?table_name=LONG&page=200'), { items: { length: 50 }, has_more: false })
  await add(1)
  t.match(await audit('?table_name=LONG'), { total: 10_000, has_more_than_total: true, has_more: true })
  t.match(await audit('?table_name=LONG&page=200'), { items: { length: 50 }, has_more: true })
  t.match(await audit('?table_name=LONG&page=201'), { items: { length: 1 }, total: 10_000, has_more: false })
})

t.test('staff of one organization see what concerns it', async (t) => {
  const { body: folder } = await root.post('/admin/dictionary/folders_crud/', { name: 'North street', organization: 2 })
  await root.post('/rest_api/v2/Abonents/', { name: 'Northerner', contract_number: '2', parent: folder.id })
  const seen = await audit('', north)
  t.ok(seen.items.some(({ table_name }: { table_name: string }) => table_name === 'ABONENT_FOLDERS'))
  t.ok(seen.items.some(({ table_name }: { table_name: string }) => table_name === 'ABONENTS'))
  t.notMatch(JSON.stringify(seen), /Ivan|Bonus|"OLD"/)
  t.ok(seen.total < (await audit()).total)
})
