import fc from 'fast-check'
import type { Pool } from 'pg'
import t from 'tap'
import type { RunFault } from '../../src/billing/runs/run-table.ts'
import { importRun } from '../../src/billing/importing/import-run.ts'
import { Runs, type RunSteps } from '../../src/billing/runs/runs.ts'
import { blockStep } from '../../src/billing/runs/steps.ts'
import { subscribersRun } from '../../src/billing/runs/subscribers-run.ts'
import { Countings, type Progress } from '../../src/interfaces/admin/countings.ts'
import { json } from '../../src/platform/http/reply.ts'
import { silentLog } from '../../src/platform/log.ts'
import { useLock } from '../../src/platform/storage/secret-keys.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { fetch } from '../support/published.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { until, untilAnswer } from '../support/until.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'admin', [2])
await root.post('/rest_api/v2/Tarif/', { name: 'Домашний', price: 0 })

type Sent = { readonly type?: string; readonly key?: string; readonly to?: string }

async function send(
  caller: Caller,
  file: string | Uint8Array<ArrayBuffer>,
  query = '',
  { type = 'text/csv', key, to = '' }: Sent = {},
) {
  const response = await fetch(`${caller.base}/admin/imports/${to}?${query}`, {
    method: 'POST',
    headers: { ...caller.headers, 'Content-Type': type, ...(key && { 'Idempotency-Key': key }) },
    body: file,
  })
  return { status: response.status, body: (await response.json()) as Json }
}

/** The run at its end. */
const ended = (id: number): Promise<Json> =>
  untilAnswer(
    async () => (await root.get(`/admin/runs/${id}/`)).body.run,
    ({ state }) => state !== 'running',
  )

async function imported(file: string | Uint8Array<ArrayBuffer>, query = '', sent: Sent = {}): Promise<Json> {
  const { status, body } = await send(root, file, query, sent)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return ended(body.import.id)
}
const faults = async (id: number): Promise<Json[]> => (await root.get(`/admin/runs/${id}/faults/`)).body.items
const numberOf = async (what = 'abonents') => Number((await office.rows(`SELECT count(*) FROM ${what}`))[0].count)

const file = `contract_number;name;login;password;tarif;balance
1001;Первый;first;secret-1;Домашний;150,50
1002;Второй;first;secret-2;;-20
1003;Третий;third;secret-3;Нет такого;0
;Без номера;;;;0
1005;"Не закрыт;;;;0
`

