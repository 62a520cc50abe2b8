import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { roleNames } from '../../src/platform/staff/roles.ts'
import { factorModeOf } from '../../src/platform/staff/second-factor-modes.ts'
import { Browser, type Shown } from '../support/browser.ts'
import { fetch } from '../support/published.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { Caller, type Json, openOffice } from './admin-office.ts'

let now = new Date('2026-11-23T12:00:10Z')
const clock = Object.assign(new SteadyClock(), { now: () => now })
const office = await openOffice(t, { clock })
const root = await office.staff('root')
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
t.afterEach(() => office.settings.set({ STAFF_SECOND_FACTOR: 'offered' }))

const found = (pattern: RegExp, { text }: Shown): string => pattern.exec(text)?.[1] ?? ''
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() })

async function signIn(username: string, browser = new Browser(office.base)) {
  await browser.get('/admin/')
  const answer = await browser.post('/admin/', {
    username,
    password: `${username}-password`,
    next: '/admin/system/api/',
  })
  const challenge = found(/name="challenge" value="(\w+)"/, answer)
  const sendCode = (code: string) =>
    browser.post('/admin/second_factor/', { challenge, code, next: '/admin/system/api/' })
  return { browser, answer, challenge, sendCode }
}

/** What a browser got of a JSON door. */
const bodyOf = ({ text }: Shown) => JSON.parse(text) as Json

/** The secret that the account's screen shows to an application. */
const proposed = async (username: string, browser: Browser): Promise<string> =>
  bodyOf(await browser.post('/admin/account/totp/', { current_password: `${username}-password` })).secret
const confirmed = (browser: Browser, code: string) => browser.post('/admin/account/totp/confirm/', { code })
const stateOf = async (browser: Browser) => bodyOf(await browser.get('/admin/account/second_factor/'))

/** A staff user who has set up an application. */
async function enrolled(username: string, role = 'operator') {
  const program = await office.staff(username, role, [1])
  const { browser } = await signIn(username)
  const secret = await proposed(username, browser)
  const set = await confirmed(browser, codeOf(secret))
  const codes: string[] = bodyOf(set).recovery_codes
  later(30)
  return { program, browser, secret, set, codes }
}

t.test('a user sets up an application and then signs in with its code, each code once', async (t) => {
  const { secret, set, codes } = await enrolled('anna')
  t.equal(set.status, 200)
  t.equal(codes.length, 10)
  const [row] = await office.rows(`SELECT totp_secret FROM staff WHERE username = 'anna'`)
  t.match(row.totp_secret, /^sealed2:/)

  const { browser, answer, sendCode } = await signIn('anna')
  t.equal(answer.status, 200)
  t.notOk(browser.cookies.has('sessionid'), 'the password alone starts no session')
  t.equal((await browser.get('/admin/system/api/')).status, 302)
  const code = codeOf(secret)
  t.match(await sendCode(code), { status: 302, location: '/admin/system/api/' })
  t.equal((await browser.get('/admin/system/api/')).status, 200)
  t.equal((await (await signIn('anna')).sendCode(code)).status, 401, 'a code that was seen is of no use')
  later(30)
  t.equal((await (await signIn('anna')).sendCode(codeOf(secret))).status, 302)
})

t.test('a code of the half minute before or after counts, an older one does not', async (t) => {
  const { secret } = await enrolled('boris')
  const code = codeOf(secret)
  later(90)
  t.equal((await (await signIn('boris')).sendCode(code)).status, 401)
  const previous = codeOf(secret)
  later(30)
  t.equal((await (await signIn('boris')).sendCode(previous)).status, 302)
})

