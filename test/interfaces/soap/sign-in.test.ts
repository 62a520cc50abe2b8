import t from 'tap'
import { SoapSessions } from '../../../src/interfaces/soap/sessions.ts'
import { getUserHash } from '../../../src/interfaces/soap/sign-in.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import type { Call } from '../../../src/platform/http/call.ts'
import { PasswordTries } from '../../../src/platform/passwords/tries.ts'
import { SignInAudit } from '../../../src/platform/staff/sign-in-audit.ts'
import { envelope, hashOf, openSoapFixture, userNamespace } from './fixture.ts'

const fixture = await openSoapFixture(t)
let root = await fixture.staff('root')
await fixture.subscriber('1', 'Иванов Иван')
const check = (hash_key: string) =>
  fixture.act({ hash_key, ACT: 'CHECK', CONTRACT_NUMBER: '1', SUM_IN: '', PAY_OPERATOR: 'x' })
const pay = (hash_key: string) =>
  fixture.act({ hash_key, ACT: 'PAY', CONTRACT_NUMBER: '1', SUM_IN: '1', PAY_OPERATOR: 'x', PAY_ID_STR: 'one' })
const signIn = (username: string, hash: string) =>
  fixture.post('/api/', envelope('get_user_hash', userNamespace, { username, hash }))

t.test('get_user_hash answers 32 hex digits at every path, with a slash at the end or without', async (t) => {
  const paths = ['/api', '/api/v2', '/api/1c', '/api/userside', '/api/collector', '/api/cabinet']
  for (const path of paths.flatMap((one) => [one, `${one}/`])) {
    const answer = await fixture.userHash('root', 'root-password', path)
    t.match(answer, { status: 200, result: /^[0-9a-f]{32}$/ }, path)
    t.match(answer.text, /get_user_hashResult><tns:hash>/)
  }
  const stored = await fixture.rows('SELECT key_hash FROM soap_sessions')
  t.ok(stored.length >= 12 && !stored.some(({ key_hash }) => key_hash === root), 'the key is in no table')
})

t.test('upper case hex is the same hash, and everything else is wrong alike', async (t) => {
  t.match(await signIn('root', hashOf('root-password').toUpperCase()), { status: 200 })
  const wrong = { status: 500, code: 'Client.WrongCredentials', reason: 'Wrong user name or hash.' }
  t.match(await signIn('root', hashOf('other')), wrong)
  t.match(await signIn('root', hashOf('root-password', 'salt')), wrong)
  t.match(await signIn('nobody', hashOf('root-password')), wrong)
  t.match(await signIn('root', 'root-password'), wrong)
  await fixture.rows(`INSERT INTO staff (username, password_hash) VALUES ('webonly', 'x')`)
  t.match(await signIn('webonly', hashOf('')), wrong, 'a user without a SOAP password')
  await fixture.rows(
    `INSERT INTO staff (username, password_hash, soap, soap_md5) VALUES ('foreignkey', 'x', true, 'sealed1:AAAA')`,
  )
  t.match(await signIn('foreignkey', hashOf('x')), wrong, 'a password sealed with another key')
})

t.test('a hash_key holds for an hour, over restarts too', async (t) => {
  t.match(await check(root), { status: 200 })
  t.match(await check(root.toUpperCase()), { status: 200 })
  const began = Date.now()
  fixture.now = new Date(began + 59 * 60_000)
  t.match(await check(root), { status: 200 })
  fixture.now = new Date(began + 61 * 60_000)
  t.match(await check(root), { status: 500, code: 'Client.NotSignedIn' })
  await fixture.userHash('root', 'root-password')
  t.equal(
    (await fixture.rows('SELECT FROM soap_sessions WHERE expires_at < $1', [fixture.now])).length,
    0,
    'old ones are gone',
  )
  fixture.now = null
  root = (await fixture.userHash('root', 'root-password')).result!
  for (const key of ['', '0'.repeat(32), "' OR 1=1", 'x'.repeat(200)])
    t.match(await check(key), { status: 500, code: key === '' ? 'Client.MissingParameter' : 'Client.NotSignedIn' })
})

