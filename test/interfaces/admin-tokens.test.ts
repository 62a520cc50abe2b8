import t from 'tap'
import { Caller, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const { base } = office
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const path = '/admin/settings/tokens/'
const withToken = (token: string, more: Record<string, string> = {}) =>
  new Caller(base, { Authorization: `Bearer ${token}`, ...more })

t.test('a token is shown once, works within its scopes and can be revoked', async (t) => {
  const made = await root.post(path, {
    current_password: 'root-password',
    name: 'exporter',
    scopes: ['read'],
    expires: null,
  })
  t.match(made, { status: 200, body: { ok: true, name: 'exporter', scopes: ['read'], user: 'root', expires: null } })
  const { token, id } = made.body
  t.match(token, /^tg_[\w-]{43}$/)
  const exporter = withToken(token)
  t.equal((await exporter.get('/rest_api/v2/Abonents/')).status, 200)
  t.match(await exporter.post('/rest_api/v2/Tarif/', { name: 'x', price: 1 }), {
    status: 403,
    body: { detail: /"change"/ },
  })
  t.equal((await exporter.get(path)).status, 403)

  const listed = await root.get(path)
  t.match(listed.body, { ok: true, total: 1, items: [{ id, name: 'exporter' }] })
  t.notMatch(JSON.stringify(listed.body), token.slice(3))
  const [row] = await office.rows('SELECT token_hash FROM api_tokens')
  t.match(row.token_hash, /^[0-9a-f]{64}$/)

  t.same((await root.delete(`${path}${id}/`)).body, { ok: true })
  t.match(await exporter.get('/rest_api/v2/Abonents/'), { status: 401, body: { detail: 'Invalid token.' } })
  t.equal((await root.delete(`${path}${id}/`)).status, 404)
  const told = await office.rows(
    `SELECT action, diff FROM audit_operations WHERE table_name = 'API_TOKENS' ORDER BY id`,
  )
  t.match(told, [{ action: 'create', diff: { token: [null, '***'], scopes: [null, ['read']] } }, { action: 'delete' }])
  t.notMatch(JSON.stringify(told), token.slice(3))
})

t.test('scopes are rights: write, money and system are separate', async (t) => {
  const token = async (...scopes: string[]) =>
    withToken((await root.post(path, { current_password: 'root-password', name: 'x', scopes })).body.token)
  const [writer, cashier, chief] = [await token('write'), await token('money'), await token('read', 'system')]
  const subscriber = await writer.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '7' })
  t.equal(subscriber.status, 201, 'no CSRF token is asked for')
  t.equal((await writer.get('/rest_api/v2/Abonents/')).status, 403)
  t.equal((await cashier.post('/rest_api/v2/Tarif/', { name: 'x', price: 1 })).status, 403)
  const receipt = { account: subscriber.body.account, op_type: 7, op_summa: 10_000_000_000 }
  t.equal((await writer.post('/rest_api/v2/FinanceOperations/', receipt)).status, 403)
  t.equal((await cashier.post('/rest_api/v2/FinanceOperations/', receipt)).status, 201)
  t.equal((await chief.get('/admin/settings/system/')).status, 200)
  t.equal((await cashier.get('/admin/settings/system/')).status, 403)
})

t.test('who may take money gives the scope money, without the dates that they have no right to', async (t) => {
  const till = await office.staff('till', 'cashier', [1])
  const { status, body } = await till.post(path, {
    current_password: 'till-password',
    name: 'x',
    scopes: ['read', 'money'],
  })
  t.equal(status, 200)
  t.same((await withToken(body.token).get('/admin/me/')).body.user.rights, ['view', 'money'])
  t.match(await till.post(path, { current_password: 'till-password', name: 'x', scopes: ['write'] }), { status: 403 })
})

