import { hash } from 'node:crypto'
import t from 'tap'
import { readFields } from '../../../src/platform/http/form.ts'
import type { Door, Route } from '../../../src/platform/http/call.ts'
import { refusal, refusalText } from '../../../src/platform/http/errors.ts'
import { json } from '../../../src/platform/http/reply.ts'
import { loginId, subscriberId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { isRole, type RoleName, rightsOf, rightsOfScopes, roleNames, roles } from '../../../src/platform/staff/roles.ts'
import { SignIn } from '../../../src/platform/staff/sign-in.ts'
import type { Right } from '../../../src/domain/staff-user.ts'
import { startServer } from './parts.ts'

const rights: readonly Right[] = [
  'view',
  'change',
  'money',
  'money_dates',
  'settings',
  'system',
  'rest',
  'personal_data',
]
const doors: readonly Exclude<Door, 'public' | 'system'>[] = ['rest', 'admin', 'page']
const methods: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const done = () => json({ done: true })
const routes: Route[] = doors.flatMap((door) => [
  ...rights.map((right): Route => ({ method: 'POST', path: `/${door}/${right}`, door, right, handler: done })),
  ...methods.map((method): Route => ({ method, path: `/${door}/usual`, door, handler: done })),
  { method: 'GET', path: `/${door}/read`, door, handler: done },
])
routes.push(
  { method: 'POST', path: '/system/do', door: 'system', handler: done },
  { method: 'POST', path: '/open', door: 'public', handler: done },
  { method: 'POST', path: '/phone/sign-in', door: 'app', handler: done },
  { method: 'POST', path: '/phone/do', door: 'mobile', handler: done },
  { method: 'GET', path: '/phone/read', door: 'mobile', handler: done },
  {
    method: 'POST',
    path: '/admin/fields',
    door: 'admin',
    handler: (call) => {
      const read = readFields(call)
      return read.kind === 'fields' ? json(read.fields) : json({ ok: false, error: read.detail }, read.status)
    },
  },
)

/** Each role, and some that are none, has one session whose key is made of its name. */
const names = [...roleNames, 'nothing', '']
const keyOf = (role: string) => hash('sha256', `key of ${role}`)
const database = {
  async query(_: string, [keyHash]: unknown[] = []) {
    const role = names.find((name) => hash('sha256', keyOf(name)) === keyHash)
    const now = new Date()
    const row = {
      staff_id: 1,
      username: role,
      role,
      is_superuser: false,
      organizations: [1],
      csrf_token: 'c'.repeat(64),
    }
    return { rows: role === undefined ? [] : [{ ...row, created_at: now, seen_at: now }] }
  },
}
let isReadOnly = false
const { server, base } = await startServer(routes, {
  signIn: new SignIn({ database, log: silentLog }),
  isReadOnly: () => isReadOnly,
  refuseSystem: async (caller) =>
    caller.header('x-system-password') === 'open sesame' ? null : refusal('system', 403, refusalText.noSystemAccess),
  clients: {
    ofCookie: () => null,
    ofToken: async (token) =>
      token === 'phone-token' ? { subscriberId: subscriberId(1), loginId: loginId(1), session: 'of a phone' } : null,
  },
})
t.teardown(() => server.stop())

type Sent = { role?: string; headers?: Record<string, string>; body?: string }
async function send(method: string, path: string, { role, headers = {}, body }: Sent = {}) {
  const response = await fetch(base + path, {
    method,
    redirect: 'manual',
    headers: { ...(role !== undefined && { 'X-Session-Hash': keyOf(role) }), ...headers },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text }
}

t.test('a route is open to those whose role has its right, and 403 in the shape of the door to others', async (t) => {
  for (const role of roleNames) {
    for (const right of rights) {
      const may = (roles[role] as readonly Right[]).includes(right)
      for (const door of doors)
        t.equal((await send('POST', `/${door}/${right}`, { role })).status, may ? 200 : 403, `${role} ${door} ${right}`)
    }
  }
  const shown = await Promise.all(doors.map((door) => send('POST', `/${door}/money`, { role: 'viewer' })))
  t.match(shown, [
    { body: { detail: /^You do not have permission to perform this action\. .*"money"/ } },
    { body: { ok: false, error: /"money"/ } },
    { body: /^<!doctype html>.*&quot;money&quot;/ },
  ])
})

t.test('a route that asks for nothing takes view for reading and change for writing', async (t) => {
  for (const method of methods) {
    const expected = method === 'GET' ? [200, 200, 200, 403, 403] : [200, 403, 403, 403, 403]
    const answers = ['operator', 'cashier', 'viewer', 'nothing', ''].map((role) =>
      send(method, '/rest/usual', { role }),
    )
    t.same(
      (await Promise.all(answers)).map(({ status }) => status),
      expected,
      method,
    )
  }
})

t.test('an unknown role allows nothing, a superuser is asked for none, scopes only take away', async (t) => {
  t.same(rightsOf({ isSuperuser: false, role: 'toString' }), [])
  t.notOk(isRole('constructor'))
  t.same(rightsOf({ isSuperuser: true, role: 'viewer' }), rights)
  t.same(rightsOfScopes(['read', 'money', 'toString', 'constructor'], rights), ['view', 'money', 'money_dates', 'rest'])
  t.same(rightsOfScopes(['read', 'system', 'money'], roles.viewer), ['view'])
  t.same(rightsOfScopes([], rights), [])
  for (const role of roleNames satisfies readonly RoleName[])
    t.ok((roles[role] as readonly Right[]).includes('view'), role)
})

t.test('READ_ONLY_MODE refuses every write of every door, after 401 and after CSRF', async (t) => {
  isReadOnly = true
  t.teardown(() => {
    isReadOnly = false
  })
  for (const door of doors) {
    for (const method of methods) {
      const { status, body } = await send(method, `/${door}/usual`, { role: 'admin' })
      t.equal(status, method === 'GET' ? 200 : 403, `${method} ${door}`)
      if (method !== 'GET') t.match(JSON.stringify(body), /READ_ONLY_MODE/)
    }
    t.equal((await send('POST', `/${door}/usual`)).status, door === 'page' ? 302 : 401, '401 comes before 403')
  }
  t.match(await send('POST', '/open'), { status: 403, body: /READ_ONLY_MODE/ })
  t.match(await send('POST', '/system/do', { headers: { 'x-system-password': 'open sesame' } }), {
    status: 403,
    body: { status: 'error', error: 'forbidden', message: /READ_ONLY_MODE/ },
  })
  t.equal((await send('HEAD', '/rest/usual', { role: 'admin' })).status, 200)
  t.equal((await send('OPTIONS', '/rest/usual')).status, 204)
})

t.test('the Origin or Referer of another site is 403 for a write, however somebody signed in', async (t) => {
  const elsewhere: Record<string, string>[] = [
    { Origin: 'https://evil.test' },
    { Referer: 'https://evil.test/page' },
    { Origin: 'null' },
    { Origin: base, Referer: 'https://evil.test/' },
  ]
  const cookie = `sessionid=${keyOf('admin')}; csrftoken=${'c'.repeat(64)}`
  for (const headers of elsewhere) {
    for (const door of doors) t.equal((await send('POST', `/${door}/usual`, { role: 'admin', headers })).status, 403)
    const withCookie = { ...headers, Cookie: cookie, 'X-CSRFToken': 'c'.repeat(64) }
    t.equal((await send('POST', '/rest/usual', { headers: withCookie })).status, 403)
    const system = { ...headers, 'x-system-password': 'open sesame' }
    t.equal((await send('POST', '/system/do', { headers: system })).status, 403)
    const phone = { ...headers, Authorization: 'Bearer phone-token' }
    t.match(await send('POST', '/phone/do', { headers: phone }), {
      status: 403,
      body: { status: 'error', error: 'forbidden', message: /другого сайта/ },
    })
    t.equal((await send('POST', '/phone/do', { headers })).status, 401, '401 comes before 403')
    t.equal((await send('POST', '/phone/sign-in', { headers })).status, 403)
    t.equal((await send('GET', '/phone/read', { headers: phone })).status, 200)
    t.equal(
      (await send('GET', '/rest/read', { role: 'admin', headers })).status,
      200,
      'a link from elsewhere may be followed',
    )
  }
})

t.test('an application says no Origin, or that of the server', async (t) => {
  for (const headers of [{}, { Origin: base }]) {
    const phone = { ...headers, Authorization: 'Bearer phone-token' }
    t.equal((await send('POST', '/phone/do', { headers: phone })).status, 200)
    t.equal((await send('POST', '/phone/sign-in', { headers })).status, 200)
  }
})

t.test('the cookie needs the token and an address of our own; REST from programs does not', async (t) => {
  const cookie = { Cookie: `sessionid=${keyOf('admin')}` }
  const token = { 'X-CSRFToken': 'c'.repeat(64) }
  const cases: [Record<string, string>, rest: number, admin: number][] = [
    [cookie, 200, 403],
    [{ ...cookie, ...token }, 200, 403],
    [{ ...cookie, ...token, Origin: base }, 200, 200],
    [{ ...cookie, ...token, Referer: `${base}/admin/` }, 200, 200],
    [{ ...cookie, Origin: base }, 403, 403],
    [{ ...cookie, Origin: base, 'X-CSRFToken': 'd'.repeat(64) }, 403, 403],
  ]
  for (const [headers, rest, admin] of cases) {
    t.equal((await send('POST', '/rest/usual', { headers })).status, rest)
    t.equal((await send('POST', '/admin/usual', { headers })).status, admin)
  }
  const body = `csrfmiddlewaretoken=${'c'.repeat(64)}&name=x`
  const form = { ...cookie, Referer: `${base}/admin/`, 'Content-Type': 'application/x-www-form-urlencoded' }
  t.match(await send('POST', '/admin/fields', { headers: form, body }), { status: 200, body: { name: 'x' } })
})

t.test('a method the path does not know is 405 in the shape of the door, for whoever may look', async (t) => {
  t.match(await send('DELETE', '/rest/read', { role: 'viewer' }), {
    status: 405,
    body: { detail: 'Method "DELETE" not allowed.' },
  })
  t.match(await send('DELETE', '/admin/read', { role: 'viewer' }), {
    status: 405,
    body: { ok: false, error: /DELETE/ },
  })
  t.match(await send('PUT', '/page/read', { role: 'viewer' }), { status: 405, body: /PUT/ })
  t.equal((await send('DELETE', '/rest/read')).status, 401)
})

t.test('a body of another type is 415', async (t) => {
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', '']) {
    const headers = { 'Content-Type': type }
    t.match(await send('POST', '/admin/fields', { role: 'admin', headers, body: '{"name":"x"}' }), {
      status: 415,
      body: { ok: false, error: /media type/ },
    })
  }
  const json = { 'Content-Type': 'application/json; charset=UTF-8' }
  t.match(await send('POST', '/admin/fields', { role: 'admin', headers: json, body: '{"name":"x"}' }), { status: 200 })
  t.match(await send('POST', '/admin/fields', { role: 'admin', headers: json, body: '{' }), { status: 400 })
})