t.test('a recovery code signs in once, and new ones replace the old', async (t) => {
  const { browser, codes } = await enrolled('vera')
  const [first, second] = codes as [string, string]
  t.equal((await (await signIn('vera')).sendCode(first.toLowerCase().replaceAll('-', ' '))).status, 302)
  t.equal((await (await signIn('vera')).sendCode(first)).status, 401)
  t.same(await stateOf(browser), { ok: true, mode: 'offered', totp: true, recovery_codes_left: 9 })
  t.equal((await browser.post('/admin/account/recovery_codes/', { current_password: 'wrong' })).status, 403)
  const renewed = await browser.post('/admin/account/recovery_codes/', { current_password: 'vera-password' })
  t.equal(renewed.status, 200)
  t.equal((await (await signIn('vera')).sendCode(second)).status, 401)
  t.equal((await (await signIn('vera')).sendCode(bodyOf(renewed).recovery_codes[0])).status, 302)
})

t.test('codes cannot be guessed: five wrong ones end it for a while, whatever sign-in they belong to', async (t) => {
  const { secret } = await enrolled('gleb')
  const guesses = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(() => signIn('gleb')))
  const answers = await Promise.all(guesses.map(({ sendCode }) => sendCode('000000')))
  t.ok(answers.every(({ status }) => status === 401 || status === 429))
  t.match(answers.find(({ status }) => status === 429)?.headers.get('retry-after'), /^\d+$/)
  t.ok(answers.filter(({ text }) => text.includes('Неверный код.')).length <= 5, 'also of those that come together')
  const right = await signIn('gleb')
  t.notMatch(await right.sendCode(codeOf(secret)), { status: 302 })
  later(10 * 60)
  const refused = (await signIn('gleb')).answer
  t.match(
    [refused.status, refused.headers.get('retry-after')],
    [429, '300'],
    'who tries again does not put the end off',
  )
  later(5 * 60 + 1)
  t.equal((await (await signIn('gleb')).sendCode(codeOf(secret))).status, 302)
})

t.test('a sign-in waits five minutes for its code', async (t) => {
  const { secret } = await enrolled('dina')
  const { sendCode } = await signIn('dina')
  later(5 * 60 + 1)
  t.match(await sendCode(codeOf(secret)), { status: 401, text: /name="username"/ })
  const foreign = await signIn('dina')
  const answer = await foreign.browser.post(
    '/admin/second_factor/',
    {
      challenge: foreign.challenge,
      code: codeOf(secret),
      csrfmiddlewaretoken: 'x',
    },
    { withToken: false },
  )
  t.equal(answer.status, 403, 'no other site can complete it')
})

t.test('programs are refused with the reason, by the API and by SOAP alike, and tokens go on', async (t) => {
  const { browser, secret } = await enrolled('egor', 'admin')
  const answer = await fetch(`${office.base}/admin/?api=1&username=egor&password=egor-password&format=json`)
  t.match(
    [answer.status, await answer.json()],
    [403, { ok: false, error: /second factor.*API token/, detail: /second factor.*API token/ }],
  )
  const wrong = await fetch(`${office.base}/admin/?api=1&username=egor&password=wrong&format=json`)
  t.equal(wrong.status, 401, 'only who knows the password is told')
  const own = new Caller(office.base, { 'X-Session-Hash': browser.cookies.get('sessionid')! })
  const made = await own.post('/admin/settings/tokens/', {
    current_password: 'egor-password',
    name: 'x',
    scopes: ['read'],
  })
  t.equal(made.status, 200)
  t.ok(secret)
})