t.test('what is no token is 401, and a token decides alone', async (t) => {
  const other = { 'X-Session-Hash': root.headers['X-Session-Hash']! }
  for (const token of ['tg_', `tg_${'A'.repeat(43)}`, 'x', `${'0'.repeat(64)}`])
    t.equal((await withToken(token, other).get('/rest_api/v2/Abonents/')).status, 401, token)
  const basic = new Caller(base, { Authorization: 'Basic eDp5', ...other })
  t.equal((await basic.get('/rest_api/v2/Abonents/')).status, 200, 'what a proxy adds is no token')
  const { token } = (await root.post(path, { current_password: 'root-password', name: 'x', scopes: 'read,write' })).body
  const foreign = withToken(token, { Origin: 'https://evil.test' })
  t.equal((await foreign.post('/rest_api/v2/Tarif/', { name: 'x', price: 1 })).status, 403, 'a foreign Origin is 403')
})

t.test('a token expires, and ends with its owner', async (t) => {
  const ivan = await office.staff('ivan', 'admin', [2])
  const made = (
    await ivan.post(path, { current_password: 'ivan-password', name: 'x', scopes: ['read'], expires: '2999-01-01' })
  ).body
  const { token, id } = made
  t.equal(made.expires, '2999-01-02T00:00:00+03:00', 'a bare date is the end of that day')
  const program = withToken(token)
  t.equal((await program.get('/admin/audit/')).status, 200)
  await office.rows(`UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE id = $1`, [id])
  office.signIn.forgetAll()
  t.equal((await program.get('/admin/audit/')).status, 401)
  await office.rows('UPDATE api_tokens SET expires_at = NULL')
  office.signIn.forgetAll()
  t.equal((await program.get('/admin/audit/')).status, 200)
  const [owner] = await office.rows(`SELECT id FROM staff WHERE username = 'ivan'`)
  await root.post(`/admin/dictionary/staff_crud/${owner.id}/`, { role: 'cashier' })
  t.equal((await program.get('/admin/dictionary/organizations_crud/1/')).status, 404, 'it sees what its owner sees')
  await root.post(`/admin/dictionary/staff_crud/${owner.id}/`, { enabled: false })
  t.equal((await program.get('/admin/audit/')).status, 401)
})

t.test('a wrong order is refused in words', async (t) => {
  const wrong: [object, RegExp][] = [
    [{ scopes: ['read'] }, /name/],
    [{ name: 'x' }, /scopes/],
    [{ name: 'x', scopes: [] }, /scopes/],
    [{ name: 'x', scopes: ['everything'] }, /scopes/],
    [{ name: 'x', scopes: ['read'], expires: 'tomorrow' }, /expires/],
    [{ name: 'x', scopes: ['read'], expires: '2020-01-01' }, /ahead/],
  ]
  for (const [body, error] of wrong)
    t.match(await root.post(path, { current_password: 'root-password', ...body }), {
      status: 400,
      body: { ok: false, error },
    })
})

t.test('others’ tokens are not there, but for a superuser', async (t) => {
  const petr = await office.staff('petr', 'admin', [2])
  const { id } = (await root.post(path, { current_password: 'root-password', name: 'roots', scopes: ['read'] })).body
  t.same((await petr.get(path)).body, { ok: true, items: [], total: 0 })
  t.same(await petr.delete(`${path}${id}/`), await petr.delete(`${path}99999/`))
  const theirs = (await petr.post(path, { current_password: 'petr-password', name: 'petrs', scopes: ['read'] })).body
  t.equal((await root.delete(`${path}${theirs.id}/`)).status, 200)
})

