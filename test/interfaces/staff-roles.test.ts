import t from 'tap'
import { Caller, type Json, openOffice } from './admin-office.ts'

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
  t.match(await roleNamed('cashier'), {
    title: null,
    is_own: false,
    rights: ['view', 'money'],
    default_rights: ['view', 'money'],
    users: 1,
  })
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
  for (const rights of [['fly'], ['money'], [], 'view', null, [1]])
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

const password = 'long enough 1'
const newUser = (username: string, role: string, more: object = {}, caller = root) =>
  caller.post('/admin/dictionary/staff_crud/', { username, password, role, ...more })

t.test('a role of one’s own is made, given, renamed, changed and deleted, and its users have its rights', async (t) => {
  const made = await root.post(path, { title: ' Монтажник ', rights: ['change', 'view'] })
  t.match(made, {
    status: 200,
    body: {
      name: /^role_[0-9a-f]{8}$/,
      title: 'Монтажник',
      is_own: true,
      rights: ['view', 'change'],
      default_rights: null,
    },
  })
  const { name } = made.body
  t.match((await newUser('fitter', name)).body, { ok: true, role: name })
  const fitter = await office.signedIn('fitter', password)
  t.same((await fitter.get('/admin/me/')).body.user.rights, ['view', 'change'])
  t.equal((await fitter.post('/admin/dictionary/folders_crud/', { name: 'of a fitter' })).status, 200)
  t.match((await root.post(`${path}${name}/`, { title: 'Техник' })).body, {
    title: 'Техник',
    rights: ['view', 'change'],
  })
  t.match((await root.post(`${path}${name}/`, { rights: ['view'] })).body, { title: 'Техник', rights: ['view'] })
  t.same((await fitter.get('/admin/me/')).body.user.rights, ['view'], 'at once')
  t.match(await roleNamed(name), { title: 'Техник', users: 1 })
  for (const enabled of [true, false]) {
    await root.post(`/admin/dictionary/staff_crud/${await idOf('fitter')}/`, { enabled })
    t.match(await root.delete(`${path}${name}/`), { status: 400, body: { code: 'record_in_use', error: /^1 staff/ } })
  }
  t.ok(await roleNamed(name), 'a refused deletion leaves it')
  await root.post(`/admin/dictionary/staff_crud/${await idOf('fitter')}/`, { role: 'viewer' })
  t.same(await root.delete(`${path}${name}/`), { status: 200, body: { ok: true } })
  t.equal((await root.delete(`${path}${name}/`)).status, 404)
  t.match(await newUser('late', name), { status: 400, body: { errors: { role: /no such role/ } } })
  const audit = `SELECT action, diff FROM audit_operations WHERE table_name = 'STAFF_ROLES' AND object_id = $1 ORDER BY id`
  t.match(await office.rows(audit, [name]), [
    { action: 'create', diff: { title: [null, 'Монтажник'], rights: [null, ['view', 'change']] } },
    { action: 'change', diff: { title: ['Монтажник', 'Техник'] } },
    { action: 'change', diff: { rights: [['view', 'change'], ['view']] } },
    { action: 'delete', diff: { title: ['Техник', null] } },
  ])
})

t.test('a role of the program is called otherwise and keeps its rights; it cannot be deleted', async (t) => {
  t.match((await root.post(`${path}viewer/`, { title: 'Стажёр' })).body, { title: 'Стажёр', rights: ['view'] })
  t.same(await office.rows(`SELECT title, rights FROM staff_roles WHERE name = 'viewer'`), [
    { title: 'Стажёр', rights: null },
  ])
  t.match(await root.delete(`${path}viewer/`), { status: 400, body: { code: 'program_role' } })
  t.match((await root.post(`${path}viewer/`, { title: null })).body, { title: null })
  t.same(await office.rows(`SELECT * FROM staff_roles WHERE name = 'viewer'`), [])
})

t.test('titles are told apart, and nobody fills the table', async (t) => {
  const { name } = (await root.post(path, { title: 'Снабжение', rights: ['view'] })).body
  const taken = { status: 400, body: { code: 'wrong_field', codes: { title: 'taken' } } }
  t.match(await root.post(path, { title: 'снабжение', rights: ['view'] }), taken)
  t.match(await root.post(`${path}viewer/`, { title: 'СНАБЖЕНИЕ' }), taken)
  t.match(await root.post(`${path}${name}/`, { title: null }), { status: 400, body: { codes: { title: 'required' } } })
  for (const sent of [
    { rights: ['view'] },
    { title: '', rights: ['view'] },
    { title: 'x' },
    { title: 'x', rights: ['money'] },
  ])
    t.equal((await root.post(path, sent)).status, 400, JSON.stringify(sent))
  await office.rows(
    `INSERT INTO staff_roles (name, title, rights) SELECT 'role_' || lpad(to_hex(n), 8, '0'), 'n' || n, '{view}' FROM generate_series(2, 100) AS n`,
  )
  t.match(await root.post(path, { title: 'one more', rights: ['view'] }), { status: 400, body: { code: 'too_many' } })
  await office.rows('DELETE FROM staff_roles')
})