t.test('setting it up asks for the present password and a code of the application', async (t) => {
  await office.staff('fekla', 'viewer', [1])
  const { browser } = await signIn('fekla')
  t.same(await stateOf(browser), { ok: true, mode: 'offered', totp: false, recovery_codes_left: null })
  t.equal((await browser.post('/admin/account/totp/', { current_password: 'wrong' })).status, 403)
  const secret = await proposed('fekla', browser)
  t.match(await confirmed(browser, '000000'), { status: 400, text: /wrong_code/ })
  t.equal((await signIn('fekla')).answer.status, 302, 'nothing is set up')
  t.equal((await confirmed(browser, codeOf(secret))).status, 200)
  t.equal((await signIn('fekla')).answer.status, 200)
  const off = (code: string, current_password = 'fekla-password') =>
    browser.delete('/admin/account/totp/', { current_password, ...(code !== '' && { code }) })
  t.match(await off('', 'wrong'), { status: 403, text: /wrong_password/ })
  t.match(await off(''), { status: 403, text: /unproven/ }, 'the password alone does not take it away in a browser')
  t.match(await off('000000'), { status: 403, text: /wrong_code/ })
  t.equal((await signIn('fekla')).answer.status, 200)
  later(30)
  t.equal((await off(codeOf(secret))).status, 200)
  t.equal((await signIn('fekla')).answer.status, 302)
  const told = await office.rows(
    `SELECT diff FROM audit_operations WHERE user_name = 'fekla' AND action = 'change' ORDER BY id`,
  )
  t.match(told, [{ diff: { second_factor: [null, 'totp'] } }, { diff: { second_factor: ['totp', null] } }])
  t.notMatch(JSON.stringify(told), secret)
})

t.test('a program sets its factor up in two steps and takes it away', async (t) => {
  const program = await office.staff('nina', 'operator', [1])
  const propose = (current_password = 'nina-password') => program.post('/admin/account/totp/', { current_password })
  const confirm = (code: string) => program.post('/admin/account/totp/confirm/', { code })
  t.match(await confirm('000000'), { status: 400, body: { ok: false, code: 'not_proposed' } })
  t.match(await propose('wrong'), { status: 403, body: { ok: false } })
  const { body } = await propose()
  t.match(body, { ok: true, secret: /^[A-Z2-7]{32}$/, uri: /^otpauth:\/\/totp\/.*secret=/ })
  for (let failures = 0; failures < 5; failures++)
    t.match(await confirm('000000'), { status: 400, body: { code: 'wrong_code' } })
  t.equal((await confirm(codeOf(body.secret))).status, 429, 'the codes cannot be guessed')
  t.equal((await signIn('nina')).answer.status, 302, 'nothing is set up')
  const { secret } = (await propose()).body
  later(11 * 60)
  t.match(await confirm(codeOf(secret)), { status: 400, body: { code: 'not_proposed' } })
  const again = (await propose()).body.secret
  const { recovery_codes: codes, ...set } = (await confirm(codeOf(again))).body
  t.same([set, codes.length], [{ ok: true }, 10])
  t.equal((await (await signIn('nina')).sendCode(codeOf(again))).status, 401, 'the code is spent')
  t.equal((await (await signIn('nina')).sendCode(codes[0])).status, 302)
  t.match(await confirm(codeOf(again)), { status: 400, body: { code: 'not_proposed' } })
  const takeAway = (current_password: string) => program.call('DELETE', '/admin/account/totp/', { current_password })
  t.equal((await takeAway('wrong')).status, 403)
  t.same(await takeAway('nina-password'), { status: 200, body: { ok: true } })
  t.equal((await signIn('nina')).answer.status, 302)
})

t.test('an API token does not reach the second factor', async (t) => {
  const program = await office.staff('oleg', 'operator', [1])
  const sent = { current_password: 'oleg-password', name: 'x', scopes: ['read', 'write', 'money'] }
  const { token } = (await program.post('/admin/settings/tokens/', sent)).body
  const thief = new Caller(office.base, { Authorization: `Bearer ${token}` })
  for (const [method, path] of [
    ['POST', 'totp'],
    ['POST', 'totp/confirm'],
    ['DELETE', 'totp'],
    ['POST', 'password'],
    ['POST', 'recovery_codes'],
    ['POST', 'sessions/end'],
  ] as const)
    t.equal((await thief.call(method, `/admin/account/${path}/`, { ...sent, code: '000000' })).status, 403, path)
  for (const path of ['second_factor', 'sessions'])
    t.equal((await thief.get(`/admin/account/${path}/`)).status, 403, path)
})

t.test('setting it up ends the other sessions of its owner', async (t) => {
  const { program, browser } = await enrolled('zoya')
  t.equal((await program.get('/rest_api/v2/Abonents/')).status, 401)
  t.equal((await browser.get('/admin/system/api/')).status, 200)
})