t.test('a disabled user and a changed password end the session at once', async (t) => {
  const cashier = await fixture.staff('cashier', 'cashier')
  t.match(await check(cashier), { status: 200 })
  await fixture.rows(`UPDATE staff SET enabled = false WHERE username = 'cashier'`)
  t.match(await check(cashier), { code: 'Client.NotSignedIn' })
  t.match(await fixture.userHash('cashier', 'cashier-password'), { code: 'Client.WrongCredentials' })
  await fixture.rows(`UPDATE staff SET enabled = true WHERE username = 'cashier'`)
  t.match(await check(cashier), { status: 200 })
  await fixture.rows(
    `UPDATE staff SET soap_md5 = (SELECT soap_md5 FROM staff WHERE username = 'root') WHERE username = 'cashier'`,
  )
  t.match(await check(cashier), { code: 'Client.NotSignedIn' })
})

t.test('money needs the right to move it', async (t) => {
  const viewer = await fixture.staff('viewer', 'viewer')
  t.match(await check(viewer), { status: 200 })
  t.match(await pay(viewer), { status: 500, code: 'Client.NotAllowed', reason: /money/ })
  const list = { hash_key: viewer, ACT_LIST: '1;1;2', PAY_OPERATOR: 'x' }
  t.match(await fixture.import(list), { code: 'Client.NotAllowed' })
  t.equal((await fixture.rows('SELECT FROM finance_operations')).length, 0)
})

t.test('READ_ONLY_MODE lets programs sign in and nothing else; who is not signed in learns that first', async (t) => {
  await fixture.settings.set({ READ_ONLY_MODE: true })
  t.match(await fixture.userHash('root', 'root-password'), { status: 200 })
  for (const answer of [await check(root), await pay(root)])
    t.match(answer, { status: 403, code: 'Server.ReadOnly', reason: /READ_ONLY_MODE/ })
  t.match(await fixture.import({ hash_key: root, ACT_LIST: '1;1;2', PAY_OPERATOR: 'x' }), { status: 403 })
  t.match(await pay('0'.repeat(32)), { status: 500, code: 'Client.NotSignedIn' })
  await fixture.settings.set({ READ_ONLY_MODE: false })
  t.match(await pay(root), { status: 200 })
})

t.test('a page of another site cannot call', async (t) => {
  const body = envelope('get_user_hash', userNamespace, { username: 'root', hash: hashOf('root-password') })
  const answer = await fixture.post('/api/', body, { Origin: 'https://evil.example' })
  t.match(answer, { status: 403, code: 'Client.Forbidden' })
})

t.test('a cash desk that has a session from an address is known there after a restart', async (t) => {
  const { pool } = fixture.database
  for (const name of ['known', 'stranger']) await fixture.staff(name, 'cashier')
  await fixture.rows(`DELETE FROM soap_sessions WHERE staff_id = (SELECT id FROM staff WHERE username = 'stranger')`)
  // Nothing is in memory, and somebody guesses behind the same address.
  const tries = new PasswordTries({ clock: systemClock })
  const call = { address: '127.0.0.1', id: 'test' } as Call
  for (let n = 0; n < 30; n++)
    await tries.attempt({ entrance: 'portal', address: call.address, owners: [], name: `name ${n}` }, async () => null)
  const sessions = new SoapSessions(pool, systemClock)
  const parts = { ...fixture, pool, tries, sessions, audit: new SignInAudit(pool), clock: systemClock }
  const signIn = (username: string) => getUserHash(parts, call, { username, hash: hashOf(`${username}-password`) })
  t.match(await signIn('stranger'), { code: 'Client.TooManyAttempts' })
  t.match(await signIn('known'), { hash: /^[0-9a-f]{32}$/ })
})

t.test('five wrong hashes of one name and address lock the sign-in for a while', async (t) => {
  await fixture.staff('guessed', 'cashier')
  const answers = await Promise.all(Array.from({ length: 8 }, () => fixture.userHash('guessed', 'guess')))
  t.equal(answers.filter(({ code }) => code === 'Client.WrongCredentials').length, 5)
  t.equal(answers.filter(({ code }) => code === 'Client.TooManyAttempts').length, 3)
  t.match(await fixture.userHash('guessed', 'guessed-password'), {
    status: 429,
    code: 'Client.TooManyAttempts',
    reason: /15 minutes/,
  })
  fixture.now = new Date(Date.now() + 16 * 60_000)
  t.match(await fixture.userHash('guessed', 'guessed-password'), { status: 200 })
  fixture.now = null
})
