import t from 'tap'
import { systemAuthor } from '../../src/domain/author.ts'
import type { BlockReason } from '../../src/domain/block.ts'
import { subscriberId } from '../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../src/platform/actors/clock.ts'
import { Client, secret } from '../network/radius/fixture.ts'
import { FakeNas } from '../support/nas.ts'
import { openProgram } from '../support/opened-program.ts'
import { fetch } from '../support/published.ts'
import type { Json } from '../support/program.ts'
import { ruble, simulateNas } from '../support/provider.ts'
import { until } from '../support/until.ts'

let laterMs = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + laterMs) }
const program = await openProgram(t, {}, clock)
const { database, radius, subscribers, sessions } = program.parts
const rows = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await database.pool.query(text, values)).rows

const simulated = await simulateNas(program, '127.0.0.41')
t.teardown(() => simulated.stop())
/** It answers each Disconnect: of one that is silent a slow machine is told when the time for an answer is over. */
const nasAt = async (name: string, ip: string): Promise<Json> => {
  const listener = await FakeNas.start({ ip, answer: () => ({ nak: 503 }) })
  t.teardown(() => listener.close())
  Object.assign(listener.entry, { secret })
  return program.create('Nas', { name, ip, secret, nas_type: 'mikrotik', coa_port: listener.entry.coaPort })
}
const nas = await nasAt('bras', '127.0.0.1')
const other = await nasAt('other', '127.0.0.2')
const asker = async (address: string) => {
  const client = await Client.open(radius, address)
  t.teardown(() => client.close())
  return client
}
const client = await asker('127.0.0.1')
const otherNas = await asker('127.0.0.2')

const tarif = await program.create('Tarif', { name: 'Home', price: 0, speed_mbit: 100 })
const garden = await program.create('Tarif', { name: 'Garden', price: 0, speed_mbit: 100, walled_garden: true })
const pool = await program.create('IpPull', { name: 'small', network: '10.7.0.0/30', gateway: '10.7.0.1' })
const people: Record<string, Json> = {}
const make = async (login: string, of = tarif, more: object = {}) => {
  people[login] = await program.createLogin(login, of, more)
  return people[login]
}
const station = (number: number): [string, unknown] => ['Calling-Station-Id', `AA-BB-CC-00-00-0${number}`]
const rejected = async (login: string, password = 'word') => {
  const { code } = await client.pap(login, password, [station(1)])
  if (code !== 'Access-Reject') throw new Error(`${login}: ${code}`)
}
const setBlock = (login: string, reason: Exclude<BlockReason, 'debt'>) =>
  subscribers.ask(
    { kind: 'setBlock', subscriberId: subscriberId(people[login].id), reason, on: true },
    systemAuthor('night watch'),
  )
const spend = (login: string) =>
  program.create('FinanceOperations', { account: people[login].account, op_type: 9, op_summa: ruble })
const why = async (login: string, language = 'en'): Promise<Json> => {
  const response = await fetch(`${program.address.http}/admin/Abonents/why/${people[login].id}/`, {
    headers: { 'X-Session-Hash': program.session, 'Accept-Language': language },
  })
  return { status: response.status, ...((await response.json()) as object) }
}
const linkOf = ({ chain }: Json, code: string): Json => chain.find((link: Json) => link.code === code)
const logged = async (login: string) =>
  until(async () => (await rows('SELECT FROM radius_auth_log WHERE login = $1', [login])).length > 0)

