import t from 'tap'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'viewer', [2])

const create = async (model: string, body: object): Promise<Json> => {
  const made = await root.post(`/rest_api/v2/${model}/`, body)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body
}
const abonent = await create('Abonents', { name: 'Ivan', contract_number: '1' })
const [ivan, second] = [
  await create('Users', { abonent: abonent.id, login: 'ivan', password: 'x' }),
  await create('Users', { abonent: abonent.id, login: 'ivan-2', password: 'x' }),
]
const { counter } = office.traffic
const nowMs = office.clock.now().getTime()
const hourMs = 3_600_000
counter.count(ivan.id, nowMs - hourMs, nowMs, 3_600n, 7_200n)
counter.count(second.id, nowMs - hourMs, nowMs, 0n, 2n ** 53n)
await counter.flush()

const ask = (query: Record<string, string | number>, caller: Caller = root) =>
  caller.get(`/admin/radius/usage/?${new URLSearchParams(query as Record<string, string>)}`)
const total = (body: Json, of: 'in' | 'out') =>
  body.points.reduce((sum: bigint, point: Json) => sum + BigInt(point[of]), 0n)
const hoursAgo = (hours: number) => new Date(nowMs - hours * hourMs).toISOString()

t.test('a login, or all logins of a subscriber, by time', async (t) => {
  const { status, body } = await ask({ login: 'ivan', from: hoursAgo(2) })
  t.equal(status, 200)
  t.match(body, { ok: true, step: '5m' })
  t.ok(body.points.length === 25 || body.points.length === 26, 'every step of the time')
  t.same([total(body, 'in'), total(body, 'out')], [3_600n, 7_200n])
  const middle = body.points[18]
  // A twelfth of the hour, but for an octet that goes to the step before or after: where the steps begin is chance.
  t.ok(Math.abs(middle.in - 300) <= 1 && Math.abs(middle.out - 600) <= 1, `${middle.in} and ${middle.out}`)
  t.equal(Date.parse(middle.at) % 300_000, 0)
  for (const step of ['5m', 'hour', 'day']) {
    const all = (await ask({ abonent: abonent.id, step })).body
    t.equal(all.step, step)
    t.same([total(all, 'in'), total(all, 'out')], [3_600n, 7_200n + 2n ** 53n], step)
  }
  const large = (await ask({ login: 'ivan-2', step: 'day' })).body.points.filter((point: Json) => point.out !== 0)
  t.ok(
    large.every(({ out }: Json) => typeof out === 'string' || out < 2 ** 53),
    'digits beyond 2^53',
  )
})

t.test('a day as `to` is included, and a moment without an offset is of TIME_ZONE', async (t) => {
  const at = new Date(nowMs + 3 * hourMs).toISOString()
  const [today, time] = [at.slice(0, 10), at.slice(0, 19)]
  const whole = (await ask({ login: 'ivan', from: today, to: today, step: 'hour' })).body
  t.equal(whole.points[0].at, new Date(Date.parse(`${today}T00:00:00+03:00`)).toISOString())
  const named = (await ask({ login: 'ivan', from: hoursAgo(1), to: time, step: '5m' })).body
  t.ok(named.points.length === 12 || named.points.length === 13)
  const days = (await ask({ login: 'ivan', from: new Date(nowMs - 40 * 24 * hourMs).toISOString() })).body
  t.equal(days.step, 'hour', 'the shortest that suits')
  t.match((await ask({ login: 'ivan', from: new Date(nowMs - 300 * 24 * hourMs).toISOString() })).body, { step: 'day' })
})

t.test('what cannot be answered is refused in words', async (t) => {
  const refusals: [Record<string, string | number>, number, string | RegExp][] = [
    [{}, 400, 'name_one'],
    [{ login: 'ivan', abonent: abonent.id }, 400, 'name_one'],
    [{ login: 'ivan', from: hoursAgo(-1) }, 400, 'empty_period'],
    [{ login: 'ivan', from: hoursAgo(1), to: hoursAgo(2) }, 400, 'empty_period'],
    [{ login: 'ivan', from: hoursAgo(100), step: '5m' }, 400, 'too_old'],
    [{ login: 'ivan', from: '2001-01-01', step: 'day' }, 400, 'too_old'],
    [{ login: 'ivan', from: '0001-01-02' }, 400, 'too_old'],
  ]
  for (const [query, status, code] of refusals)
    t.match(await ask(query), { status, body: { ok: false, code, error: String } }, JSON.stringify(query))
  for (const query of [{ login: 'ivan', step: 'month' }, { abonent: 'x' }, { login: 'ivan', from: 'yesterday' }])
    t.match(await ask(query), { status: 400, body: { ok: false, error: /It must/ } }, JSON.stringify(query))
  for (const query of [{ login: 'nobody' }, { abonent: 987_654 }]) t.equal((await ask(query)).status, 404)
})

t.test('a subscriber of another organization is as one that does not exist', async (t) => {
  for (const query of [{ login: 'ivan' }, { abonent: abonent.id }])
    t.same(await ask(query, north), await ask({ login: 'nobody' }, north))
  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [abonent.id])
  t.equal((await ask({ login: 'ivan' }, north)).status, 200)
})

t.test('a subscriber with very many logins is asked for by login', async (t) => {
  await office.rows(
    `INSERT INTO users (abonent_id, login, password) SELECT $1, 'many-' || n, 'x' FROM generate_series(1, 50) n`,
    [abonent.id],
  )
  t.match(await ask({ abonent: abonent.id }), { status: 400, body: { code: 'too_many_logins' } })
  t.equal((await ask({ login: 'many-7' })).status, 200)
})
