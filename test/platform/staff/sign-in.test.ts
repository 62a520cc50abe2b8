import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import type { Route } from '../../../src/platform/http/call.ts'
import { json, text } from '../../../src/platform/http/reply.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { credentialCacheTerms } from '../../../src/platform/staff/credential-cache.ts'
import { SignIn } from '../../../src/platform/staff/sign-in.ts'
import { createStaff, type Queries } from '../../../src/platform/staff/staff-table.ts'
import { testDatabase } from '../../support/database.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { until } from '../../support/until.ts'
import { capturedLog, startServer } from '../http/parts.ts'

const routes: Route[] = [
  { method: 'GET', path: '/rest_api/v2/who', door: 'rest', handler: ({ staff }) => json(staff) },
  { method: 'POST', path: '/rest_api/v2/who', door: 'rest', handler: ({ staff }) => json(staff, 201) },
  { method: 'GET', path: '/admin/who', door: 'admin', handler: ({ staff }) => json({ ok: true, staff }) },
  { method: 'POST', path: '/admin/who', door: 'admin', handler: () => json({ ok: true }) },
  { method: 'GET', path: '/admin/page', door: 'page', handler: ({ staff }) => text(`page of ${staff?.username}`) },
]

const { database } = await testDatabase(t)
const clock = new ManualClock(new Date())
let queries = 0
const counted: Queries = {
  query: (text, values) => {
    queries++
    return database.pool.query(text, values)
  },
}
await createStaff(database.pool, { username: 'ivan', password: 'parol-ivana', organizations: [] })
await createStaff(database.pool, { username: 'root', password: 'toor-of-root', isSuperuser: true })
let isReadOnly = false
const signIn = new SignIn({ database: counted, log: silentLog, clock })
const { server, base, port, lines } = await startServer(routes, { signIn, isReadOnly: () => isReadOnly }, (server) =>
  server.ws('/admin/live', {
    door: 'admin',
    upgrade: () => ({ kind: 'accepted', data: null }),
    open: (socket) => void socket.send(socket.staff?.username ?? 'nobody'),
    message() {},
  }),
)
t.teardown(() => server.stop())

const setCookies = (answer: Response) => answer.headers.getSetCookie()
const cookieOf = (answer: Response, name: string) =>
  setCookies(answer)
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .split(';')[0] ?? ''
const apiSignIn = (username: string, password: string) =>
  fetch(`${base}/admin/?api=1&username=${username}&password=${password}&format=json`)
const hashOf = async (username: string, password: string) =>
  ((await (await apiSignIn(username, password)).json()) as { hash: string }).hash

async function formSignIn(username: string, password: string, over: Record<string, string> = {}, next = '') {
  const form = await fetch(`${base}/admin/`)
  const token = cookieOf(form, 'csrftoken')
  return fetch(`${base}/admin/`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: `csrftoken=${token}`, Referer: `${base}/admin/`, ...over },
    body: new URLSearchParams({ username, password, csrfmiddlewaretoken: token, next }),
  })
}

t.test('GET /admin/ sets the CSRF cookie and shows the form', async (t) => {
  const answer = await fetch(`${base}/admin/?next=/admin/page`)
  t.equal(answer.status, 200)
  t.match(setCookies(answer), [/^csrftoken=[0-9a-f]{64}; Path=\/; Max-Age=\d+; SameSite=Lax$/])
  const page = await answer.text()
  t.match(page, `name="csrfmiddlewaretoken" value="${cookieOf(answer, 'csrftoken')}"`)
  t.match(page, 'name="next" value="/admin/page"')
  t.notMatch(await (await fetch(`${base}/admin/?next="><script>`)).text(), '<script>')
})