t.test('a dry run tells every bad line and writes nothing; an import makes the good ones, once', async (t) => {
  const dry = await imported(file, 'name=abonents.csv')
  t.match(dry, {
    kind: 'import',
    user: 'root',
    state: 'done',
    asked: { file: 'abonents.csv', apply: false },
    result: { lines: 5, fresh: 1, known: 0, bad: 4 },
  })
  t.match(dry.result.sample, [{ contract_number: '1001', login: 'first', tarif: 'Домашний', balance: '150.50' }])
  t.match(await faults(dry.id), [
    { record: 3, name: '1002', reason: /login "first" stands in line 2 already/ },
    { record: 4, name: '1003', reason: /tarif "Нет такого" is unknown/ },
    { record: 5, reason: /contract_number is empty/ },
    { record: 6, reason: /quoted field is not closed/ },
  ])
  t.equal(await numberOf(), 0)

  const first = await send(root, file, 'apply=1', { key: 'k' })
  const again = await send(root, file, 'apply=1', { key: 'k' })
  t.equal(again.body.import.id, first.body.import.id, 'a repeat of the request begins nothing')
  t.match(await send(root, `${file}\n`, 'apply=1', { key: 'k' }), { status: 409, body: { code: 'key_taken' } })
  t.match((await ended(first.body.import.id)).result, { fresh: 1, bad: 4 })
  t.match(
    await office.rows('SELECT contract_number, ostatok FROM abonents JOIN admin_accounts AS a ON a.id = account_id'),
    [{ contract_number: '1001', ostatok: '1505000000000' }],
  )
  const audits = await office.rows(`SELECT DISTINCT user_name, user_id IS NOT NULL AS by_id FROM audit_operations
    WHERE table_name IN ('ABONENTS', 'USERS', 'FINANCE_OPERATIONS')`)
  t.same(audits, [{ user_name: 'root', by_id: true }], 'in the name of who imported')
  t.match(await imported(file, 'apply=1'), { result: { fresh: 0, known: 1, bad: 4 } })

  const csv = await root.get(`/admin/runs/${dry.id}/faults_csv/`)
  t.match(csv.body, /line;contract_number;reason\r\n3;1002;"?login/)
  t.match((await root.get('/admin/imports/template/')).body, /contract_number;name;login/)
})

t.test('columns are guessed from the header, in either encoding, and named by the caller', async (t) => {
  const cyrillic = (text: string) =>
    Uint8Array.from(text, (sign) => (sign >= 'А' && sign <= 'я' ? sign.charCodeAt(0) - 0x350 : sign.charCodeAt(0)))
  const sheet = cyrillic('Договор;ФИО;Комментарий;Остаток\r\n2001;Петров;шум;10\r\n')
  const { body } = await send(root, sheet, '', { to: 'top/' })
  t.match(body, { encoding: 'windows-1251', columns: ['contract_number', 'name', '', 'balance'] })
  t.same(body.rows, [['2001', 'Петров', 'шум', '10']])
  t.match(await imported(sheet, 'apply=1&encoding=windows-1251&columns=contract_number,name,,balance'), {
    result: { fresh: 1 },
  })
  t.same(await office.rows(`SELECT name FROM abonents WHERE contract_number = '2001'`), [{ name: 'Петров' }])
  t.match(await imported(cyrillic('contract_number,name\n2002,Иванов\n')), { result: { fresh: 0, bad: 1 } })
  t.match(await send(root, sheet, 'encoding=windows-1251&columns=name,name'), { status: 400 })
  t.match(await send(root, sheet, 'encoding=windows-1251&columns=name,name,,'), {
    status: 400,
    body: { code: 'wrong_file', error: /the column name twice/ },
  })
  const form =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ncontract_number,name\n2003,A\n\r\n--x--\r\n'
  t.match(await imported(form, '', { type: 'multipart/form-data; boundary=x' }), {
    asked: { file: 'a.csv' },
    result: { fresh: 1 },
  })
  const named = form.replace('a.csv', `\0${'a'.repeat(198)}😀.csv`)
  t.match(await imported(named, '', { type: 'multipart/form-data; boundary=x' }), {
    asked: { file: `\ufffd${'a'.repeat(198)}\ufffd` },
  })
  t.match(await send(root, '--x\r\n', '', { type: 'multipart/form-data; boundary=x' }), { status: 400 })
  const wide = `contract_number,name${',x'.repeat(1_000)}\n`
  for (const to of ['', 'top/'])
    t.match(await send(root, wide, '', { to }), {
      status: 400,
      body: { code: 'wrong_file', error: /more than 500 columns/ },
    })
  t.equal((await send(root, '{}', '', { type: 'application/json' })).status, 415)
})

t.test('any bytes are read or refused', async () => {
  const piece = fc.constantFrom(
    '"',
    ';',
    ',',
    '\n',
    '\r\n',
    'a',
    '\0',
    '\t',
    '\\',
    'contract_number',
    'name',
    'ж',
    '\ufeff',
    "'",
  )
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => `contract_number,name\n${pieces.join('')}`)
  const bytes = fc.uint8Array({ maxLength: 200 })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        bytes,
        text.map((one) => new TextEncoder().encode(one)),
      ),
      async (sent) => {
        const body = Uint8Array.from(sent)
        const top = await send(root, body, '', { to: 'top/' })
        const started = await send(root, body)
        const state = started.status === 200 ? (await ended(started.body.import.id)).state : 'refused'
        return [200, 400].includes(top.status) && (state === 'done' || started.status === 400)
      },
    ),
    { numRuns: 40 },
  )
})

const many = (count: number, from: number, name = 'Name') =>
  `contract_number,name,login,password\n${Array.from({ length: count }, (_, n) => `M${from + n},${name} ${n},m${from + n},secret-${n}\n`).join('')}`