t.test('nobody comes to more rights by a role of their own making', async (t) => {
  const chiefRights = ['view', 'change', 'system']
  const { name } = (await root.post(path, { title: 'Начальник', rights: chiefRights })).body
  await newUser('head', name, { all_organizations: true })
  await newUser('branch', name)
  const head = await office.signedIn('head', password)
  const branch = await office.signedIn('branch', password)
  const beyond = { status: 403, body: { code: 'beyond_own_rights' } }
  t.match(await head.post(path, { title: 'Всё', rights: ['view', 'money'] }), beyond)
  t.match(await head.post(`${path}${name}/`, { rights: [...chiefRights, 'settings'] }), beyond, 'not to their own')
  t.match(await head.post(`${path}viewer/`, { rights: ['view', 'personal_data'], title: 'x' }), beyond)
  t.match(await head.post(`${path}${name}/`, { rights: ['view', 'change'] }), {
    status: 403,
    body: { code: 'own_role' },
  })
  t.match(await head.delete(`${path}${name}/`), { status: 403, body: { code: 'own_role' } })
  const all = (await root.post(path, { title: 'Всё', rights: ['view', 'money', 'system'] })).body
  t.match(await newUser('puppet', all.name, {}, head), { status: 403, body: { error: /may do more/ } })
  const self = `/admin/dictionary/staff_crud/${await idOf('head')}/`
  t.match(await head.post(self, { role: all.name }), { status: 403, body: { error: /may do more/ } })
  t.match(await newUser('puppet', 'role_00000000', {}, head), { status: 400, body: { errors: { role: String } } })
  t.match(await newUser('puppet', 'constructor', {}, head), { status: 400 })

  const less = { title: 'Помощник', rights: ['view'] }
  for (const caller of [branch, cashier])
    for (const answer of [
      await caller.post(path, less),
      await caller.post(`${path}${all.name}/`, { rights: ['view'] }),
      await caller.delete(`${path}${all.name}/`),
    ])
      t.equal(answer.status, 403, 'of one organization, or without the right')
  const scopes = ['read', 'write', 'system']
  const { token } = (
    await root.post('/admin/settings/tokens/', { name: 'x', scopes, current_password: 'root-password' })
  ).body
  const thief = new Caller(office.base, { Authorization: `Bearer ${token}` })
  t.equal((await thief.post(path, less)).status, 403, 'an API token')
  t.equal((await thief.delete(`${path}${all.name}/`)).status, 403)
  t.same((await root.get(path)).body.items.filter((one: Json) => one.is_own).length, 2, 'nothing was made by any of it')

  t.match((await head.post(path, less)).body, { ok: true, rights: ['view'] })
  await office.rows('DELETE FROM staff_roles WHERE name = $1', [name])
  t.equal((await head.get(path)).status, 403, 'a role that is gone has no rights')
  await office.rows(`UPDATE staff SET role = 'viewer' WHERE role = $1`, [name])
  await office.rows('DELETE FROM staff_roles')
})

t.test('two who take the right to manage staff from each other at once: one of them keeps it', async (t) => {
  const chiefs = await Promise.all(
    ['one', 'two'].map(async (of) => {
      const { name } = (await root.post(path, { title: of, rights: ['view', 'system'] })).body
      await newUser(`chief-${of}`, name, { all_organizations: true })
      return { name, caller: await office.signedIn(`chief-${of}`, password) }
    }),
  )
  const [one, two] = chiefs as [(typeof chiefs)[0], (typeof chiefs)[0]]
  const answers = await Promise.all([
    one.caller.post(`${path}${two.name}/`, { rights: ['view'] }),
    two.caller.post(`${path}${one.name}/`, { rights: ['view'] }),
  ])
  t.same(answers.map(({ status }) => status).sort(), [200, 403])
  const left = await office.rows(`SELECT FROM staff_roles WHERE 'system' = ANY(rights)`)
  t.equal(left.length, 1)
})

t.test('a role that is given and deleted at once is not lost to who has it', async (t) => {
  for (let at = 0; at < 6; at++) {
    const { name } = (await root.post(path, { title: `brief ${at}`, rights: ['view'] })).body
    const [given, gone] = await Promise.all([newUser(`brief-${at}`, name), root.delete(`${path}${name}/`)])
    t.same([given.status, gone.status].sort(), [200, 400], 'one of the two is refused')
  }
  t.same(
    await office.rows(
      `SELECT username FROM staff WHERE role LIKE 'role%' AND NOT EXISTS (SELECT FROM staff_roles WHERE name = role)`,
    ),
    [],
  )
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