t.test('a token makes no tokens and sets no passwords of staff', async (t) => {
  const all = ['read', 'write', 'money', 'system']
  const { token } = (await root.post(path, { current_password: 'root-password', name: 'all', scopes: all })).body
  const thief = withToken(token)
  const refused = { status: 403, body: { ok: false, error: /API token/ } }
  t.match(await thief.post(path, { current_password: 'root-password', name: 'another', scopes: ['read'] }), refused)
  t.match(await thief.get(path), refused)
  const staffPath = '/admin/dictionary/staff_crud/'
  t.match(await thief.post(staffPath, { username: 'back', password: 'another-door', is_superuser: true }), refused)
  const [{ id }] = await office.rows(`SELECT id FROM staff WHERE username = 'petr'`)
  t.match(await thief.post(`${staffPath}${id}/`, { password: 'another-door' }), refused)
  for (const [name, value] of [
    ['SYSTEM_API_PASSWORD', 'mine from now on'],
    ['SYSTEM_API_ALLOW', '0.0.0.0/0'],
    ['STAFF_SECOND_FACTOR', 'off'],
  ] as const)
    t.match(await thief.post('/admin/settings/system/', { [name]: value }), { status: 403, body: { ok: false } }, name)
  t.equal((await thief.post('/admin/settings/system/', { TARIFF_CHANGE: 'immediate' })).status, 200)
  t.equal((await thief.post(`${staffPath}${id}/`, { role: 'viewer' })).status, 200, 'what its scopes cover it does')
  for (const more of [{ is_superuser: true }, { role: 'admin' }, { rest: true }, { all_organizations: true }])
    t.match(await thief.post(`${staffPath}${id}/`, more), refused, 'not even to an accomplice')

  t.match(await thief.post(`${staffPath}${id}/`, { organizations: [1, 2] }), refused, 'nor further organizations')
  t.equal((await thief.post(`${staffPath}${id}/`, { organizations: [2] })).status, 200, 'those that the user sees stay')
  t.equal((await thief.post(`${staffPath}${id}/`, { enabled: false })).status, 200)
  t.match(await thief.post(`${staffPath}${id}/`, { enabled: true }), refused, 'nor is anybody let in again')
})

t.test('making a token asks for the present password, and counts wrong ones', async (t) => {
  const vera = await office.staff('vera', 'admin', [2])
  const ask = (more: object) => vera.post(path, { name: 'x', scopes: ['read'], ...more })
  t.match(await ask({}), { status: 400, body: { error: /password/ } })
  for (let failures = 0; failures < 5; failures++) t.equal((await ask({ current_password: 'wrong' })).status, 403)
  t.equal((await ask({ current_password: 'vera-password' })).status, 429)
  t.same(
    await office.rows(`SELECT id FROM api_tokens WHERE name = 'x' AND staff_id = (SELECT id FROM staff
    WHERE username = 'vera')`),
    [],
  )
})

t.test('everybody makes tokens within their own rights', async (t) => {
  const lena = await office.staff('lena', 'viewer', [2])
  const body = { current_password: 'lena-password', name: 'x' }
  const { status, body: made } = await lena.post(path, { ...body, scopes: ['read'] })
  t.equal(status, 200)
  t.equal((await withToken(made.token).get('/admin/Abonents/accounts_json/')).status, 200)
  t.match(await lena.post(path, { ...body, scopes: ['money'] }), { status: 403, body: { error: /money/ } })
})

const endings: [string, (id: number, own: Caller) => Promise<{ status: number; body: Record<string, unknown> }>][] = [
  ['a new password', (id) => root.post(`/admin/dictionary/staff_crud/${id}/`, { password: 'something else' })],
  ['disabling', (id) => root.post(`/admin/dictionary/staff_crud/${id}/`, { enabled: false })],
  ['signing out everywhere', (_, own) => own.post('/admin/logout_everywhere/')],
]
for (const [index, [name, end]] of endings.entries())
  t.test(`${name} ends the tokens, and what was signed in by SOAP`, async (t) => {
    const username = `ender${index}`
    const own = await office.staff(username, 'admin', [2])
    const made = async () =>
      (await own.post(path, { current_password: `${username}-password`, name: 'x', scopes: ['read'] })).body
        .token as string
    const programs = [withToken(await made()), withToken(await made())]
    for (const program of programs) t.equal((await program.get('/admin/audit/')).status, 200)
    const [{ id }] = await office.rows('SELECT id FROM staff WHERE username = $1', [username])
    await office.rows(
      `INSERT INTO soap_sessions (key_hash, staff_id, password_mark, created_at, expires_at)
        VALUES ($1, $2, 'x', now(), now() + interval '1 hour')`,
      [username, id],
    )
    const answer = await end(id, own)
    t.match(answer, { status: 200, body: { ok: true, tokens_ended: 2 } })
    t.equal(answer.body.ended ?? answer.body.sessions_ended, 2, 'that of the browser and that of SOAP')
    for (const program of programs) t.equal((await program.get('/admin/audit/')).status, 401)
    await root.post(`/admin/dictionary/staff_crud/${id}/`, { enabled: true })
    for (const program of programs) t.equal((await program.get('/admin/audit/')).status, 401, 'for good')
  })
