import t from 'tap'
import { verifyPassword } from '../../src/platform/staff/passwords.ts'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const path = '/admin/dictionary/staff_crud/'

t.test('a staff user is made, works within the role and leaves', async (t) => {
  const made = await root.post(path, {
    username: 'anna',
    password: 'first-of-anna',
    role: 'cashier',
    rest: true,
    organizations: [2, 1, 2],
  })
  t.match(made, {
    status: 200,
    body: { ok: true, username: 'anna', role: 'cashier', organizations: [1, 2], enabled: true, is_superuser: false },
  })
  t.notMatch(JSON.stringify(made.body), /first-of|hash|soap_md5/)
  const one = `${path}${made.body.id}/`
  const [row] = await office.rows('SELECT * FROM staff WHERE id = $1', [made.body.id])
  t.ok(await verifyPassword('first-of-anna', row.password_hash))
  t.match(row.soap_md5, /^sealed2:/)

  const anna = await office.signedIn('anna', 'first-of-anna')
  t.equal((await anna.get('/rest_api/v2/Abonents/')).status, 200)
  const refused = await anna.post('/rest_api/v2/Abonents/', { name: 'x', contract_number: '1' })
  t.match(refused, { status: 403, body: { detail: /permission.*"change"/ } })
  t.match(await anna.get(path), { status: 403, body: { ok: false, error: /"system"/ } })
  t.match(await anna.post('/admin/settings/system/', {}), { status: 403 })

  t.equal((await root.post(one, { role: 'operator' })).status, 200)
  t.equal((await anna.post('/rest_api/v2/Abonents/', { name: 'x', contract_number: '1' })).status, 201, 'at once')
  t.equal((await root.post(one, { password: 'second-of-anna' })).status, 200)
  t.equal((await anna.get('/rest_api/v2/Abonents/')).status, 401, 'a new password ends all sessions')
  const again = await office.signedIn('anna', 'second-of-anna')
  t.equal((await root.post(one, { enabled: false })).status, 200)
  t.equal((await again.get('/rest_api/v2/Abonents/')).status, 401)
  t.same((await root.delete(one)).body, { ok: true })
  t.equal((await root.get(one)).status, 404)
  const told = await office.rows(
    `SELECT action, diff FROM audit_operations WHERE table_name = 'STAFF' AND object_id = $1
      AND action NOT LIKE 'sign%' ORDER BY id`,
    [String(made.body.id)],
  )
  t.match(told, [
    { action: 'create', diff: { password: [null, '***'], role: [null, 'cashier'], organizations: [null, [1, 2]] } },
    { action: 'change', diff: { role: ['cashier', 'operator'] } },
    { action: 'change', diff: { password: ['***', '***'] } },
    { action: 'change', diff: { enabled: [true, false] } },
    { action: 'delete' },
  ])
  t.notMatch(JSON.stringify(told), /first-of|second-of/)
})

t.test('nobody gives away more than they have', async (t) => {
  const chief = await office.staff('chief', 'admin', [2])
  const make = (over: object) => chief.post(path, { username: 'n', password: 'password-of-n', role: 'viewer', ...over })
  t.equal((await make({ is_superuser: true })).status, 403)
  t.equal((await make({ role: 'root' })).status, 400)
  t.equal((await make({ organizations: [1] })).status, 400)
  t.equal((await make({ organizations: [] })).status, 400)
  t.match((await make({})).body, { ok: true, organizations: [2] })
  t.match((await make({})).body, { ok: false, error: /Another record/ })
  const [both] = await office.rows(`INSERT INTO staff (username, password_hash) VALUES ('both', 'x') RETURNING id`)
  await office.rows('INSERT INTO staff_organizations VALUES ($1, 1), ($1, 2)', [both.id])
  t.equal((await chief.post(`${path}${both.id}/`, { password: 'mine-from-now' })).status, 404)
  t.notMatch(JSON.stringify((await chief.get(path)).body), /"root"|"both"/)
})

