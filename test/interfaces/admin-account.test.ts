import t from 'tap'
import { hashPassword } from '../../src/platform/staff/passwords.ts'
import { Browser } from '../support/browser.ts'
import { Caller, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const page = '/admin/account/'
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
  t.match((await browser.get(page)).text, /vera/)
  const change = (password: string, wanted: string, repeated = wanted) =>
    browser.post('/admin/account/new_password/', { password, new_password: wanted, repeated_password: repeated })
  for (const [password, wanted, repeated, status] of [
    ['wrong', 'twenty hedgehogs', 'twenty hedgehogs', 403],
    ['vera-password', 'twenty hedgehogs', 'thirty hedgehogs', 400],
    ['vera-password', 'hedgehogs', 'hedgehogs', 400],
    ['vera-password', 'password2026', 'password2026', 400],
  ] as const)
    t.equal((await change(password, wanted, repeated)).status, status, wanted)
  const changed = await change('vera-password', 'twenty hedgehogs')
  t.match(changed, { status: 200, text: /Завершено сеансов: 2, отозвано токенов: 1/ })
  t.equal((await browser.get(page)).status, 200, 'who has changed it goes on')
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
  const { browser, answer } = await signIn('olga', 'secret', '/admin/api/?x=1')
  t.match(answer, { status: 302, location: '/admin/account/?weak=1&next=%2Fadmin%2Fapi%2F%3Fx%3D1' })
  const shown = await browser.get(answer.location!)
  t.match(shown.text, /короткий/)
  t.match(shown.text, 'href="/admin/api/?x=1"')
  t.equal((await browser.get('/admin/api/')).status, 200)
  t.notMatch((await browser.get(`${page}?weak=1&next=//evil.test/`)).text, /evil/)
})

t.test('an API token does not reach the page', async (t) => {
  const sent = { current_password: 'root-password', name: 'x', scopes: ['read', 'write', 'money', 'system'] }
  const { token } = (await root.post('/admin/settings/tokens/', sent)).body
  const thief = new Caller(office.base, { Authorization: `Bearer ${token}` })
  t.equal((await thief.get(page)).status, 403)
  const wanted = 'twenty hedgehogs'
  const change = { password: 'root-password', new_password: wanted, repeated_password: wanted }
  t.equal((await thief.post('/admin/account/new_password/', change)).status, 403)
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
