import t from 'tap'
import { type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const root = await office.staff('root')
const cashier = await office.staff('cashier', 'cashier', [1])
const path = '/admin/staff/roles/'
const roleNamed = async (name: string): Promise<Json> =>
  (await root.get(path)).body.items.find((role: Json) => role.name === name)
const idOf = async (username: string): Promise<number> =>
  Number((await office.rows('SELECT id FROM staff WHERE username = $1', [username]))[0].id)

t.test('a role is given a right and it counts at once, also for who is signed in', async (t) => {
  t.match(await roleNamed('cashier'), { rights: ['view', 'money'], default_rights: ['view', 'money'], users: 1 })
  t.equal((await cashier.post('/admin/dictionary/folders_crud/', { name: 'x' })).status, 403)
  t.match(await root.post(`${path}cashier/`, { rights: ['change', 'view', 'money'] }), {
    status: 200,
    body: { ok: true, name: 'cashier', rights: ['view', 'change', 'money'] },
  })
  t.equal((await cashier.post('/admin/dictionary/folders_crud/', { name: 'x' })).status, 200)
  t.match((await cashier.get('/admin/me/')).body.user.rights, ['view', 'change', 'money'])
  t.match(await roleNamed('cashier'), { rights: ['view', 'change', 'money'], default_rights: ['view', 'money'] })
  t.match(
    await office.rows(`SELECT object_id, user_name, diff FROM audit_operations WHERE table_name = 'STAFF_ROLES'`),
    [
      {
        object_id: 'cashier',
        user_name: 'root',
        diff: {
          rights: [
            ['view', 'money'],
            ['view', 'change', 'money'],
          ],
        },
      },
    ],
  )
})

t.test('with the rights of the program again it has no row, and takes what later versions give', async (t) => {
  t.equal((await root.post(`${path}cashier/`, { rights: ['view', 'money'] })).status, 200)
  t.same(await office.rows('SELECT * FROM staff_roles'), [])
  t.equal((await cashier.post('/admin/dictionary/folders_crud/', { name: 'y' })).status, 403)
})

t.test('wrong rights, an unknown role and who may not', async (t) => {
  for (const rights of [['fly'], ['money'], [], 'view', null, [1], undefined])
    t.match(await root.post(`${path}cashier/`, { rights }), { status: 400, body: { code: 'wrong_field' } })
  t.equal((await root.post(`${path}constructor/`, { rights: ['view'] })).status, 404)
  t.equal((await cashier.get(path)).status, 403)
  const north = await office.staff('north', 'admin', [2])
  t.equal((await north.get(path)).status, 200)
  t.match(await north.post(`${path}cashier/`, { rights: ['view'] }), {
    status: 403,
    body: { error: /every organization/ },
  })
})

t.test('nobody gives more than they have, nor takes the right to manage staff from themselves', async (t) => {
  const chief = await office.staff('chief', 'operator', [1])
  await root.post(`/admin/dictionary/staff_crud/${await idOf('chief')}/`, { all_organizations: true })
  const { rights: usual } = await roleNamed('operator')
  await root.post(`${path}operator/`, { rights: [...usual, 'system'] })
  t.match(await chief.post(`${path}cashier/`, { rights: ['view', 'money', 'settings'] }), {
    status: 403,
    body: { code: 'beyond_own_rights' },
  })
  t.match(await chief.post(`${path}operator/`, { rights: usual }), { status: 403, body: { code: 'own_role' } })
  t.equal((await chief.post(`${path}cashier/`, { rights: ['view', 'change'] })).status, 200)
  t.equal((await chief.post(`${path}admin/`, { rights: ['view'] })).status, 200, 'less may always be given')
  t.match(
    (await chief.post('/admin/dictionary/staff_crud/', { username: 'x', password: 'long enough 1', role: 'admin' }))
      .body,
    {
      ok: true,
    },
  )
  await root.post(`${path}admin/`, { rights: (await roleNamed('admin')).default_rights })
  t.match(
    await chief.post('/admin/dictionary/staff_crud/', { username: 'y', password: 'long enough 1', role: 'admin' }),
    { status: 403, body: { error: /role that may do more/ } },
  )
  t.equal((await root.post(`${path}operator/`, { rights: usual })).status, 200)
  t.equal((await chief.get(path)).status, 403)
})

t.test('sessions are listed with where and since when, and one is ended', async (t) => {
  const sessions = '/admin/staff/sessions/'
  const of = async (username: string): Promise<Json[]> =>
    (await root.get(sessions)).body.items.filter((one: Json) => one.username === username)
  const [session] = await of('cashier')
  t.match(session, { address: '127.0.0.1', created_at: String, seen_at: String, expires_at: String, is_own: false })
  t.match(await of('root'), [{ is_own: true }])
  t.same((await root.get(`${sessions}?staff=${await idOf('cashier')}`)).body.items, [session])
  t.equal((await cashier.get(sessions)).status, 403)
  const north = await office.signedIn('north', 'north-password')
  t.same(
    (await north.get(sessions)).body.items.map((one: Json) => one.username),
    ['north', 'north'],
    'nobody sees who sees more',
  )
  t.equal((await north.post(`${sessions}end/`, { id: session.id })).status, 404)
  t.equal((await root.post(`${sessions}end/`, { id: 'x' })).status, 400)
  t.equal((await root.post(`${sessions}end/`, { id: session.id })).status, 200)
  t.equal((await cashier.get('/admin/me/')).status, 401)
  t.equal((await root.post(`${sessions}end/`, { id: session.id })).status, 404)
  t.match(await office.rows(`SELECT diff FROM audit_operations WHERE table_name = 'STAFF' AND diff ? 'session'`), [
    { diff: { session: ['127.0.0.1', null] } },
  ])
  const operator = await office.staff('boss', 'admin', [1])
  await root.post(`/admin/dictionary/staff_crud/${await idOf('boss')}/`, { all_organizations: true })
  const [ofRoot] = await of('root')
  t.equal((await operator.post(`${sessions}end/`, { id: ofRoot.id })).status, 404, 'that of a superuser')
})
