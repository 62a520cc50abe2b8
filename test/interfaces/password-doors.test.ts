import t from 'tap'
import { confirmPassword, type KnownLogin, signInClient } from '../../src/billing/clients/credentials.ts'
import { systemClock } from '../../src/platform/actors/clock.ts'
import { PasswordTries } from '../../src/platform/passwords/tries.ts'
import { plantClient } from '../support/clients.ts'
import { fetch } from '../support/published.ts'
import { Browser, openPortal, password, plantIvan } from './portal/fixture.ts'

const fixture = await openPortal(t, { env: { TOLLGATE_TRUST_PROXY: '127.0.0.0/8' } })
await plantIvan(fixture)
const { database, secrets, base } = fixture

const from = (address: string) => ({ 'X-Forwarded-For': address })

/** The status of a sign-in at the portal. */
async function atPortal(name: string, secret: string, address: string): Promise<number> {
  const browser = new Browser(base)
  await browser.get('/lk/login/')
  return (await browser.post('/lk/login/', { contract: name, password: secret }, { headers: from(address) })).status
}

/** The status of a sign-in of a phone. */
async function byPhone(name: string, secret: string, address: string): Promise<number> {
  const response = await fetch(`${base}/mobile-api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...from(address) },
    body: JSON.stringify({ contract: name, password: secret }),
  })
  return response.status
}

t.test('a client is guessed five times, whatever the name and the door', async (t) => {
  const address = '203.0.113.1'
  const wrong = [
    await atPortal('42', 'guess 1', address),
    await atPortal('0042', 'guess 2', address),
    await byPhone('000042', 'guess 3', address),
    await byPhone('ivan', 'guess 4', address),
    await atPortal('tv', 'guess 5', address),
  ]
  t.strictSame(wrong, [401, 401, 401, 401, 401])
  for (const name of ['42', '000042', 'ivan']) {
    t.equal(await atPortal(name, password, address), 429, name)
    t.equal(await byPhone(name, password, address), 429, name)
  }
  t.equal(await byPhone('tv', 'other-secret', address), 429)
  t.equal(await atPortal('42', password, '203.0.113.2'), 302, 'the client himself, from elsewhere')
})

t.test('a spray over 300 contracts is stopped, and who is known behind the same NAT gets in', async (t) => {
  const address = '203.0.113.3'
  for (let n = 0; n < 5; n++) await plantClient(database, `5000${n}`, [[`spray${n}`, 'right-one']], secrets)
  t.equal(await atPortal('50000', 'right-one', address), 302)
  t.equal(await byPhone('50001', 'right-one', address), 200)
  const statuses: number[] = []
  for (let n = 0; n < 300; n++) {
    const contract = String(50_000 + n)
    statuses.push(await (n % 2 ? atPortal : byPhone)(contract, 'password1', address))
  }
  t.equal(statuses.filter((status) => status === 401).length, 30)
  t.equal(statuses.filter((status) => status === 429).length, 270)
  t.equal(await byPhone('50002', 'right-one', address), 429, 'a stranger at this address waits')
  t.equal(await atPortal('50000', 'right-one', address), 302, 'whom the portal knows there')
  t.equal(await byPhone('spray0', 'right-one', address), 200, 'also by another name and on a phone')
  t.equal(await atPortal('spray1', 'right-one', address), 302, 'whom a phone signed in')
  t.equal(await byPhone('50002', 'right-one', '203.0.113.4'), 200)
})

t.test('a spray from one site of IPv6 is stopped', async (t) => {
  let checked = 0
  for (let n = 0; n < 300; n++) {
    const address = `2001:db8:5:${n.toString(16)}::1`
    if ((await byPhone(`6000${n}`, 'password1', address)) === 401) checked++
  }
  t.equal(checked, 100)
  t.equal(await byPhone('50003', 'right-one', '2001:db8:6::1'), 200, 'not another one')
})

t.test('who has a session from an address is known there after a restart', async (t) => {
  const address = '203.0.113.6'
  await plantClient(database, '70000', [['restarted', 'right-one']], secrets)
  await plantClient(database, '70001', [['strange', 'right-one']], secrets)
  t.equal(await byPhone('restarted', 'right-one', address), 200)
  // Nothing is in memory, as after a restart.
  const tries = new PasswordTries({ clock: systemClock })
  const parts = { ...fixture, pool: database.pool, tries }
  const signIn = (name: string, secret: string) => signInClient(parts, { entrance: 'portal', address }, name, secret)
  for (let n = 0; n < 30; n++) await signIn(`invented ${n}`, 'password1')
  t.match(await signIn('strange', 'right-one'), { kind: 'throttled' })
  const made = await signIn('70000', 'right-one')
  t.match(made, { kind: 'made', result: { loginId: Number } })
  const client = (made as { result: KnownLogin }).result
  const elsewhere = { ...parts, tries: new PasswordTries({ clock: systemClock }) }
  for (let n = 0; n < 30; n++) await signInClient(elsewhere, { entrance: 'portal', address }, `invented ${n}`, 'x')
  const confirmed = await confirmPassword(elsewhere, client, address, 'right-one')
  t.match(confirmed, { kind: 'made', result: client }, 'who is signed in is known without having signed in since')
})

t.test('guesses at a change of password and at the sign-in count together', async (t) => {
  const address = '203.0.113.5'
  const browser = new Browser(base)
  await browser.get('/lk/login/')
  await browser.post('/lk/login/', { contract: '50004', password: 'right-one' }, { headers: from(address) })
  const change = (current: string) =>
    browser.post(
      '/lk/password/',
      { current_password: current, new_password: 'a new secret', confirm_password: 'a new secret' },
      { headers: from(address) },
    )
  for (let n = 0; n < 3; n++) t.equal((await change(`guess ${n}`)).status, 400)
  for (let n = 0; n < 2; n++) t.equal(await byPhone('50004', `guess ${n}`, address), 401)
  t.equal((await change('right-one')).status, 429)
  t.equal(await byPhone('50004', 'right-one', address), 429)
})
