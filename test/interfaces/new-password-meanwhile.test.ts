import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { staffId } from '../../src/domain/ids.ts'
import { endCredentials } from '../../src/platform/staff/ended-credentials.ts'
import { hashPassword } from '../../src/platform/staff/passwords.ts'
import { Authenticator } from '../support/authenticator.ts'
import { blocked } from '../support/blocked.ts'
import { Browser } from '../support/browser.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { type Answer, openOffice } from './admin-office.ts'

/**
 * A new password ends all that was begun with the old one, also what is being begun at that moment: whoever has stolen
 * the old one could otherwise keep requests on the way while it is changed.
 */
let now = new Date('2026-11-23T12:00:10Z')
const office = await openOffice(t, { clock: Object.assign(new SteadyClock(), { now: () => now }) })
const { pool } = office.database
const page = '/admin/account/'
const newHash = await hashPassword('the newest password')

/** What `request` is answered when an administrator changes the password between its check and its effect. */
async function whileChanged<A>(username: string, request: () => Promise<A>): Promise<A> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query('UPDATE staff SET password_hash = $2 WHERE username = $1 RETURNING id', [
      username,
      newHash,
    ])
    const answer = request()
    await Promise.race([answer, blocked(pool)])
    await endCredentials(client, staffId(rows[0].id))
    await client.query('COMMIT')
    return await answer
  } finally {
    client.release()
  }
}

const left = async (username: string) =>
  (
    await office.rows(
      `SELECT (SELECT count(*) FROM staff_sessions WHERE staff_id = staff.id) AS sessions,
          (SELECT count(*) FROM staff_challenges WHERE staff_id = staff.id) AS challenges,
          (SELECT count(*) FROM api_tokens WHERE staff_id = staff.id) AS tokens, password_hash = $2 AS has_new
        FROM staff WHERE username = $1`,
      [username, newHash],
    )
  )[0]
const nothing = { sessions: '0', challenges: '0', tokens: '0', has_new: true }

async function signIn(username: string) {
  const browser = new Browser(office.base)
  await browser.get('/admin/')
  const answer = await browser.post('/admin/', { username, password: `${username}-password` })
  return { browser, answer }
}

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() })

/** What lets somebody sign in beside the password, or is being set up for it; `codes` are their hashes. */
const factorsOf = async (username: string) =>
  (
    await office.rows(
      `SELECT totp_secret, (SELECT count(*) FROM staff_passkeys WHERE staff_id = staff.id) AS passkeys,
          (SELECT count(*) FROM staff_totp_proposals WHERE staff_id = staff.id) AS proposals,
          (SELECT count(*) FROM staff_passkey_challenges WHERE staff_id = staff.id) AS challenges,
          ARRAY(SELECT code_hash FROM staff_recovery_codes WHERE staff_id = staff.id ORDER BY code_hash) AS codes
        FROM staff WHERE username = $1`,
      [username],
    )
  )[0]
const noFactors = { totp_secret: null, passkeys: '0', proposals: '0', challenges: '0', codes: [] }
const wrongPassword = { status: 403, body: { code: 'wrong_password' } }

/** Half a minute after the code that set it up, which does not count again. */
async function withFactor(username: string): Promise<string> {
  await office.staff(username, 'viewer', [1])
  const { browser } = await signIn(username)
  const { secret } = JSON.parse((await browser.post(`${page}totp/`, { current_password: `${username}-password` })).text)
  t.equal((await browser.post(`${page}totp/confirm/`, { code: codeOf(secret) })).status, 200)
  now = new Date(now.getTime() + 30_000)
  return secret
}

t.test('a sign-in', async (t) => {
  await office.staff('anna', 'viewer', [1])
  t.equal((await whileChanged('anna', () => signIn('anna'))).answer.status, 401)
  t.same(await left('anna'), nothing)
})

t.test('the first step of a sign-in with a second factor', async (t) => {
  await withFactor('boris')
  t.equal((await whileChanged('boris', () => signIn('boris'))).answer.status, 401)
  t.same(await left('boris'), nothing)
})

t.test('its second step', async (t) => {
  const secret = await withFactor('vera')
  const { browser, answer } = await signIn('vera')
  const challenge = /name="challenge" value="(\w+)"/.exec(answer.text)![1]!
  const sent = () => browser.post('/admin/second_factor/', { challenge, code: codeOf(secret) })
  t.equal((await whileChanged('vera', sent)).status, 401)
  t.same(await left('vera'), nothing)
})

t.test('an API token', async (t) => {
  const gleb = await office.staff('gleb', 'viewer', [1])
  const body = { current_password: 'gleb-password', name: 'x', scopes: ['read'] }
  const made = await whileChanged<Answer>('gleb', () => gleb.post('/admin/settings/tokens/', body))
  t.match(made, { status: 403, body: { code: 'wrong_password' } })
  t.same(await left('gleb'), nothing)
})