t.test('nobody has been heard: the way to us is looked at', async (t) => {
  await make('fresh')
  t.match(await why('fresh'), { access: 'open', verdict: { code: 'nas_silent', text: 'Every NAS is silent.' } })
  t.equal((await client.pap('fresh', 'word')).code, 'Access-Accept')
  const { verdict, chain } = await why('fresh')
  t.equal(verdict.code, 'offline_open', 'once a NAS is heard, only the client is missing')
  t.strictSame(
    chain.map(({ code, ok }: Json) => [code, ok]),
    [
      ...['subscriber', 'account', 'blocks', 'login'].map((code) => [code, true]),
      ...['nas', 'request', 'session', 'disconnect'].map((code) => [code, null]),
    ],
  )
  const stranger = await asker('127.0.0.9')
  stranger.send(
    stranger.access([
      ['User-Name', 'fresh'],
      ['User-Password', 'word'],
    ]),
  )
  await until(async () => (await why('fresh')).verdict.code === 'nas_unknown')
  const heard = await why('fresh')
  t.match(heard.verdict, { text: /never connected.*127\.0\.0\.9 are dropped.*may be why/ }, 'a guess is told as one')
  t.match(linkOf(heard, 'nas'), { ok: false, text: /127\.0\.0\.9/, link: '/admin/network/nas/' })
})

t.test('access that is closed is named by its reason', async (t) => {
  for (const login of ['debtor', 'operator', 'client', 'system', 'asleep', 'deleted', 'disabled']) await make(login)
  await spend('debtor')
  await setBlock('operator', 'operator')
  await setBlock('client', 'client')
  await setBlock('system', 'system')
  await program.rest('POST', `/admin/Abonents/accounts_crud/${people.asleep.account}/`, { sleep_date: '2099-01-01' })
  const [{ id }] = await rows(`SELECT id FROM users WHERE login = 'disabled'`)
  await program.rest('PATCH', `/rest_api/v2/Users/${id}/`, { enabled: false })
  await program.rest('DELETE', `/rest_api/v2/Abonents/${people.deleted.id}/`)
  const expected = {
    debtor: 'blocked_debt',
    operator: 'blocked_operator',
    client: 'blocked_client',
    system: 'blocked_system',
    asleep: 'asleep',
    deleted: 'deleted',
    disabled: 'login_disabled',
  } as const
  for (const [login, code] of Object.entries(expected)) {
    // The write is on its way to the access table.
    await until(async () => (await client.pap(login, 'word', [station(1)])).code === 'Access-Reject')
    const answer = await why(login)
    t.match(answer, { access: 'closed', verdict: { code } }, login)
    t.match((await why(login, 'ru')).verdict, { code, text: /[а-я]/i }, 'in Russian too')
  }
  await logged('debtor')
  // As many answers as there are NAS.
  const answered = `SELECT FROM coa_requests WHERE login = 'debtor'`
  await until(async () => (await rows(answered)).length === 3)
  t.match(linkOf(await why('operator'), 'blocks'), {
    ok: false,
    text: 'Blocked by an operator',
    by: 'night watch',
    at: /^20/,
  })
  const debtor = await why('debtor')
  t.match(linkOf(debtor, 'account'), {
    ok: false,
    text: /1\.00/,
    link: `/admin/subscribers/${people.debtor.id}/money/`,
  })
  t.match(linkOf(debtor, 'request'), { ok: false, text: /negative balance/, by: 'aa:bb:cc:00:00:01' })
  t.match(linkOf(debtor, 'disconnect'), { ok: null, text: 'Disconnect: there was no such session' })
  t.equal((await why('debtor', 'ru')).verdict.text, 'Доступ закрыт: отрицательный баланс.')
})

t.test('in the garden, and without a login', async (t) => {
  await make('gardener', garden)
  await spend('gardener')
  await until(async () => (await why('gardener')).verdict.code === 'garden')
  t.equal((await client.pap('gardener', 'word')).code, 'Access-Accept')
  t.match(await why('gardener'), { access: 'garden', verdict: { code: 'garden' } })
  people.nobody = await program.create('Abonents', { name: 'nobody', contract_number: 'nobody', tarif: tarif.id })
  t.match(await why('nobody'), { access: 'closed', verdict: { code: 'no_login' } })
})