t.test('required: nothing is open before it is set up, nor to a program', async (t) => {
  const before: Caller = await office.staff('iosif', 'operator', [1])
  const { browser } = await signIn('iosif')
  await office.settings.set({ STAFF_SECOND_FACTOR: 'offered, operator=required' })
  t.match(await before.get('/rest_api/v2/Abonents/'), { status: 403, body: { detail: /second factor/ } })
  t.match(await browser.get('/admin/system/api/'), { status: 302, location: '/admin/account/?enrol=1' })
  t.equal((await fetch(`${office.base}/admin/?api=1&username=iosif&password=iosif-password`)).status, 403)
  t.equal((await root.get('/rest_api/v2/Abonents/')).status, 200, 'another role')
  t.match(await browser.get('/admin/account/?enrol=1'), { status: 200, text: /<div id="root">/ })
  t.match(bodyOf(await browser.get('/admin/me/')), { must_enrol: true, organizations: [] })
  await confirmed(browser, codeOf(await proposed('iosif', browser)))
  t.match(bodyOf(await browser.get('/admin/me/')), { must_enrol: false, organizations: [{ id: 1 }] })
  t.equal((await browser.get('/admin/system/api/')).status, 200)
})

t.test('off: nobody is asked', async (t) => {
  await enrolled('kira')
  await office.settings.set({ STAFF_SECOND_FACTOR: 'off' })
  t.equal((await signIn('kira')).answer.status, 302)
})

t.test('an administrator takes a lost factor away, and sets up none', async (t) => {
  await enrolled('lev')
  const [{ id }] = await office.rows(`SELECT id FROM staff WHERE username = 'lev'`)
  const path = `/admin/dictionary/staff_crud/${id}/`
  t.match((await root.get(path)).body, { second_factor: 'totp' })
  t.match((await root.post(path, { second_factor: 'none' })).body, { second_factor: 'totp' }, 'it is read-only')
  t.match(await root.post(path, { remove_second_factor: true }), { status: 200, body: { second_factor: 'none' } })
  t.equal((await signIn('lev')).answer.status, 302)
  t.same(await office.rows('SELECT FROM staff_recovery_codes WHERE staff_id = $1', [id]), [])
  t.match(
    (await root.post(path, { second_factor: 'totp' })).body,
    { second_factor: 'none' },
    'nobody sets up that of others',
  )
})

t.test('wrong codes are in the audit with the address', async (t) => {
  const { secret } = await enrolled('mila')
  await office.rows('DELETE FROM audit_operations')
  const { sendCode } = await signIn('mila')
  await sendCode('000000')
  await sendCode(codeOf(secret))
  const rows = await office.rows('SELECT user_name, address, action, diff FROM audit_operations ORDER BY id')
  const row = (action: string) => ({
    user_name: 'mila',
    address: '127.0.0.1',
    action,
    diff: { by: [null, 'page, code'] },
  })
  t.same(rows, [row('sign_in_failed'), row('sign_in')])
})

t.test('modes are by role', async (t) => {
  const of = (setting: string, role: string, isSuperuser = false) => factorModeOf(setting, { role, isSuperuser })
  t.equal(of('offered', 'admin'), 'offered')
  t.equal(of('off, admin=required', 'admin'), 'required')
  t.equal(of('off, admin=required', 'viewer'), 'off')
  t.equal(of('off,admin=required', 'viewer', true), 'required')
  t.equal(of('off, admin=required, superuser=offered', 'viewer', true), 'offered')
  for (const role of [...roleNames, 'superuser', 'role_0123abcd'])
    t.match(await root.post('/admin/settings/system/', { STAFF_SECOND_FACTOR: `offered, ${role}=off` }), {
      status: 200,
    })
  for (const wrong of ['x', 'admin=required', 'offered, nobody=off', 'offered,'])
    t.equal((await root.post('/admin/settings/system/', { STAFF_SECOND_FACTOR: wrong })).status, 400, wrong)
})