t.test('a file of two megabytes is taken, one import at a time, and only from whom it may be taken', async (t) => {
  // Longer than other bodies may be, and some chunks of lines.
  const count = 16_000
  const large = many(count, 0, 'Name '.repeat(24).trim())
  t.ok(large.length > 2 * 1024 * 1024)
  const started = await send(root, large)
  t.equal(started.status, 200)
  t.match(await send(root, file), { status: 409, body: { code: 'run_busy' } })
  const early = await untilAnswer(
    async () => (await root.get(`/admin/runs/${started.body.import.id}/`)).body.run,
    ({ total, done }) => total !== null || done > 0,
  )
  t.equal(early.total, count + 1, 'lines that are only read do not count as done')
  t.match(await ended(started.body.import.id), {
    state: 'done',
    ...{ total: count + 1, done: count + 1 },
    result: { lines: count, fresh: count },
  })

  t.equal((await send(north, file)).status, 403)
  t.equal((await north.get(`/admin/imports/${started.body.import.id}/`)).status, 404)
  const stranger = { base: office.base, headers: {} } as Caller
  t.equal((await send(stranger, large)).status, 401)
  t.equal((await send(root, new Uint8Array(33 * 1024 * 1024))).status, 413)
})

t.test('many are blocked and opened by a filter or ids, each by its own turn', async (t) => {
  const made = async (name: string, organization: number) => {
    const { body } = await root.post('/rest_api/v2/Abonents/', { name, contract_number: name })
    await office.rows('UPDATE abonents SET organization_id = $2 WHERE id = $1', [body.id, organization])
    return body.id as number
  }
  const ids = [await made('Street A', 1), await made('Street B', 1), await made('Street C', 2)]
  await root.post(`/admin/abonents/block/${ids[0]}/`)
  const order = { on: true, filter: { q: 'street' } }
  t.match((await root.post('/admin/Abonents/block_many/preview/', order)).body, {
    total: 3,
    changing: 2,
    same: 1,
    online: 0,
  })
  t.match((await north.post('/admin/Abonents/block_many/preview/', order)).body, { total: 1, changing: 1 })
  t.equal((await north.post('/admin/Abonents/block_many/', { on: true, ids })).status, 403)
  t.equal((await root.post('/admin/Abonents/block_many/', { on: true })).status, 400)
  t.equal((await root.post('/admin/Abonents/block_many/', { on: true, filter: { nobody: 1 } })).status, 400)
  for (const unset of [
    { tarif: null },
    { organization: '' },
    { q: null },
    { show: 'debtors', home: null },
    { constructor: '1' },
    { toString: 1 },
    JSON.parse('{"__proto__":1}') as object,
  ])
    t.equal(
      (await root.post('/admin/Abonents/block_many/preview/', { on: true, filter: unset })).status,
      400,
      `${JSON.stringify(unset)} does not mean more`,
    )

  const press = async (body: object) => {
    const response = await fetch(`${office.base}/admin/Abonents/block_many/`, {
      method: 'POST',
      headers: { ...root.headers, 'Content-Type': 'application/json', 'Idempotency-Key': 'one' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const [first, second] = await Promise.all([press(order), press(order)])
  t.equal(first.body.run.id, second.body.run.id, 'the same request twice is one run')
  t.equal((await press({ on: false, ids })).status, 409)
  t.match(await ended(first.body.run.id), {
    state: 'done',
    total: 3,
    done: 3,
    result: { changed: 2, same: 1, refused: 0 },
  })
  const blocked = () =>
    office.rows(
      `SELECT coalesce(b_admin, false) AS b_admin, enabled FROM abonents LEFT JOIN abonents_block ON abonent_id = id WHERE name LIKE 'Street%'`,
    )
  t.same(await blocked(), Array(3).fill({ b_admin: true, enabled: false }))
  const audits = await office.rows(
    `SELECT user_name FROM audit_operations WHERE table_name = 'ABONENTS_BLOCK' AND object_id = $1`,
    [String(ids[1])],
  )
  t.same(audits, [{ user_name: 'root' }])

  const { body } = await root.post('/admin/Abonents/block_many/', { on: false, ids })
  t.match(await ended(body.run.id), { result: { changed: 3, same: 0 } })
  t.same(await blocked(), Array(3).fill({ b_admin: false, enabled: true }))
  t.match((await root.get('/admin/runs/?kind=blocks')).body.items[0], { id: body.run.id, asked: { on: false } })
  t.same((await north.get('/admin/runs/')).body.items, [], 'nobody sees the runs of others')
})

t.test('many get promise payments as the preview says, each by its own rules', async (t) => {
  const ruble = 10_000_000_000
  const { body: tarif } = await root.post('/rest_api/v2/Tarif/', { name: 'Promised', price: 500 * ruble })
  const many = '/admin/Abonents/promise_pay_many/'
  const made = async (name: string, debt: number, create_date = '2020-01-01T00:00:00Z'): Promise<Json> => {
    const record = { name, contract_number: name, tarif: tarif.id, create_date }
    const { body } = await root.post('/rest_api/v2/Abonents/', record)
    if (debt > 0)
      await root.post('/rest_api/v2/FinanceOperations/', { account: body.account, op_type: 9, op_summa: debt * ruble })
    return body
  }
  const [small, large] = [await made('Promise A', 100), await made('Promise B', 700)]
  const [young, active] = [await made('Promise C', 100, new Date().toISOString()), await made('Promise D', 100)]
  t.equal((await root.post(`/admin/Abonents/promise_pay/${active.id}/`)).status, 200)
  const order = { filter: { q: 'promise' } }
  t.match((await root.post(`${many}preview/`, order)).body, {
    ...{ ok: true, total: 4, changing: 2, same: 0, limits: '1201.00', fees: '180.00' },
    refused: [
      { code: 'already_active', count: 1 },
      { code: 'min_age', count: 1 },
    ],
    sample: [{ id: small.id }, { id: large.id }],
  })
  const promised = () => office.rows('SELECT FROM finance_operations WHERE op_type_id = 31')
  t.equal((await promised()).length, 1, 'a preview writes nothing')
  t.equal((await north.post(many, { ids: [small.id] })).status, 403)
  const operator = await office.staff('changer', 'viewer', [1])
  t.equal((await operator.post(many, order)).status, 403)
  t.equal((await operator.post(`${many}preview/`, order)).status, 403)
  const cashier = await office.staff('cashier', 'cashier', [1])
  const { body } = await cashier.post(many, order)
  const run = await ended(body.run.id)
  t.match(run, { kind: 'promises', user: 'cashier', result: { changed: 2, same: 0, refused: 2 } })
  t.match(await faults(run.id), [
    { record: young.id, name: 'Promise C', reason: /too young/ },
    { record: active.id, reason: /active already/ },
  ])
  t.equal((await promised()).length, 3)
  t.match(
    await office.rows(`SELECT (promise_pay / 100000000)::int AS kopecks FROM abonents WHERE id = ANY($1) ORDER BY id`, [
      [small.id, large.id],
    ]),
    [{ kopecks: 50_000 }, { kopecks: 70_100 }],
  )
  t.match((await root.post(`${many}preview/`, order)).body, {
    changing: 0,
    refused: [{ code: 'already_active', count: 3 }],
  })
  t.match(await ended((await root.post(many, order)).body.run.id), { result: { changed: 0, refused: 4 } })
})

t.test('a run that is cut off tells whom it has left by then', async (t) => {
  const stop = new AbortController()
  const faults: RunFault[] = []
  const left = new Set<number>()
  let ended = 0
  const nobody = {
    status: async () => null,
    ask: async () => ({ kind: 'refused', reason: 'subscriberMissing' }) as const,
  }
  const subscribers = Array.from({ length: 200 }, (_, at) => ({ id: at + 1, name: `Gone ${at}` }))
  const author = { staffId: null, name: 'root', address: '' }
  const steps: RunSteps = {
    ...{ id: 1, signal: stop.signal, total: () => {} },
    done(count) {
      ended = count
      if (count === 30) stop.abort()
    },
    addFaults: async (more) => void faults.push(...more),
    rest: {
      keep: async (records) => records.forEach((record) => void left.add(record)),
      take: async () => new Set(),
      settle: async (records) => records.forEach((record) => void left.delete(record)),
    },
  }
  await t.rejects(subscribersRun({ subscribers, author }, blockStep(nobody, true))(steps))
  t.ok(ended >= 30 && ended < 200)
  t.equal(faults.length, ended)
  t.equal(left.size, 200 - ended, 'the rest is noted')
})

t.test('nobody is settled without the reason why they were left as they are', async (t) => {
  const subscribers = Array.from({ length: 700 }, (_, at) => ({ id: at + 1, name: `N${at}` }))
  const [reasons, settled] = [new Set<number>(), new Set<number>()]
  let isAway = true
  const steps: RunSteps = {
    ...{ id: 1, signal: new AbortController().signal, total: () => {}, done: () => {} },
    async addFaults(more) {
      if (isAway) {
        isAway = false
        throw new Error('The database is away for a moment.')
      }
      for (const { record } of more) reasons.add(record)
    },
    rest: {
      keep: async () => {},
      take: async () => new Set(),
      settle: async (records) => records.forEach((record) => void settled.add(record)),
    },
  }
  const author = { staffId: null, name: 'root', address: '' }
  const refused = async () => ({ reason: 'It may not be.' })
  await t.rejects(subscribersRun({ subscribers, author }, refused)(steps), /away for a moment/)
  t.ok(settled.size >= 500)
  t.strictSame(reasons, settled)
})

t.test('a reason that is written again, because settling failed behind it, is there once', async (t) => {
  const runs = new Runs({ pool: office.database.pool, clock: new SteadyClock(), log: silentLog })
  const subscribers = [{ id: 1, name: 'One' }]
  const author = { staffId: null, name: 'root', address: '' }
  const refused = async () => ({ reason: 'It may not be.' })
  let written = 0
  const started = await runs.start({ kind: 'tariffs', author, asked: {}, keys: null }, async (steps) => {
    const settle = async (records: readonly number[]) => {
      if (++written === 1) throw new Error('The database is away for a moment.')
      await steps.rest.settle(records)
    }
    const twice = { ...steps, rest: { ...steps.rest, settle } }
    await t.rejects(subscribersRun({ subscribers, author }, refused)(twice), /away for a moment/)
    return await subscribersRun({ subscribers, author, restOf: steps.id }, refused)(twice)
  })
  if (started.kind !== 'started') throw new Error(started.kind)
  await until(async () => (await runs.table.find(started.id, null))?.state === 'done')
  t.equal(written, 2)
  t.match((await runs.table.find(started.id, null))?.result, { refused: 1 })
  const { rows } = await office.database.pool.query(
    'SELECT (SELECT count(*)::int4 FROM staff_run_faults WHERE run_id = $1) AS faults, (SELECT count(*)::int4 FROM staff_run_rest WHERE run_id = $1) AS rest',
    [started.id],
  )
  t.strictSame(rows, [{ faults: 1, rest: 0 }])
})

t.test('the next run starts as soon as the end of the one before it can be seen', async (t) => {
  const { pool } = office.database
  const release = Promise.withResolvers<void>()
  const connect = async () => {
    const client = await pool.connect()
    const query = client.query.bind(client)
    const slow = async (text: string, values: unknown[]) => {
      if (text.includes('pg_advisory_unlock')) await release.promise
      return query(text, values)
    }
    const returned = client.release.bind(client)
    return Object.assign(client, { query: slow, release: () => returned(true) })
  }
  const slowly = { query: pool.query.bind(pool), connect } as unknown as Pool
  const runs = new Runs({ pool: slowly, clock: new SteadyClock(), log: silentLog })
  const author = { staffId: null, name: 'root', address: '' }
  const start = () => runs.start({ kind: 'tariffs', author, asked: {}, keys: null, isAlone: true }, async () => ({}))
  const first = await start()
  if (first.kind !== 'started') throw new Error(first.kind)
  await until(async () => (await runs.table.find(first.id, null))?.state === 'done')
  const second = start()
  release.resolve()
  t.equal((await second).kind, 'started')
  await runs.stop()
})

t.test('what a block of many has left is done by another run, once, and nothing else', async (t) => {
  const made = async (name: string, organization = 1) => {
    const { body } = await root.post('/rest_api/v2/Abonents/', { name, contract_number: name })
    await office.rows('UPDATE abonents SET organization_id = $2 WHERE id = $1', [body.id, organization])
    return body.id as number
  }
  const [done, first, second, foreign] = [
    await made('Rest A'),
    await made('Rest B'),
    await made('Rest C'),
    await made('Rest D', 2),
  ]
  // As a program leaves it that was killed after the first of four.
  const [{ id }] = await office.rows(`INSERT INTO staff_runs (kind, lock, staff_id, user_name, asked, total, done)
    VALUES ('blocks', 'run of a dead program', (SELECT id FROM staff WHERE username = 'north'), 'north', '{"on": true}', 4, 1)
    RETURNING id`)
  await office.rows('INSERT INTO staff_run_rest SELECT $1, unnest($2::int8[])', [id, [first, second, foreign]])
  t.match((await root.get(`/admin/runs/${id}/`)).body.run, { state: 'cut_off', rest: 3 })
  const blocked = async () =>
    (
      await office.rows(
        'SELECT abonent_id FROM abonents_block WHERE b_admin AND abonent_id = ANY($1::int8[]) ORDER BY 1',
        [[done, first, second, foreign]],
      )
    ).map(({ abonent_id }) => Number(abonent_id))
  await office.rows(
    `INSERT INTO staff_run_faults (run_id, record, name, reason) SELECT $1, id, name, 'x' FROM abonents WHERE id = ANY($2)`,
    [id, [first, foreign]],
  )
  const namesFor = async (caller: typeof root) =>
    (await caller.get(`/admin/runs/${id}/faults/`)).body.items.map(({ name }: Json) => name)
  t.same(await namesFor(root), ['Rest B', 'Rest D'])
  t.same(await namesFor(north), ['Rest D'], 'of the organizations that are seen now')
  t.notMatch((await north.get(`/admin/runs/${id}/faults_csv/`)).body, /Rest B/)
  const mine = await north.post(`/admin/runs/${id}/rest/`, {})
  t.match(mine, { status: 200, body: { run: { asked: { on: true, rest_of: Number(id) } } } })
  t.match(await ended(mine.body.run.id), { state: 'done', total: 1, result: { changed: 1, same: 0 }, rest: null })
  t.same(await blocked(), [foreign], 'of the organizations that are seen')
  const presses = await Promise.all([
    root.post(`/admin/runs/${id}/rest/`, {}),
    root.post(`/admin/runs/${id}/rest/`, {}),
  ])
  const results = await Promise.all(presses.filter(({ status }) => status === 200).map((one) => ended(one.body.run.id)))
  t.equal(
    results.reduce((sum, { result }) => sum + result.changed, 0),
    2,
    'who presses twice does it once',
  )
  t.same(await blocked(), [first, second, foreign])
  t.match(await root.post(`/admin/runs/${id}/rest/`, {}), { status: 409, body: { code: 'nothing_left' } })
  t.match((await root.get(`/admin/runs/${id}/`)).body.run, { rest: 0 })
  const [{ count }] = await office.rows('SELECT count(*) FROM staff_run_rest')
  t.equal(Number(count), 0)
})

t.test(
  'what the end of the program cuts off of an import is imported from its kept file, each line once',
  async (t) => {
    await office.rows(
      `INSERT INTO staff_runs (kind, lock, user_name, asked) VALUES ('import', 'run import', 'killed', '{}')`,
    )
    const [{ id: killed }] = await office.rows(`SELECT id FROM staff_runs WHERE user_name = 'killed'`)
    t.match((await root.get(`/admin/runs/${killed}/`)).body.run, { state: 'cut_off', rest: 0 }, 'no file was kept')
    const { clock, database, secrets } = office
    const [lines, chunk] = [6_000, 5_000]
    const runs = new Runs({ pool: database.pool, clock, log: silentLog })
    const sent = { content: new TextEncoder().encode(many(lines, 500_000)), reading: {} }
    const work = importRun(
      { url: database.url, secrets, clock },
      { sent, apply: true, author: { staffId: null, name: 'root', address: '' } },
    )
    // As beside a program that serves: one connection imports one chunk after the other.
    await database.holdLock(`SELECT pg_advisory_lock_shared(${useLock(secrets.keyId)})`)
    // As a program does that is stopped once a chunk has been imported.
    const stopped = Promise.withResolvers<void>()
    const start = await runs.start(
      { kind: 'import', author: { staffId: null, name: 'root', address: '' }, asked: { apply: true }, keys: null },
      (steps) =>
        work({
          ...steps,
          done: (count) => {
            steps.done(count)
            runs.stop().then(stopped.resolve, stopped.reject)
          },
        }),
    )
    if (start.kind !== 'started') throw new Error(start.kind)
    await stopped.promise
    const made = () => numberOf(`abonents WHERE contract_number BETWEEN 'M500000' AND 'M506000'`)
    const before = await made()
    t.ok(before > 0 && before < lines && (before + 1) % chunk === 0, `${before} are whole chunks`)
    t.equal(await numberOf(`users WHERE login BETWEEN 'm500000' AND 'm506000'`), before)
    const cut = (await root.get(`/admin/runs/${start.id}/`)).body.run
    t.match(cut, { state: 'cut_off', total: lines + 1, done: before + 1, rest: lines - before })
    const [{ content }] = await office.rows('SELECT content FROM staff_run_files WHERE run_id = $1', [start.id])
    t.notOk(content.includes('secret-') || content.includes('M500000'), 'nobody reads it in the table')

    // Of those that were made one has another number by now, and must not be made again.
    await office.rows(`UPDATE abonents SET contract_number = 'M renamed' WHERE contract_number = 'M500001'`)
    const again = `/admin/imports/${start.id}/rest/`
    t.equal((await north.post(again)).status, 403)
    const begun = await root.post(again)
    t.match(begun, { status: 200, body: { import: { asked: { apply: true, rest_of: start.id } } } })
    t.match(await ended(begun.body.import.id), {
      state: 'done',
      rest: null,
      result: { lines, fresh: lines - before, bad: 1 },
    })
    t.equal(await made(), lines - 1)
    t.match(await faults(begun.body.import.id), [{ record: 3, reason: /login "m500001" belongs to/ }])
    t.equal(await numberOf('staff_run_files'), 0, 'what has ended well is not kept')
    t.match((await root.get(`/admin/runs/${start.id}/`)).body.run, { state: 'cut_off', rest: 0 })
    t.match(await root.post(again), { status: 409, body: { code: 'nothing_left' } })
  },
)

t.test('a run by a filter tells how those whom it found differ from those who were confirmed', async (t) => {
  const made = async (name: string): Promise<Json> =>
    (await root.post('/rest_api/v2/Abonents/', { name, contract_number: name })).body
  const [first, second] = [await made('Avenue A'), await made('Avenue B')]
  const order = { on: true, filter: { q: 'avenue' } }
  const { total, ids } = (await root.post('/admin/Abonents/block_many/preview/', order)).body
  t.same([total, ids], [2, [first.id, second.id]])
  t.equal((await root.post('/admin/Abonents/block_many/preview/', { on: true, ids })).body.ids, null)
  await office.rows(`UPDATE abonents SET name = 'Square', contract_number = 'Square' WHERE id = $1`, [second.id])
  const third = await made('Avenue C')
  const begin = async (confirmed: object) =>
    (await root.post('/admin/Abonents/block_many/', { ...order, confirmed })).body.run.id
  t.match(await ended(await begin({ total, ids })), {
    total: 2,
    result: { changed: 2 },
    asked: { confirmed: 2, came: [{ id: third.id, name: 'Avenue C' }], gone: 1 },
  })
  const { asked } = await ended(await begin({ total: 7 }))
  t.same(asked, { on: true, filter: order.filter, confirmed: 7 }, 'where they are too many to be told one by one')
  for (const confirmed of [7, { ids }, { total: -1 }, { total, ids: ['x'] }, { total, ids: Array(1_001).fill(1) }])
    t.equal((await root.post('/admin/Abonents/block_many/', { ...order, confirmed })).status, 400)
})

t.test('a preview of many subscribers looks for their sessions in several turns of the loop', async (t) => {
  const { sessions } = office
  const look = sessions.ofSubscriber.bind(sessions)
  let [inTurn, most] = [0, 0]
  sessions.ofSubscriber = (id) => {
    if (inTurn++ === 0)
      setImmediate(() => {
        most = Math.max(most, inTurn)
        inTurn = 0
      })
    return look(id)
  }
  const { body } = await root.post('/admin/Abonents/block_many/preview/', { on: true, filter: {} })
  t.ok(body.changing > 4_000, `${body.changing} change`)
  t.ok(most <= 2_000, `${most} in one turn`)
})

t.test('a preview that takes long is asked for until it is ready', async (t) => {
  const order = { on: true, filter: { show: 'all' } }
  const path = '/admin/Abonents/block_many/preview/'
  const patiently = { ...root.headers, 'Content-Type': 'application/json', Prefer: 'respond-async' }
  const ask = async () => {
    const response = await fetch(root.base + path, { method: 'POST', headers: patiently, body: JSON.stringify(order) })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const holder = await office.database.pool.connect()
  await holder.query('BEGIN; LOCK TABLE abonents_block IN ACCESS EXCLUSIVE MODE')
  t.same(await ask(), { status: 202, body: { ok: true, counted: 0 } })
  t.equal((await ask()).status, 202)
  await holder.query('COMMIT')
  holder.release()
  const { body } = await untilAnswer(ask, ({ status }) => status === 200)
  t.same(body, (await root.post(path, order)).body, 'as it is told to who waits')
})

t.test('a preview that nobody asks for any more is given up', async (t) => {
  const clock = new ManualClock(new Date())
  const countings = new Countings(clock)
  const call = (prefer: string) =>
    ({
      startedMs: performance.now(),
      path: '/preview',
      body: Buffer.from('{}'),
      staff: { id: 1, organizations: null },
      header: (name: string) => (name === 'prefer' ? prefer : ''),
    }) as never
  let begun = 0
  let last: Progress | undefined
  const never = (progress: Progress) => {
    begun++
    last = progress
    return new Promise<never>((_, reject) => progress.signal.addEventListener('abort', () => reject(new Error('over'))))
  }
  const ask = async () => {
    const answer = countings.answer(call('respond-async'), never)
    clock.advance(100)
    return (await answer).status
  }
  t.equal(await ask(), 202)
  clock.advance(2_000)
  t.equal(await ask(), 202)
  clock.advance(2_000)
  t.same([begun, last?.signal.aborted], [1, false], 'it went on while somebody asked')
  clock.advance(1_000)
  t.equal(last?.signal.aborted, true)
  t.equal(await ask(), 202)
  t.equal(begun, 2, 'who asks later begins anew')
  const named = countings.answer(call('respond-async; id=7'), never)
  clock.advance(100)
  t.equal((await named).status, 202)
  t.equal(begun, 3, 'so does who names another question')
  const waiting = countings.answer(call('respond-async; id=7, wait=10'), never)
  clock.advance(9_999)
  t.same([begun, last?.signal.aborted], [3, false], 'the same question may be let wait')
  clock.advance(1)
  t.equal((await waiting).status, 202)
  clock.advance(2_999)
  t.equal(last?.signal.aborted, false)
  clock.advance(1)
  t.equal(last?.signal.aborted, true, 'and is given up when nobody has asked since')
  const failing = countings.answer(call(''), async () => {
    throw new Error('no database')
  })
  await t.rejects(failing, /no database/)
})

t.test('a count that has been told does not end the next one of the same question', async (t) => {
  const clock = new ManualClock(new Date())
  const countings = new Countings(clock)
  const call = {
    startedMs: performance.now(),
    path: '/list',
    body: Buffer.from(''),
    staff: { id: 1, organizations: null },
    header: () => 'respond-async',
  }
  t.equal((await countings.answer(call as never, async () => json({}))).status, 200)
  clock.advance(1_000)
  let begun = 0
  const count = () => {
    begun++
    return new Promise<never>(() => {})
  }
  for (let asked = 0; asked < 20; asked++) {
    const answer = countings.answer(call as never, count)
    clock.advance(500)
    t.equal((await answer).status, 202)
  }
  t.equal(begun, 1)
})