t.test('a password, a login, a second session and a pool', async (t) => {
  for (const login of ['mistaken', 'misspelled', 'twice', 'online']) await make(login)
  for (const login of ['first', 'late']) await make(login, tarif, { pool: pool.id })
  await rejected('mistaken', 'wrong')
  await rejected('mispelled')
  await rejected('online', 'wrong')
  t.match(await simulated.signIn('online', 'word', 'aabb.cc00.0003'), { kind: 'accepted' })
  t.match(await simulated.signIn('twice', 'word', 'aabb.cc00.0004'), { kind: 'accepted' })
  t.match(await simulated.signIn('first', 'word', 'aabb.cc00.0005'), { kind: 'accepted' })
  await until(() => sessions.liveOf('twice').length === 1 && sessions.liveOf('first').length === 1)
  await rejected('twice')
  await rejected('late')
  await Promise.all(['mistaken', 'mispelled', 'twice', 'late', 'online'].map(logged))
  t.match(await why('mistaken'), { access: 'open', verdict: { code: 'wrong_password' } })
  const [{ id }] = await rows(`SELECT id FROM users WHERE login = 'mistaken'`)
  await program.rest('PATCH', `/rest_api/v2/Users/${id}/`, { password: 'another' })
  t.match(await why('mistaken'), { verdict: { code: 'offline_open' } }, 'a new password has not been tried yet')
  await rejected('mistaken', 'wrong again')
  const misspelled = await why('misspelled')
  t.match(misspelled.verdict, { code: 'unknown_login_seen', text: /“mispelled”/ })
  t.match(linkOf(misspelled, 'request'), { ok: false, link: '/admin/network/log/?login=mispelled' })
  t.match(await why('twice'), { access: 'open', verdict: { code: 'too_many_sessions' } })
  t.match(await why('late'), { access: 'open', verdict: { code: 'no_free_address' } })
  const online = await why('online')
  t.match(online, { access: 'open', verdict: { code: 'online', text: 'Online through nas 127.0.0.41.' } })
  t.match(linkOf(online, 'session'), { ok: true, by: 'aa:bb:cc:00:00:03' })
  t.match(linkOf(online, 'nas'), { ok: true })
  t.match(linkOf(online, 'request'), { ok: null, text: 'Rejected before this session: wrong password' })
})

t.test('a NAS with another secret, one that is switched off, and one that has fallen silent', async (t) => {
  for (const login of ['secret', 'gone']) {
    await make(login)
    await otherNas.pap(login, 'wrong')
    await logged(login)
    t.equal((await why(login)).verdict.code, 'wrong_password')
  }
  for (let n = 0; n < 3; n++)
    otherNas.send(
      otherNas.access(
        [
          ['User-Name', 'secret'],
          ['User-Password', 'word'],
        ],
        { secret: 'another one' },
      ),
    )
  await until(async () => (await why('secret')).verdict.code === 'nas_wrong_secret')
  t.match(linkOf(await why('secret'), 'nas'), { ok: false, link: `/admin/network/nas/${other.id}/` })
  await program.rest('PATCH', `/rest_api/v2/Nas/${other.id}/`, { enabled: false })
  await until(async () => (await why('gone')).verdict.code === 'nas_unknown')
  t.notMatch((await why('gone')).verdict.text, /127\.0\.0\.9/, 'the unknown address is somebody else')
  laterMs = 3_600_000
  t.match((await why('late')).verdict, { code: 'no_free_address' })
  t.match((await why('mistaken')).verdict, { code: 'nas_silent', text: `${nas.name} is silent.` })
})

t.test('who is not there, and who is of another organization', async (t) => {
  t.equal((await program.rest('GET', '/admin/Abonents/why/999999/')).status, 404)
  t.equal((await program.rest('GET', '/admin/Abonents/why/x/')).status, 404)
  const { body } = await program.rest('GET', `/admin/Abonents/why/${people.deleted.id}/?language=en`)
  t.equal(body.verdict.text, 'The subscriber is deleted.', 'in the language that is asked for')
  t.equal((await program.rest('GET', `/admin/Abonents/why/${people.deleted.id}/?language=fr`)).status, 400)
})