t.test('another new password, by who knows the old one only', async (t) => {
  const dina = await office.staff('dina', 'viewer', [1])
  const body = { current_password: 'dina-password', password: 'a password of the thief' }
  const changed = await whileChanged<Answer>('dina', () => dina.post('/admin/account/password/', body))
  t.match(changed, { status: 403, body: { code: 'wrong_password' } })
  t.same(await left('dina'), nothing)
})

t.test('another new password, in a browser, which gets no session by it', async (t) => {
  await office.staff('egor', 'viewer', [1])
  const { browser } = await signIn('egor')
  const body = { current_password: 'egor-password', password: 'a password of the thief' }
  t.equal((await whileChanged('egor', () => browser.post(`${page}password/`, body))).status, 403)
  t.same(await left('egor'), nothing)
})

t.test('the secret of an application', async (t) => {
  const zoya = await office.staff('zoya', 'viewer', [1])
  const sent = { current_password: 'zoya-password' }
  t.match(await whileChanged<Answer>('zoya', () => zoya.post(`${page}totp/`, sent)), wrongPassword)
  t.same(await factorsOf('zoya'), noFactors)
})

t.test('its first code', async (t) => {
  const igor = await office.staff('igor', 'viewer', [1])
  const { secret } = (await igor.post(`${page}totp/`, { current_password: 'igor-password' })).body
  const sent = { code: codeOf(secret) }
  const confirmed = await whileChanged<Answer>('igor', () => igor.post(`${page}totp/confirm/`, sent))
  t.match(confirmed, { status: 400, body: { code: 'not_proposed' } })
  t.same(await factorsOf('igor'), noFactors)
})

t.test('what a passkey is made of', async (t) => {
  const klara = await office.staff('klara', 'viewer', [1])
  const sent = { current_password: 'klara-password' }
  t.match(await whileChanged<Answer>('klara', () => klara.post(`${page}passkeys/options/`, sent)), wrongPassword)
  t.same(await factorsOf('klara'), noFactors)
})

/** A caller, and the answer of a new passkey to options that were got with the first password. */
async function withPasskeyAnswer(username: string) {
  const caller = await office.staff(username, 'viewer', [1])
  const { options } = (await caller.post(`${page}passkeys/options/`, { current_password: `${username}-password` })).body
  return { caller, sent: { name: 'key', response: new Authenticator('http://billing.example').create(options) } }
}

t.test('a passkey', async (t) => {
  const { caller, sent } = await withPasskeyAnswer('lidia')
  const added = await whileChanged<Answer>('lidia', () => caller.post(`${page}passkeys/`, sent))
  t.match(added, { status: 400, body: { code: 'refused_passkey' } })
  t.same(await factorsOf('lidia'), noFactors)
})

t.test('a passkey by the session that set the new password', async (t) => {
  const { caller, sent } = await withPasskeyAnswer('marta')
  const passwords = { current_password: 'marta-password', password: 'the newest password' }
  t.equal((await caller.post(`${page}password/`, passwords)).status, 200)
  const added = await caller.post(`${page}passkeys/`, sent)
  t.match(added, { status: 400, body: { code: 'refused_passkey' } }, 'the challenge belonged to the old password')
})

t.test('recovery codes', async (t) => {
  const secret = await withFactor('nina')
  const { browser, answer } = await signIn('nina')
  const challenge = /name="challenge" value="(\w+)"/.exec(answer.text)![1]!
  t.equal((await browser.post('/admin/second_factor/', { challenge, code: codeOf(secret) })).status, 302)
  const before = await factorsOf('nina')
  t.equal(before.codes.length, 10)
  const renew = () => browser.post(`${page}recovery_codes/`, { current_password: 'nina-password' })
  t.equal((await whileChanged('nina', renew)).status, 403)
  t.same(await factorsOf('nina'), before)
})

t.test('the end of a second factor', async (t) => {
  const secret = await withFactor('oleg')
  const { browser, answer } = await signIn('oleg')
  const challenge = /name="challenge" value="(\w+)"/.exec(answer.text)![1]!
  t.equal((await browser.post('/admin/second_factor/', { challenge, code: codeOf(secret) })).status, 302)
  const before = await factorsOf('oleg')
  now = new Date(now.getTime() + 30_000)
  const takeAway = () => browser.delete(`${page}totp/`, { current_password: 'oleg-password', code: codeOf(secret) })
  t.equal((await whileChanged('oleg', takeAway)).status, 403)
  t.same(await factorsOf('oleg'), before)
})
