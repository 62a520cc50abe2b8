import fc from 'fast-check'
import t from 'tap'
import { Authenticator } from '../support/authenticator.ts'
import { Browser, type Shown } from '../support/browser.ts'
import { fetch } from '../support/published.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { Caller, openOffice } from './admin-office.ts'

const origin = 'https://billing.example'
let now = new Date('2026-11-23T12:00:10Z')
const clock = Object.assign(new SteadyClock(), { now: () => now })
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
const office = await openOffice(t, { clock, env: { TOLLGATE_PUBLIC_URL: origin } })
const root = await office.staff('root')
const path = '/admin/account/passkeys/'
const refused = { status: 400, body: { ok: false, code: 'refused_passkey' } }

const optionsToAdd = async (caller: Caller, username: string) =>
  (await caller.post(`${path}options/`, { current_password: `${username}-password` })).body.options

/** A staff user with one passkey. */
async function enrolled(username: string, role = 'operator') {
  const caller = await office.staff(username, role, [1])
  const device = new Authenticator(origin)
  const options = await optionsToAdd(caller, username)
  const added = await caller.post(path, { name: 'key', response: device.create(options) })
  return { caller, device, options, added, codes: added.body.recovery_codes as string[] }
}

/** The sign-in page up to its second step, as far as a browser without scripts gets and then its script. */
async function signIn(username: string) {
  const browser = new Browser(office.base)
  await browser.get('/admin/')
  const answer = await browser.post('/admin/', {
    username,
    password: `${username}-password`,
    next: '/admin/system/api/',
  })
  const challenge = /name="challenge" value="(\w+)"/.exec(answer.text)?.[1] ?? ''
  const options = async () => {
    const response = await fetch(`${office.base}/admin/second_factor/options/`, {
      method: 'POST',
      headers: {
        Cookie: `csrftoken=${browser.cookies.get('csrftoken')}`,
        'X-CSRFToken': browser.cookies.get('csrftoken')!,
        Origin: origin,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ challenge }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: looked into field by field
    return { status: response.status, body: (await response.json()) as any }
  }
  const send = (response: unknown): Promise<Shown> =>
    browser.post('/admin/second_factor/', { challenge, passkey: JSON.stringify(response), next: '/admin/system/api/' })
  const code = (text: string) =>
    browser.post('/admin/second_factor/', { challenge, code: text, next: '/admin/system/api/' })
  return { browser, answer, options, send, code }
}

const asked = async (username: string) => {
  const step = await signIn(username)
  return { ...step, wanted: (await step.options()).body.options }
}

t.test('a passkey is added with the password and signs in at the second step', async (t) => {
  const { caller, device, added, codes } = await enrolled('anna')
  t.match(added, { status: 200, body: { ok: true } })
  t.equal(codes.length, 10)
  t.match((await caller.get(path)).body, { total: 1, items: [{ name: 'key', used_at: null }] })
  const { answer, browser, wanted, send } = await asked('anna')
  t.match(answer.text, 'id="passkey"')
  t.notOk(browser.cookies.has('sessionid'))
  t.match(wanted, { rpId: 'billing.example', userVerification: 'preferred', allowCredentials: [{ id: device.id }] })
  t.match(await send(device.get(wanted)), { status: 302, location: '/admin/system/api/' })
  t.equal((await browser.get('/admin/system/api/')).status, 200)
  t.type((await caller.get(path)).body.items[0].used_at, 'string')
  const [row] = await office.rows('SELECT transports, counter FROM staff_passkeys WHERE name = $1', ['key'])
  t.same(row, { transports: ['usb'], counter: '1' }, 'words that no browser says are left out')
  const [signedIn] = await office.rows(`SELECT diff FROM audit_operations WHERE action = 'sign_in' ORDER BY id DESC`)
  t.match(signedIn.diff, { by: [null, 'page, passkey'] })
})

t.test('options to add one ask for the present password, and a token does not reach them', async (t) => {
  const caller = await office.staff('boris', 'operator', [1])
  t.match(await caller.post(`${path}options/`), { status: 400 })
  t.match(await caller.post(`${path}options/`, { current_password: 'wrong' }), {
    status: 403,
    body: { code: 'wrong_password' },
  })
  const sent = { current_password: 'boris-password', name: 'x', scopes: ['read', 'write'] }
  const { token } = (await caller.post('/admin/settings/tokens/', sent)).body
  const program = new Caller(office.base, { Authorization: `Bearer ${token}` })
  t.equal((await program.post(`${path}options/`, { current_password: 'boris-password' })).status, 403)
  t.equal((await program.get(path)).status, 403)
})

t.test('an answer of another site, for another host, or replayed adds nothing', async (t) => {
  const caller = await office.staff('vera', 'operator', [1])
  const device = new Authenticator(origin)
  const add = async (faults: Parameters<Authenticator['create']>[1]) =>
    caller.post(path, { name: 'x', response: device.create(await optionsToAdd(caller, 'vera'), faults) })
  t.match(await add({ origin: 'https://evil.example' }), refused)
  t.match(await add({ rpId: 'evil.example' }), refused)
  const options = await optionsToAdd(caller, 'vera')
  const other = await office.staff('varya', 'operator', [1])
  t.match(
    await other.post(path, { name: 'x', response: device.create(options) }),
    refused,
    'the options of another user',
  )
  const response = device.create(options)
  t.equal((await caller.post(path, { name: 'x', response })).status, 200)
  t.match(await caller.post(path, { name: 'y', response }), refused, 'replayed')
  const again = device.create(await optionsToAdd(other, 'varya'))
  t.match(await other.post(path, { name: 'x', response: again }), refused, 'somebody has it already')
  const certified = Buffer.from('a163783563814101', 'hex')
  const another = new Authenticator(origin)
  const attested = another.create(await optionsToAdd(caller, 'vera'), {}, certified)
  t.match(await caller.post(path, { name: 'x', response: attested }), refused, 'no certificates are taken')
})

t.test('challenges hold five minutes, and ten of a user at most', async (t) => {
  const caller = await office.staff('gleb', 'operator', [1])
  const device = new Authenticator(origin)
  const first = await optionsToAdd(caller, 'gleb')
  later(5 * 60 + 1)
  t.match(await caller.post(path, { name: 'x', response: device.create(first) }), refused)
  const oldest = await optionsToAdd(caller, 'gleb')
  for (let made = 0; made < 10; made++) {
    later(1)
    await optionsToAdd(caller, 'gleb')
  }
  t.match(await caller.post(path, { name: 'x', response: device.create(oldest) }), refused)
  const [{ count }] = await office.rows(`SELECT count(*)::int4 FROM staff_passkey_challenges c
    JOIN staff ON staff.id = staff_id WHERE username = 'gleb'`)
  t.equal(count, 10)
})

t.test('the sign-in takes no answer of another site, another user, another sign-in or another time', async (t) => {
  const { device } = await enrolled('dina')
  const { device: foreign } = await enrolled('darya')
  const tries: [string, (wanted: { challenge: string; rpId: string }) => object][] = [
    ['origin', (wanted) => device.get(wanted, { origin: 'https://evil.example' })],
    ['host', (wanted) => device.get(wanted, { rpId: 'evil.example' })],
    ['a passkey of another user', (wanted) => foreign.get(wanted)],
    ['his signature under the id of hers', (wanted) => foreign.get(wanted, { id: device.id })],
  ]
  for (const [what, sign] of tries) {
    const { wanted, send } = await asked('dina')
    t.match(await send(sign(wanted)), { status: 401, text: /Ключ доступа не подошёл/ }, what)
    await office.rows('DELETE FROM staff_challenges')
  }
  const elsewhere = await asked('dina')
  const here = await asked('dina')
  t.equal((await here.send(device.get(elsewhere.wanted))).status, 401, 'another sign-in')
  const answer = device.get(here.wanted)
  t.equal((await here.send(answer)).status, 302)
  const next = await signIn('dina')
  await next.options()
  t.equal((await next.send(answer)).status, 401, 'replayed')
  const late = await asked('dina')
  later(5 * 60 + 1)
  t.equal((await late.send(device.get(late.wanted))).status, 401, 'too late')
  t.equal((await late.options()).status, 401)
})

t.test('a counter that went back is refused and audited, also of two at once', async (t) => {
  const { device } = await enrolled('egor')
  const first = await asked('egor')
  t.equal((await first.send(device.get(first.wanted, { counter: 7 }))).status, 302)
  for (const counter of [7, 6, 0]) {
    const { wanted, send } = await asked('egor')
    t.equal((await send(device.get(wanted, { counter }))).status, 401, String(counter))
  }
  const rows = await office.rows(`SELECT diff->'by'->>1 AS by FROM audit_operations WHERE user_name = 'egor'
    AND action = 'sign_in_failed'`)
  t.same(
    rows.map(({ by }) => by),
    Array(3).fill('page, passkey whose counter went back'),
  )
  const pair = [await asked('egor'), await asked('egor')]
  const answers = await Promise.all(pair.map(({ send, wanted }) => send(device.get(wanted, { counter: 8 }))))
  t.equal(answers.filter(({ status }) => status === 302).length, 1)
})

t.test('a recovery code serves once in its place, and programs are refused', async (t) => {
  const { codes } = await enrolled('fekla')
  t.equal((await (await signIn('fekla')).code(codes[0]!)).status, 302)
  t.equal((await (await signIn('fekla')).code(codes[0]!)).status, 401)
  const program = await fetch(`${office.base}/admin/?api=1&username=fekla&password=fekla-password&format=json`)
  t.match([program.status, await program.json()], [403, { ok: false, error: /second factor/ }])
})

t.test('adding one ends the other sessions of its owner, and no token', async (t) => {
  const thief = await office.staff('inna', 'operator', [1])
  const own = await office.signedIn('inna', 'inna-password')
  const sent = { current_password: 'inna-password', name: 'x', scopes: ['read'] }
  const { token } = (await own.post('/admin/settings/tokens/', sent)).body
  const response = new Authenticator(origin).create(await optionsToAdd(own, 'inna'))
  t.match(await own.post(path, { name: 'x', response }), { status: 200, body: { sessions_ended: 1 } })
  t.equal((await thief.get('/admin/audit/')).status, 401)
  t.equal((await own.get(path)).status, 200)
  const program = new Caller(office.base, { Authorization: `Bearer ${token}` })
  t.equal((await program.get('/rest_api/v2/Abonents/')).status, 200)
})

t.test('the last one is taken away only by who shows it or a code; another needs the password', async (t) => {
  const { caller, device, codes } = await enrolled('kira')
  const response = new Authenticator(origin).create(await optionsToAdd(caller, 'kira'))
  t.match((await caller.post(path, { name: 'second', response })).body, { recovery_codes: [] }, 'the codes stay')
  const [first, second] = (await caller.get(path)).body.items
  const remove = (id: number, sent: object) => caller.call('DELETE', `${path}${id}/`, sent)
  const current_password = 'kira-password'
  t.equal((await remove(second.id, { current_password: 'wrong' })).status, 403)
  const { caller: stranger } = await enrolled('klim')
  t.equal((await stranger.call('DELETE', `${path}${second.id}/`, { current_password: 'klim-password' })).status, 404)
  t.equal((await remove(second.id, { current_password })).status, 200)
  t.match(await remove(first.id, { current_password }), { status: 403, body: { code: 'unproven' } })
  t.match(await remove(first.id, { current_password, code: '0000' }), { status: 403, body: { code: 'wrong_code' } })
  const { options } = (await caller.post(`${path}confirm/`)).body
  const stolen = device.get(options, { origin: 'https://evil.example' })
  t.equal((await remove(first.id, { current_password, response: stolen })).status, 403)
  const anew = (await caller.post(`${path}confirm/`)).body.options
  t.equal((await remove(first.id, { current_password, response: device.get(anew) })).status, 200)
  t.equal((await signIn('kira')).answer.status, 302, 'the password suffices again')
  t.same(
    await office.rows('SELECT FROM staff_recovery_codes JOIN staff ON id = staff_id WHERE username = $1', ['kira']),
    [],
  )
  t.equal((await caller.post(`${path}confirm/`)).status, 404)
  const told = await office.rows(`SELECT diff FROM audit_operations WHERE user_name = 'kira' AND action = 'change'`)
  t.match(JSON.stringify(told), /"second_factor":\["passkey",null\]/)
  t.ok(codes.length)
})

t.test('an administrator sees which factor somebody has and takes a lost one away, but not their own', async (t) => {
  const { caller } = await enrolled('lev')
  const [{ id }] = await office.rows(`SELECT id FROM staff WHERE username = 'lev'`)
  const crud = `/admin/dictionary/staff_crud/${id}/`
  t.match((await root.get(crud)).body, { second_factor: 'passkey' })
  t.match(await root.post(crud, { remove_second_factor: true }), { status: 200, body: { second_factor: 'none' } })
  t.equal((await caller.get(path)).body.total, 0)
  const [{ id: own }] = await office.rows(`SELECT id FROM staff WHERE username = 'root'`)
  t.equal((await root.post(`/admin/dictionary/staff_crud/${own}/`, { remove_second_factor: true })).status, 403)
})

t.test('what a browser could never have answered is refused like a wrong answer', async (t) => {
  const { caller, device } = await enrolled('mila')
  const [{ id, password_hash: hash }] = await office.rows(`SELECT id, password_hash FROM staff WHERE username = 'mila'`)
  const party = { origin, id: 'billing.example' }
  const { passkeys } = office.factors
  const bytes = fc.uint8Array({ maxLength: 400 }).map((data) => Buffer.from(data).toString('base64url'))
  const value = fc.oneof(bytes, fc.jsonValue({ maxDepth: 3 }))
  const make = async (part: 'new' | 'used', name: string, hostile: unknown) => {
    const options =
      part === 'new'
        ? (await passkeys.optionsToAdd(id, 'mila', hash, party))!
        : (await passkeys.optionsToSign(id, 'confirm', party))!
    const answer: Record<string, unknown> =
      part === 'new' ? new Authenticator(origin).create(options as never) : device.get(options as never)
    const inside = answer.response as Record<string, unknown>
    if (name in answer) answer[name] = hostile
    else inside[name] = hostile
    return answer
  }
  const names = [
    'id',
    'rawId',
    'type',
    'response',
    'clientDataJSON',
    'attestationObject',
    'authenticatorData',
    'signature',
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names.slice(2)), value, async (name, hostile) => {
      if (name !== 'authenticatorData' && name !== 'signature' && hostile !== 'public-key')
        t.equal(await passkeys.verifyNew(id, await make('new', name, hostile), party), null)
      if (name !== 'attestationObject' && hostile !== 'public-key')
        t.equal(await passkeys.check(id, 'confirm', await make('used', name, hostile), party), 'wrong')
    }),
    { numRuns: 150 },
  )
  for (const hostile of [null, 1, 'x', [], {}, { response: null }, { response: { clientDataJSON: 'e30' } }])
    t.equal(await passkeys.check(id, 'confirm', hostile, party), 'wrong')
  t.equal((await caller.post(path, { name: 'x', response: 'x' })).status, 400)
})
