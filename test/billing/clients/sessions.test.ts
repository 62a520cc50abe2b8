import t from 'tap'
import { PhoneSessions, phoneTerms } from '../../../src/billing/clients/phone-sessions.ts'
import { PortalSessions, portalTerms } from '../../../src/billing/clients/portal-sessions.ts'
import { loginId } from '../../../src/domain/ids.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { plantClient, provenLoginOf } from '../../support/clients.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

async function open() {
  const database = await shared.anew()
  const clock = new ManualClock(new Date('2026-11-21T12:00:00Z'))
  const { subscriber, logins } = await plantClient(database, '1', [['ivan', 'x']])
  const login = loginId(logins[0]!)
  const proven = await provenLoginOf(database, login)
  const key = new Uint8Array(32).fill(5)
  const phones = new PhoneSessions({ pool: database.pool, key, clock })
  const portal = new PortalSessions(database.pool, clock)
  const startPhone = async (address: string, userAgent: string) => (await phones.start(proven, address, userAgent))!
  const startPortal = async (address: string, userAgent: string) => (await portal.start(proven, address, userAgent))!
  return { database, clock, subscriber, login, phones, portal, startPhone, startPortal }
}

t.test('a phone: access for 15 minutes, refresh rotates for 30 days', async (t) => {
  const { clock, subscriber, login, phones, startPhone } = await open()
  const first = await startPhone('127.0.0.1', 'phone')
  t.match(await phones.find(first.access), { subscriberId: subscriber, loginId: login })
  clock.advance(phoneTerms.accessSeconds * 1000)
  t.equal(await phones.find(first.access), null, 'run out')
  const second = await phones.refresh(first.refresh)
  if (second.kind !== 'refreshed') throw new Error(second.kind)
  t.match(await phones.find(second.tokens.access), { subscriberId: subscriber })
  clock.advance(phoneTerms.refreshMs)
  t.match(await phones.refresh(second.tokens.refresh), { kind: 'unknown' }, 'after 30 days')
})

t.test('a refresh token that is used twice ends its session', async (t) => {
  const { phones, startPhone } = await open()
  const ended: string[] = []
  phones.onEnd((session) => ended.push(session))
  const first = await startPhone('127.0.0.1', '')
  const second = await phones.refresh(first.refresh)
  if (second.kind !== 'refreshed') throw new Error(second.kind)
  t.match(await phones.refresh(first.refresh), { kind: 'reused' })
  t.equal(ended.length, 1)
  t.equal(await phones.find(second.tokens.access), null, 'the thief and the owner are both out')
  t.match(await phones.refresh(second.tokens.refresh), { kind: 'unknown' })
})

t.test('who knows the id of a session, and no secret of it, does not end it', async (t) => {
  const { phones, startPhone } = await open()
  const { refresh, access } = await startPhone('127.0.0.1', '')
  const other = await startPhone('127.0.0.1', '')
  const [id, secret] = refresh.split('.') as [string, string]
  for (const invented of [
    'A'.repeat(43),
    `${secret.slice(0, 42)}${secret.endsWith('A') ? 'B' : 'A'}`,
    other.refresh.split('.')[1],
  ])
    t.strictSame(await phones.refresh(`${id}.${invented}`), { kind: 'unknown' })
  t.not(await phones.find(access), null)
  t.match(await phones.refresh(refresh), { kind: 'refreshed' })
})

t.test('two refreshes of one token at once give one new token at most', async (t) => {
  const { phones, startPhone } = await open()
  const { refresh } = await startPhone('127.0.0.1', '')
  const kinds = (await Promise.all([phones.refresh(refresh), phones.refresh(refresh)])).map(({ kind }) => kind).sort()
  t.strictSame(kinds, ['refreshed', 'reused'])
})

t.test('foreign and broken tokens and ended sessions are not accepted', async (t) => {
  const { database, clock, login, phones, startPhone } = await open()
  const other = new PhoneSessions({ pool: database.pool, key: new Uint8Array(32).fill(6), clock })
  const { access } = await startPhone('127.0.0.1', '')
  t.equal(await other.find(access), null)
  const [header, , signature] = access.split('.')
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  const claims = Buffer.from('{"sid":"x","exp":9999999999}').toString('base64url')
  for (const bad of ['', 'x', `${none}.${claims}.`, `${header}.${claims}.${signature}`])
    t.equal(await phones.find(bad), null)
  const two = await startPhone('127.0.0.1', '')
  const own = await phones.find(access)
  await phones.endOthers(login, own!.session)
  t.ok(await phones.find(access), 'the phone that changed the password stays')
  t.equal(await phones.find(two.access), null)
  await phones.end(own!.session, 'signed_out')
  t.equal(await phones.find(access), null)
  t.match(await phones.refresh('x'), { kind: 'unknown' })
})

t.test('the portal: sessions slide, end when they are idle, and with the password', async (t) => {
  const { database, clock, subscriber, login, portal, startPortal } = await open()
  const { key, csrfToken } = await startPortal('127.0.0.1', 'browser')
  t.match(await portal.find(key), { client: { subscriberId: subscriber }, csrfToken })
  clock.advance(portalTerms.idleMs - 1000)
  t.ok(await portal.find(key))
  clock.advance(portalTerms.idleMs - 1000)
  t.ok(await portal.find(key), 'each use moves the end ahead')
  clock.advance(portalTerms.idleMs + 1000)
  t.equal(await portal.find(key), null)
  const one = await startPortal('127.0.0.1', '')
  const two = await startPortal('127.0.0.1', '')
  const session = (await portal.find(one.key))!
  await portal.find(two.key)
  await portal.endOthers(login, session.client.session)
  t.ok(await portal.find(one.key))
  t.equal(await portal.find(two.key), null)
  await portal.end(session)
  t.equal(await portal.find(one.key), null)
  const three = await startPortal('127.0.0.1', '')
  await database.pool.query('UPDATE abonents SET deleted = true')
  t.equal(await portal.find(three.key), null, 'a deleted subscriber is out')
})
