import t from 'tap'
import { Countings } from '../../src/interfaces/admin/countings.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { fetch } from '../support/published.ts'
import { untilAnswer } from '../support/until.ts'
import { type Json, openOffice } from './admin-office.ts'

/** What takes long over a million rows keeps no screen waiting: it is asked again until it is there. */
const office = await openOffice(t)
const root = await office.staff('root')
const { body: client } = await root.post('/rest_api/v2/Abonents/', { name: 'Anna', contract_number: '1' })
const headers = { ...root.headers, Prefer: 'respond-async' }
const ask = async (path: string) => {
  const response = await fetch(root.base + path, { headers })
  return { status: response.status, body: await response.json() }
}

const doors: Readonly<Record<string, readonly string[]>> = {
  finance_operations: [
    '/admin/reports/movements/',
    '/admin/reports/money/?from=2026-11-01&to=2026-11-30',
    '/admin/reports/subscribers/',
    '/admin/Abonents/finops_search/?q=4711',
    '/admin/Abonents/finops_fiscal_queue/?state=done',
    `/admin/Abonents/log/${client.id}/`,
  ],
  admin_accounts: ['/admin/reports/debts/'],
  radius_auth_log: ['/admin/radius/log/', '/admin/radius/log/reasons/', '/admin/radius/log/unknown/'],
  mailings: ['/admin/messages/mailing/'],
  coa_requests: ['/admin/radius/coa/?nas=7'],
  abonents: ['/admin/search/?q=Anna', `/admin/Abonents/why/${client.id}/`, `/admin/Abonents/services/${client.id}/`],
}

for (const [table, paths] of Object.entries(doors))
  t.test(`of ${table}`, async (t) => {
    const holder = await office.database.pool.connect()
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    const first = await Promise.all(paths.map(ask))
    await holder.query('COMMIT')
    holder.release()
    for (const [at, path] of paths.entries()) {
      t.same(first[at], { status: 202, body: { ok: true, counted: 0 } }, path)
      const answer = await untilAnswer(
        () => ask(path),
        ({ status }) => status !== 202,
      )
      t.same(answer, { status: 200, body: (await root.get(path)).body }, path)
    }
  })

t.test('every GET that answers with JSON alone may be asked so', async (t) => {
  const { body: document } = await root.get('/admin/api/openapi.json')
  const others: string[] = []
  for (const [path, { get }] of Object.entries<Json>(document.paths)) {
    const types = Object.keys(get?.responses[200]?.content ?? {})
    if (!path.startsWith('/admin/') || types.join() !== 'application/json') continue
    const prefers = get.parameters?.some(({ name }: Json) => name === 'Prefer')
    if (!prefers || !get.responses[202]) others.push(path)
  }
  t.same(others, ['/admin/api/openapi.json'], 'but the description, which is made of nothing that is stored')
})

const call = (headers: Readonly<Record<string, string>>, soFarMs = 0) =>
  ({
    startedMs: performance.now() - soFarMs,
    path: '/list',
    body: Buffer.from(''),
    staff: { id: 1, organizations: null },
    header: (name: string) => (name === 'prefer' ? 'respond-async' : (headers[name] ?? '')),
  }) as never

t.test('what a count does at once is part of the wait', async (t) => {
  const clock = new ManualClock(new Date())
  const { status } = await new Countings(clock).answer(call({}), () => {
    clock.advance(40)
    return new Promise<never>(() => {})
  })
  t.equal(status, 202)
})

t.test('so is what came before it', async (t) => {
  const clock = new ManualClock(new Date())
  const answer = new Countings(clock).answer(call({}, 30), () => new Promise<never>(() => {}))
  clock.advance(10)
  t.equal((await answer).status, 202)
})

t.test('a count is shared by nobody whose answer may be another one', async (t) => {
  const clock = new ManualClock(new Date())
  const countings = new Countings(clock)
  let begun = 0
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const answer = countings.answer(call(headers), () => {
      begun++
      return new Promise<never>(() => {})
    })
    clock.advance(40)
    return (await answer).status
  }
  const askers = [
    { cookie: 'sessionid=1' },
    { cookie: 'sessionid=2' },
    { cookie: 'sessionid=1', 'accept-language': 'ru' },
  ]
  for (const headers of askers) t.equal(await ask(headers), 202)
  t.equal(begun, 3)
  t.equal(await ask(askers[0]!), 202)
  t.equal(begun, 3, 'who asks again hears of the same count')
})