t.test('a browser signs in with the form, works and signs out', async (t) => {
  const answer = await formSignIn('ivan', 'parol-ivana')
  t.same([answer.status, answer.headers.get('location')], [302, '/admin/'])
  const [session] = setCookies(answer)
  t.match(session, /^sessionid=[0-9a-f]{64}; Path=\/; Max-Age=\d+; SameSite=Lax; HttpOnly$/)
  const token = cookieOf(answer, 'csrftoken')
  const cookie = `csrftoken=${token}; sessionid=${cookieOf(answer, 'sessionid')}`
  const headers = { Cookie: cookie }

  t.match(await (await fetch(`${base}/admin/`, { headers })).text(), 'home')
  t.match(await (await fetch(`${base}/admin/who/`, { headers })).json(), {
    ok: true,
    staff: { username: 'ivan', isSuperuser: false, organizations: [1] },
  })
  t.equal(await (await fetch(`${base}/admin/page`, { headers })).text(), 'page of ivan')

  const write = async (path: string, extra: Record<string, string>) =>
    (await fetch(base + path, { method: 'POST', headers: { ...headers, ...extra } })).status
  t.equal(await write('/admin/who', { Origin: base, 'X-CSRFToken': token }), 200)
  t.equal(await write('/admin/who', { Referer: `${base}/x`, 'X-CSRFToken': token }), 200)
  t.equal(await write('/admin/who', { 'X-CSRFToken': token }), 403)
  t.equal(await write('/admin/who', { Origin: base }), 403)
  t.equal(await write('/admin/who', { Origin: 'https://evil.test', 'X-CSRFToken': token }), 403)
  t.equal(await write('/rest_api/v2/who', {}), 201, 'a program at REST needs no token')
  t.equal(await write('/rest_api/v2/who', { Origin: base }), 403, 'a browser does')
  t.equal(await write('/rest_api/v2/who', { Origin: base, 'X-CSRFToken': token }), 201)

  for (const from of [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Referer: 'https://evil.test/' },
  ]) {
    const lured = await fetch(`${base}/admin/logout`, { headers: { ...headers, ...from } as never, redirect: 'manual' })
    t.equal(lured.status, 200, 'a page of somebody else is asked back')
    t.match(await lured.text(), /<form method="post" action="\/admin\/logout">/)
  }
  const pressed = (form: Record<string, string>) =>
    fetch(`${base}/admin/logout`, {
      method: 'POST',
      headers: { ...headers, Origin: base },
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
  t.equal((await pressed({})).status, 403, 'the button has a token')
  t.equal((await fetch(`${base}/admin/who`, { headers })).status, 200, 'still signed in')

  const left = await fetch(`${base}/admin/logout`, { headers, redirect: 'manual' })
  t.equal(left.status, 302)
  t.match(setCookies(left), [/^sessionid=; Path=\/; Max-Age=0/])
  t.equal((await fetch(`${base}/admin/who`, { headers })).status, 401, 'at once')
})

t.test('the form needs its token and a Referer or Origin of our own', async (t) => {
  t.equal((await formSignIn('ivan', 'parol-ivana', { Referer: '' })).status, 403)
  t.equal((await formSignIn('ivan', 'parol-ivana', { Referer: 'https://evil.test/' })).status, 403)
  t.equal((await formSignIn('ivan', 'parol-ivana', { Cookie: `csrftoken=${'0'.repeat(64)}` })).status, 403)
  t.equal((await formSignIn('ivan', 'parol-ivana', { Cookie: '' })).status, 403)
  t.equal((await formSignIn('ivan', 'parol-ivana', { Referer: '', Origin: base })).status, 302)
})

t.test('the sign-in leads on only to a path of ours', async (t) => {
  const targets: [string, string][] = [
    ['/admin/page?a=1', '/admin/page?a=1'],
    ['//evil.test/', '/admin/'],
    ['/\\evil.test/', '/admin/'],
    ['https://evil.test/', '/admin/'],
    ['/\t/evil.test/', '/admin/'],
    ['/..//evil.test/', '/admin/'],
  ]
  for (const [next, location] of targets) {
    t.equal((await formSignIn('ivan', 'parol-ivana', {}, next)).headers.get('location'), location, next)
  }
})

t.test('a program gets a session key, which signs in as cookie or as header', async (t) => {
  const answer = await apiSignIn('root', 'toor-of-root')
  t.equal(answer.status, 200)
  const { hash } = (await answer.json()) as { hash: string }
  t.match(hash, /^[0-9a-f]{64}$/)
  t.same(setCookies(answer), [], 'a foreign page cannot sign a browser in by this address')
  for (const headers of [{ Cookie: `sessionid=${hash}` }, { 'X-Session-Hash': hash }]) {
    const who = await fetch(`${base}/rest_api/v2/who`, { headers })
    t.match(await who.json(), { username: 'root', isSuperuser: true, organizations: null })
  }
  const byHeader = await fetch(`${base}/admin/who`, { method: 'POST', headers: { 'X-Session-Hash': hash } })
  t.equal(byHeader.status, 200, 'the header needs no token')
  const both = await fetch(`${base}/admin/who`, {
    headers: { Cookie: `sessionid=${hash}`, 'X-Session-Hash': '0'.repeat(64) },
  })
  t.equal(both.status, 401, 'the header decides alone')
  const stored = await database.pool.query('SELECT 1 FROM staff_sessions WHERE key_hash = $1', [hash])
  t.equal(stored.rowCount, 0, 'the key itself is stored nowhere')

  const out = await fetch(`${base}/rest_api/logout`, { method: 'POST', headers: { 'X-Session-Hash': hash } })
  t.same([out.status, await out.json()], [200, { status: 'ok' }])
  t.equal((await fetch(`${base}/rest_api/v2/who`, { headers: { 'X-Session-Hash': hash } })).status, 401)
})

t.test('without a session JSON doors say 401 and pages lead to the sign-in', async (t) => {
  const rest = await fetch(`${base}/rest_api/v2/who`)
  t.same([rest.status, await rest.json()], [401, { detail: 'Authentication credentials were not provided.' }])
  t.equal((await fetch(`${base}/rest_api/v2/who`, { method: 'DELETE' })).status, 401, 'before 405')
  t.equal(
    (await fetch(`${base}/rest_api/v2/who`, { method: 'POST', headers: { Origin: 'https://evil.test' } })).status,
    401,
    'before 403',
  )
  const admin = await fetch(`${base}/admin/who`)
  t.match([admin.status, await admin.json()], [401, { ok: false }])
  const page = await fetch(`${base}/admin/page?a=1`, { redirect: 'manual' })
  t.same([page.status, page.headers.get('location')], [302, '/admin/?next=%2Fadmin%2Fpage%3Fa%3D1'])
})

t.test('an API call costs no query while memory is fresh', async (t) => {
  const hash = await hashOf('ivan', 'parol-ivana')
  const headers = { 'X-Session-Hash': hash }
  await fetch(`${base}/rest_api/v2/who`, { headers })
  const before = queries
  for (let n = 0; n < 20; n++) await fetch(`${base}/rest_api/v2/who`, { headers })
  t.equal(queries, before)
  clock.advance(credentialCacheTerms.cachedMs)
  await Promise.all(Array.from({ length: 10 }, () => fetch(`${base}/rest_api/v2/who`, { headers })))
  t.equal(queries, before + 1, 'and ten at once are read once')
})

t.test('a session slides with use, ends idle, and ends after 14 days in any case', async (t) => {
  const hour = 3_600_000
  const hash = await hashOf('ivan', 'parol-ivana')
  const status = async () => (await fetch(`${base}/rest_api/v2/who`, { headers: { 'X-Session-Hash': hash } })).status
  t.equal(await status(), 200)
  for (let at = 0; at < 13 * 24 + 14; at += 10) {
    clock.advance(10 * hour)
    t.equal(await status(), 200, `after ${at + 10} hours`)
    // The prolongation is written behind the answer; the next reading shall see it.
    await until(prolonged)
  }
  clock.advance(10 * hour)
  t.equal(await status(), 401, 'no session outlives 14 days')

  const idle = await hashOf('ivan', 'parol-ivana')
  clock.advance(12 * hour)
  t.equal((await fetch(`${base}/rest_api/v2/who`, { headers: { 'X-Session-Hash': idle } })).status, 401)

  async function prolonged() {
    const { rows } = await database.pool.query('SELECT max(seen_at) = $1 AS seen FROM staff_sessions', [clock.now()])
    return rows[0]?.seen === true
  }
})

t.test('a disabled staff user is signed out, at once where the program is notified', async (t) => {
  await createStaff(database.pool, { username: 'petr', password: 'secret-of-one' })
  const hash = await hashOf('petr', 'secret-of-one')
  const status = async () => (await fetch(`${base}/rest_api/v2/who`, { headers: { 'X-Session-Hash': hash } })).status
  t.equal(await status(), 200)
  await database.pool.query("UPDATE staff SET enabled = false WHERE username = 'petr'")
  signIn.sessions.forgetAll()
  t.equal(await status(), 401)
  t.equal((await apiSignIn('petr', 'secret-of-one')).status, 401)
})

t.test('wrong credentials are 401, and after five of them 429 with Retry-After', async (t) => {
  for (const [name, password] of [
    ['ivan', 'wrong'],
    ['nobody', 'parol-ivana'],
    ['', ''],
    ['ivan', ''],
    ['%00', 'x'],
  ] as const) {
    const answer = await apiSignIn(encodeURIComponent(name), password)
    t.equal(answer.status, 401, name)
    const sentence = 'Wrong user name or password.'
    t.same(await answer.json(), { ok: false, error: sentence, code: 'unauthorized', detail: sentence })
  }
  const form = await formSignIn('ivan', 'wrong')
  t.equal(form.status, 401)
  t.match(await form.text(), 'Неверный логин или пароль.')
  for (let n = 0; n < 3; n++) t.equal((await apiSignIn('ivan', 'wrong')).status, 401)
  const throttled = await apiSignIn('ivan', 'parol-ivana')
  t.equal(throttled.status, 429)
  t.ok(Number(throttled.headers.get('retry-after')) > 0)
  t.equal((await formSignIn('ivan', 'parol-ivana')).status, 429)
  t.equal((await apiSignIn('root', 'toor-of-root')).status, 200, 'another name is not concerned')
  clock.advance(15 * 60_000)
  t.equal((await apiSignIn('ivan', 'parol-ivana')).status, 200)
})

t.test('75 sign-ins at once under invented names hold up no operator who is known at his address', async (t) => {
  let isHeld = true
  const held: (() => void)[] = []
  const allHeld = Promise.withResolvers<void>()
  /** Keeps the flood from being checked until all of it and the operator have arrived. */
  const holding: Queries = {
    query: async (text, values) => {
      if (text.includes('INSERT INTO staff_sessions')) failuresBefore = failures().length
      const result = await database.pool.query(text, values)
      if (isHeld && text.startsWith('SELECT id, password_hash')) {
        await new Promise<void>((resolve) => {
          held.push(resolve)
          if (held.length === 75) allHeld.resolve()
        })
      }
      return result
    },
  }
  const { log, lines } = capturedLog()
  const failures = () => lines.filter(({ message }) => message === 'A sign-in failed')
  let failuresBefore = 0
  const flooded = await startServer(routes, { signIn: new SignIn({ database: holding, log, clock }) })
  t.teardown(() => flooded.server.stop())
  const ask = (username: string, password: string) =>
    fetch(`${flooded.base}/admin/?api=1&username=${username}&password=${password}`)
  isHeld = false
  t.equal((await ask('ivan', 'parol-ivana')).status, 200)
  isHeld = true
  const flood = Array.from({ length: 75 }, (_, n) => ask(`invented${n}`, 'x'))
  await allHeld.promise
  const operator = ask('ivan', 'parol-ivana')
  while (held.length < 76) await new Promise((resolve) => setImmediate(resolve))
  for (const release of held) release()
  t.equal((await operator).status, 200)
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  t.ok(failures().filter(({ throttled }) => throttled === false).length <= 30, 'the address is stopped')
  t.ok(
    statuses.every((status) => status === 401 || status === 429 || status === 503),
    String(statuses),
  )
  t.ok(failuresBefore < 5, 'he does not wait for what came before him')
})

t.test('READ_ONLY_MODE lets staff come and go and nothing else', async (t) => {
  isReadOnly = true
  t.teardown(() => {
    isReadOnly = false
  })
  const answer = await formSignIn('root', 'toor-of-root')
  t.equal(answer.status, 302)
  const headers = { 'X-Session-Hash': await hashOf('root', 'toor-of-root') }
  t.equal((await fetch(`${base}/rest_api/v2/who`, { headers })).status, 200)
  const write = await fetch(`${base}/rest_api/v2/who`, { method: 'POST', headers })
  t.match([write.status, await write.json()], [403, { detail: /READ_ONLY_MODE/ }])
  t.equal((await fetch(`${base}/rest_api/logout`, { method: 'POST', headers })).status, 200)
})

t.test('a WebSocket needs a session and our own Origin, and ends with the session', async (t) => {
  const hash = await hashOf('root', 'toor-of-root')
  const open = (headers: Record<string, string>) => new WebSocket(`ws://127.0.0.1:${port}/admin/live/`, { headers })
  const refused = (client: WebSocket): Promise<number> =>
    new Promise((resolve) => {
      client.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
      client.on('error', () => {})
    })
  t.equal(await refused(open({})), 401)
  t.equal(await refused(open({ Cookie: `sessionid=${hash}`, Origin: 'https://evil.test' })), 403)
  const client = open({ Cookie: `sessionid=${hash}`, Origin: base })
  const [greeting] = (await once(client, 'message')) as [Buffer]
  t.equal(greeting.toString(), 'root')
  const talkative = open({ Cookie: `sessionid=${hash}`, Origin: base })
  await once(talkative, 'message')
  talkative.send('x'.repeat(1024 * 1024))
  t.equal((await once(talkative, 'close'))[0], 1009, 'a message far too long is refused by its code')
  const closed = once(client, 'close')
  await fetch(`${base}/admin/logout`, { headers: { Cookie: `sessionid=${hash}` }, redirect: 'manual' })
  t.equal((await closed)[0], 4401)
})

t.test('a socket of a disabled staff user ends', async (t) => {
  await createStaff(database.pool, { username: 'olga', password: 'secret-of-one' })
  const headers = { 'X-Session-Hash': await hashOf('olga', 'secret-of-one') }
  const client = new WebSocket(`ws://127.0.0.1:${port}/admin/live`, { headers })
  await once(client, 'message')
  const closed = once(client, 'close')
  await database.pool.query("UPDATE staff SET enabled = false WHERE username = 'olga'")
  signIn.sessions.forgetAll()
  await server.recheckSockets()
  t.equal((await closed)[0], 4401)
})

t.test('a socket of a staff user whose organizations are others ends', async (t) => {
  const made = await createStaff(database.pool, { username: 'vera', password: 'secret-of-one' })
  const headers = { 'X-Session-Hash': await hashOf('vera', 'secret-of-one') }
  const client = new WebSocket(`ws://127.0.0.1:${port}/admin/live`, { headers })
  await once(client, 'message')
  await server.recheckSockets()
  t.equal(client.readyState, WebSocket.OPEN, 'nothing has changed')
  const closed = once(client, 'close')
  await database.pool.query(
    `WITH another AS (INSERT INTO organizations (name) VALUES ('Another') RETURNING id)
      INSERT INTO staff_organizations (staff_id, organization_id) SELECT $1, id FROM another`,
    [made.kind === 'created' && made.id],
  )
  signIn.sessions.forgetAll()
  await server.recheckSockets()
  t.equal((await closed)[0], 4401)
})

t.test('neither passwords nor session keys are in the log', async (t) => {
  t.notMatch(JSON.stringify(lines), /parol|toor|[0-9a-f]{64}/)
})

t.test('with the database away a known session continues for a while and a sign-in is 503', async (t) => {
  let away = false
  const failing: Queries = {
    query: (text, values) =>
      away
        ? Promise.reject(Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' }))
        : database.pool.query(text, values),
  }
  const other = await startServer(routes, { signIn: new SignIn({ database: failing, log: silentLog, clock }) })
  t.teardown(() => other.server.stop())
  const key = async () => fetch(`${other.base}/admin/?api=1&username=root&password=toor-of-root`)
  const { hash } = (await (await key()).json()) as { hash: string }
  const who = () => fetch(`${other.base}/rest_api/v2/who`, { headers: { 'X-Session-Hash': hash } })
  t.equal((await who()).status, 200)
  away = true
  clock.advance(60_000)
  t.equal((await who()).status, 200)
  const answer = await key()
  t.equal(answer.status, 503)
  t.notMatch(await answer.text(), /10\.0\.0\.1/, 'without telling where the database is')
  clock.advance(credentialCacheTerms.cachedUnavailableMs)
  t.equal((await who()).status, 503)
})
