import t from 'tap'
import { hashPassword } from '../../src/platform/staff/passwords.ts'
import { Browser } from '../support/browser.ts'
import { Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const idOf = async (username: string) =>
  (await office.rows('SELECT id FROM staff WHERE username = $1', [username]))[0].id as string

async function signIn(username: string, password = `${username}-password`, next = '') {
  const browser = new Browser(office.base)
  await browser.get('/admin/')
  const answer = await browser.post('/admin/', { username, password, next })
  return { browser, answer }
}

t.test('everybody changes their own password, knowing the present one', async (t) => {
  const program = await office.staff('vera', 'viewer', [1])
  const { token } = (
    await program.post('/admin/settings/tokens/', {
      current_password: 'vera-password',
      name: 'x',
      scopes: ['read'],
    })
  ).body
  const { browser } = await signIn('vera')
  const other = await signIn('vera')
  const change = (current_password: string, password: string) =>
    browser.post('/admin/account/password/', { current_password, password })
  for (const [password, wanted, status, code] of [
    ['wrong', 'twenty hedgehogs', 403, 'wrong_password'],
    ['vera-password', 'hedgehogs', 400, 'weak_password'],
    ['vera-password', 'password2026', 400, 'weak_password'],
  ] as const)
    t.match(await change(password, wanted), { status, text: code }, wanted)
  const before = browser.cookies.get('sessionid')
  const changed = await change('vera-password', 'twenty hedgehogs')
  t.equal(changed.status, 200)
  t.same(JSON.parse(changed.text), { ok: true, sessions_ended: 2, tokens_ended: 1 })
  t.equal((await browser.get('/admin/me/')).status, 200, 'who has changed it goes on')
  t.not(browser.cookies.get('sessionid'), before)
  const thief = new Browser(office.base)
  thief.cookies.set('sessionid', before!)
  t.equal((await thief.get('/admin/me/')).status, 401, 'whoever has stolen the key of the session does not')
  t.equal((await other.browser.get('/admin/me/')).status, 401)
  t.equal((await program.get('/rest_api/v2/Abonents/')).status, 401)
  t.equal(
    (await new Caller(office.base, { Authorization: `Bearer ${token}` }).get('/rest_api/v2/Abonents/')).status,
    401,
  )
  t.equal((await signIn('vera')).answer.status, 401)
  t.equal((await signIn('vera', 'twenty hedgehogs')).answer.status, 302)
  const [row] = await office.rows(
    `SELECT user_name, address, diff FROM audit_operations WHERE table_name = 'STAFF' AND action = 'change'`,
  )
  t.match(row, { user_name: 'vera', address: '127.0.0.1', diff: { password: ['***', '***'], tokens: [1, 0] } })
})

t.test('a program changes the password of its user and goes on in its session', async (t) => {
  const program = await office.staff('zoya', 'viewer', [1])
  await program.post('/admin/settings/tokens/', { current_password: 'zoya-password', name: 'x', scopes: ['read'] })
  const other = await office.signedIn('zoya', 'zoya-password')
  const change = (more: object) =>
    program.post('/admin/account/password/', {
      current_password: 'zoya-password',
      password: 'twenty hedgehogs',
      ...more,
    })
  t.match(await change({ password: 'qwerty12345' }), { status: 400, body: { ok: false, code: 'weak_password' } })
  t.match(await change({ password: undefined }), { status: 400, body: { ok: false } })
  t.match(await change({ current_password: 'wrong' }), { status: 403, body: { ok: false } })
  t.match(await change({}), { status: 200, body: { ok: true, tokens_ended: 1, sessions_ended: 1 } })
  t.equal((await program.get('/admin/audit/')).status, 200)
  t.equal((await other.get('/admin/audit/')).status, 401)
  for (let failures = 0; failures < 5; failures++) await change({ current_password: 'wrong' })
  t.match(await change({ current_password: 'twenty hedgehogs' }), { status: 429, body: { ok: false } })
  t.equal((await new Caller(office.base, {}).post('/admin/account/password/', {})).status, 401)
})

t.test('a short or common password is refused at every door that sets one', async (t) => {
  for (const password of ['x', 'ninesigns', 'qwerty12345']) {
    const sent = { username: 'weak', password }
    const refused = {
      status: 400,
      body: { ok: false, code: 'weak_password', error: /password: It must have 10 to 256/ },
    }
    t.match(await root.post('/admin/dictionary/staff_crud/', sent), refused)
    t.match(await root.post(`/admin/dictionary/staff_crud/${await idOf('root')}/`, { password }), refused)
  }
})

t.test('whoever has a weak password from before is told at the sign-in and may go on', async (t) => {
  await office.staff('olga', 'viewer', [1])
  await office.rows('UPDATE staff SET password_hash = $1 WHERE username = $2', [await hashPassword('secret'), 'olga'])
  const { browser, answer } = await signIn('olga', 'secret', '/admin/system/api/?x=1')
  t.match(answer, { status: 302, location: '/admin/account/?weak=1&next=%2Fadmin%2Fsystem%2Fapi%2F%3Fx%3D1' })
  t.equal((await browser.get(answer.location!)).status, 200)
  t.equal((await browser.get('/admin/system/api/')).status, 200)
})

t.test('one’s own sessions are listed and ended, and those of nobody else', async (t) => {
  await office.staff('rita', 'viewer', [1])
  await office.rows('DELETE FROM staff_sessions WHERE staff_id = $1', [await idOf('rita')])
  const { browser } = await signIn('rita')
  const others = [await signIn('rita'), await signIn('rita')]
  const list = async (of = browser) => JSON.parse((await of.get('/admin/account/sessions/')).text).items as Json[]
  const found = await list()
  t.equal(found.length, 3)
  t.same(found.filter((one) => one.is_current).length, 1)
  t.match(found[0], { address: '127.0.0.1', id: /^[0-9a-f]{24}$/ })
  const end = (fields: Record<string, string>, of = browser) => of.post('/admin/account/sessions/end/', fields)
  const [foreign] = (await root.get('/admin/staff/sessions/')).body.items.filter((one: Json) => one.username === 'root')
  t.equal((await end({ id: foreign.id })).status, 404)
  t.equal((await end({ id: 'x' })).status, 400)
  const [first] = (await list(others[0]!.browser)).filter((one) => one.is_current)
  t.same(JSON.parse((await end({ id: first!.id })).text), { ok: true, sessions_ended: 1 })
  t.equal((await others[0]!.browser.get('/admin/me/')).status, 401)
  t.equal((await end({ id: first!.id })).status, 404)
  t.same(JSON.parse((await end({})).text), { ok: true, sessions_ended: 1 })
  t.equal((await others[1]!.browser.get('/admin/me/')).status, 401)
  t.same(
    (await list()).map((one) => one.is_current),
    [true],
  )
  t.equal((await root.get('/admin/me/')).status, 200)
})

t.test('sign-ins, failures and sign-outs are in the audit, with the address', async (t) => {
  await office.staff('pavel', 'viewer', [1])
  await office.rows('DELETE FROM audit_operations')
  await signIn('pavel', 'wrong')
  await signIn('nobody', 'wrong')
  const { browser } = await signIn('pavel')
  await browser.get('/admin/logout')
  await office.signedIn('pavel', 'pavel-password')
  const rows = await office.rows(
    'SELECT user_id, user_name, address, table_name, object_id, action, diff FROM audit_operations ORDER BY id',
  )
  const id = await idOf('pavel')
  const row = (user_id: string | null, user_name: string, object_id: string, action: string, by: string) => ({
    ...{ user_id, user_name, address: '127.0.0.1', table_name: 'STAFF', object_id, action, diff: { by: [null, by] } },
  })
  t.same(rows, [
    row(null, 'pavel', id, 'sign_in_failed', 'page'),
    row(null, 'nobody', '', 'sign_in_failed', 'page'),
    row(id, 'pavel', id, 'sign_in', 'page'),
    row(id, 'pavel', id, 'sign_out', 'page'),
    row(id, 'pavel', id, 'sign_in', 'api'),
  ])
  t.notMatch(JSON.stringify(rows), /wrong|password/)
})