t.test('somebody is left who may do everything', async (t) => {
  const [{ id }] = await office.rows(`SELECT id FROM staff WHERE username = 'root'`)
  for (const change of [{ enabled: false }, { is_superuser: false }])
    t.match(await root.post(`${path}${id}/`, change), {
      status: 400,
      body: { error: /last superuser/, code: 'last_superuser' },
    })
  t.match((await root.delete(`${path}${id}/`)).body, { error: /own user/, code: 'own_user' })
  const second = await office.staff('second')
  t.equal((await second.post(`${path}${id}/`, { role: 'viewer' })).status, 200)
  t.match((await root.get(path)).status, 200, 'a superuser may do everything, whatever the role')
})

t.test('staff who see all organizations do nothing to a superuser', async (t) => {
  const above = await office.staff('above')
  await office.staff('overseer', 'admin', [1])
  const idOf = async (name: string) => (await office.rows('SELECT id FROM staff WHERE username = $1', [name]))[0].id
  const id = await idOf('above')
  await root.post(`${path}${await idOf('overseer')}/`, { all_organizations: true })
  const seen = await office.signedIn('overseer', 'overseer-password')
  const changes = [
    { is_superuser: false, password: 'mine from now on' },
    { is_superuser: false },
    { enabled: false },
    { role: 'viewer' },
  ]
  for (const change of changes)
    t.match(await seen.post(`${path}${id}/`, change), { status: 403, body: { error: /superuser/ } })
  t.equal((await seen.delete(`${path}${id}/`)).status, 403)
  t.equal((await seen.post('/admin/logout_everywhere/', { staff: Number(id) })).status, 403)
  t.equal((await above.get('/admin/audit/')).status, 200, 'and is still signed in')
  t.equal((await root.delete(`${path}${id}/`)).status, 200)
})

t.test('signing out everywhere ends every session of one user and no other', async (t) => {
  const first = await office.staff('twice', 'viewer', [1])
  const other = await office.signedIn('twice', 'twice-password')
  t.match(await first.post('/admin/logout_everywhere/'), { status: 200, body: { ok: true, ended: 2 } })
  for (const caller of [first, other]) t.equal((await caller.get('/admin/audit/')).status, 401)
  t.equal((await root.get('/admin/audit/')).status, 200)

  const third = await office.signedIn('twice', 'twice-password')
  const [{ id }] = await office.rows(`SELECT id FROM staff WHERE username = 'twice'`)
  t.equal((await third.post('/admin/logout_everywhere/', { staff: 1 })).status, 403)
  await office.settings.set({ READ_ONLY_MODE: true })
  t.match((await root.post('/admin/logout_everywhere/', { staff: id })).body, { ok: true, ended: 1 })
  await office.settings.set({ READ_ONLY_MODE: false })
  t.equal((await third.get('/admin/audit/')).status, 401)
  t.equal((await root.post('/admin/logout_everywhere/', { staff: 99_999 })).status, 404)
})

t.test('only who may use SOAP has a password that can be read back', async (t) => {
  const md5Of = async (id: number) => (await office.rows('SELECT soap_md5 FROM staff WHERE id = $1', [id]))[0].soap_md5
  const make = async (username: string, more: object) =>
    (await root.post(path, { username, password: 'forty hedgehogs', ...more })).body
  for (const role of ['admin', 'operator', 'viewer']) {
    const made = await make(`no-${role}`, { role })
    t.match(made, { soap: false })
    t.equal(await md5Of(made.id), null, role)
  }
  t.match(await make('no-root', { role: 'cashier', is_superuser: true }), { soap: false })
  for (const [username, more] of [
    ['desk', { role: 'cashier' }],
    ['books', { role: 'integration' }],
    ['checker', { role: 'viewer', soap: true }],
  ] as const) {
    const made = await make(username, more)
    t.match(made, { soap: true })
    t.match(await md5Of(made.id), /^sealed2:/, username)
  }
  const { id } = await make('plain', { role: 'viewer' })
  t.match(await root.post(`${path}${id}/`, { soap: true }), { status: 400, body: { error: /password in the same/ } })
  t.equal((await root.post(`${path}${id}/`, { soap: true, password: 'fifty hedgehogs' })).status, 200)
  t.match(await md5Of(id), /^sealed2:/)
  t.equal((await root.post(`${path}${id}/`, { password: 'sixty hedgehogs' })).status, 200)
  t.match(await md5Of(id), /^sealed2:/, 'a new password stays readable')
  t.match((await root.post(`${path}${id}/`, { soap: false })).body, { soap: false })
  t.equal(await md5Of(id), null)
})
