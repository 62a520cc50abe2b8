import t from 'tap'
import { fetch } from '../support/published.ts'
import { type Answer, type Caller, type Json, openOffice } from './admin-office.ts'

/** Two who do the same at one moment: one of them has it, the other is told so, and nothing is done twice. */
const office = await openOffice(t)
const root = await office.staff('root')
const tarif = (await root.post('/rest_api/v2/Tarif/', { name: 'Home', price: 0 })).body.id
const other = (await root.post('/rest_api/v2/Tarif/', { name: 'Other', price: 0 })).body.id
const service = (await root.post('/rest_api/v2/Usluga/', { name: 'Television', price: 0 })).body.id

const atOnce = 8
const together = <T>(work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: atOnce }, (_, n) => work(n)))
const number = async (text: string): Promise<number> =>
  Number((await office.rows(`SELECT count(*) FROM ${text}`))[0].count)
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort()
const oneOf = (good: number, bad: number): number[] => [good, ...Array.from({ length: atOnce - 1 }, () => bad)]

async function keyed(caller: Caller, path: string, key: string, body: object): Promise<Answer> {
  const response = await fetch(caller.base + path, {
    method: 'POST',
    headers: { ...caller.headers, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Json }
}

const create = '/admin/Abonents/create/'

t.test('a number, a login and an address are given to one', async (t) => {
  const person = (n: number) => ({ name: `Client ${n}`, contract_number: 'A-1', tarif })
  const numbers = await together((n) => root.post(create, person(n)))
  t.same(statuses(numbers), oneOf(200, 400))
  const logins = await together((n) =>
    root.post(create, { name: `Client ${n}`, login: { login: 'same', ip: '10.0.0.9' } }),
  )
  t.same(statuses(logins), oneOf(200, 400))
  const proposed = await together((n) => root.post(create, { name: `Client ${n}`, login: {} }))
  t.same(
    statuses(proposed),
    Array.from({ length: atOnce }, () => 200),
  )
  t.equal(new Set(proposed.map(({ body }) => body.abonent.contract_number)).size, atOnce)
  const { id } = proposed[0]!.body.abonent
  const given = await together(() =>
    root.post('/admin/Abonents/logins_crud/', { abonent_id: id, login: 'one', ip: '10.0.0.8' }),
  )
  t.same(statuses(given), oneOf(200, 400))
})

t.test('one who comes by REST at the same moment is a refusal too', async (t) => {
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([
      root.post('/rest_api/v2/Abonents/', { name: 'By REST', contract_number: `R-${round}` }),
      root.post(create, { name: 'By form', contract_number: `R-${round}` }),
      root.post(create, { name: 'By form', contract_number: `F-${round}`, login: { login: `line-${round}` } }),
      root.post('/rest_api/v2/Users/', { abonent: 1, login: `line-${round}`, password: 'x' }),
    ])
    for (const { status, body } of answers) t.ok([200, 201, 400].includes(status), JSON.stringify(body))
    const [, byNumber, byLogin] = answers
    if (byNumber?.status === 400) t.match(byNumber.body.codes, { contract_number: 'taken' })
    if (byLogin?.status === 400) t.match(byLogin.body.codes, { 'login.login': 'taken' })
    t.equal(await number(`abonents WHERE contract_number = 'R-${round}'`), 1)
    t.equal(await number(`users WHERE login = 'line-${round}'`), 1)
  }
})

t.test('a request that comes several times under one key is carried out once', async (t) => {
  const made = await together(() => keyed(root, create, 'new', { name: 'Once', login: {}, payment: { amount: '5' } }))
  t.same(new Set(made.map(({ status, body }) => `${status} ${body.abonent?.id} ${body.login?.password}`)).size, 1)
  t.equal(await number(`abonents WHERE name = 'Once'`), 1)
  t.equal((await keyed(root, create, 'new', { name: 'Twice' })).status, 409)
  const { id } = made[0]!.body.abonent
  const planned = await together(() =>
    keyed(root, `/admin/Abonents/tariff/${id}/`, 'plan', { tarif, when: 'next_month' }),
  )
  t.same(
    statuses(planned),
    Array.from({ length: atOnce }, () => 200),
  )
  const changed = await together((n) =>
    root.post(`/admin/Abonents/tariff/${id}/`, { tarif: n % 2 ? tarif : other, when: 'now' }),
  )
  for (const { status, body } of changed) t.ok(status === 200 || body.code === 'tariffSame', JSON.stringify(body))
  const served = await together(() =>
    keyed(root, '/admin/Abonents/users_usluga_crud/', 'give', { abonent_id: id, usluga_id: service }),
  )
  t.equal(new Set(served.map(({ status, body }) => `${status} ${body.id}`)).size, 1)
  t.equal(await number(`users_uslugas WHERE abonent_id = ${id}`), 1)
  const runs = await together(() => keyed(root, '/admin/Abonents/block_many/', 'block', { on: true, ids: [id] }))
  t.equal(new Set(runs.map(({ status, body }) => `${status} ${body.run?.id}`)).size, 1)
  t.equal(await number('staff_runs'), 1)
})

t.test('an address is in the tree once', async (t) => {
  const homes = '/admin/dictionary/homes_crud/'
  const cities = await together(() => root.post(homes, { kind: 'city', name: 'Tver' }))
  t.same(statuses(cities), oneOf(200, 400))
  const parent = cities.find(({ status }) => status === 200)!.body.id
  const streets = await together(() => root.post(homes, { kind: 'street', name: 'Mira', parent }))
  t.same(statuses(streets), oneOf(200, 400))
})
