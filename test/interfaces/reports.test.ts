import fc from 'fast-check'
import t, { type Test } from 'tap'
import { lastReportProof, reportProof } from '../../src/billing/reports/proof.ts'
import { reportRollUp } from '../../src/billing/reports/roll-up.ts'
import type { Question, Split } from '../../src/billing/reports/sums.ts'
import { dayOf, monthOf } from '../../src/domain/calendar.ts'
import { operationSources, sourceOf } from '../../src/domain/operation-source.ts'
import { fetch } from '../support/published.ts'
import { StoppedWatch } from '../support/stopped-watch.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t, { clock: new StoppedWatch() })
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
const north = await office.staff('north', 'viewer', [2])
const cashiers = (await office.rows('SELECT id FROM staff ORDER BY id')).map(({ id }) => Number(id))
const types = [7, 9, 23, 32, 41]
const tariffs: number[] = []
for (const name of ['Home', 'Work', 'Night'])
  tariffs.push(
    Number((await office.rows('INSERT INTO tarifs (name, price) VALUES ($1, 0) RETURNING id', [name]))[0].id),
  )
const clients: Json[] = []
/** The account is locked first, as its turns do, which the change itself wakes. */
const change = (id: number, assignments: string, values: readonly unknown[]) =>
  office.rows(
    `UPDATE abonents SET ${assignments} FROM (SELECT id FROM admin_accounts
      WHERE id = (SELECT account_id FROM abonents WHERE id = $1) FOR UPDATE) AS account WHERE abonents.id = $1`,
    [id, ...values],
  )
for (const [at, organization] of [1, 2, 3, null].entries()) {
  const { body } = await root.post('/rest_api/v2/Abonents/', {
    ...{ name: `Client ${at}`, contract_number: `${at}`, tarif: tariffs[at] ?? null },
  })
  await change(body.id, 'organization_id = $2', [organization])
  clients.push({ id: body.id, account: body.account, organization })
}

const run = async (name: string): Promise<Json> => {
  const { status, body } = await root.post(`/admin/jobs/${name}/run/`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
const setZone = (zone: string) => office.settings.set({ TIME_ZONE: zone })

const read = async (path: string, query: Record<string, unknown>, caller: Caller): Promise<Json> => {
  const text = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  )
  const { status, body } = await caller.get(`/admin/${path}/?${text}`)
  if (status !== 200) throw new Error(`${text}: ${status} ${JSON.stringify(body)}`)
  return body
}
const report = (path: string, query: Record<string, unknown>, caller: Caller = root): Promise<Json> =>
  read(`reports/${path}`, query, caller)

/** What the tables say, by the rules of the domain and without any SQL of reports. */
class Oracle {
  /** The tariff that a client had until a moment. */
  readonly past: { client: number; until: Date; tariff: number }[] = []

  async change(client: number, tariff: number | null): Promise<void> {
    const [was] = await office.rows('SELECT tarif_id, clock_timestamp() AS at FROM abonents WHERE id = $1', [client])
    await change(client, 'tarif_id = $2', [tariff])
    if (Number(was.tarif_id ?? 0) !== (tariff ?? 0))
      this.past.push({ client, until: was.at, tariff: Number(was.tarif_id ?? 0) })
  }

  async operations(zone: string): Promise<Json[]> {
    const rows = await office.rows(`SELECT operation.*, client.tarif_id FROM finance_operations AS operation
      LEFT JOIN abonents AS client ON client.id = operation.abonent_id`)
    return rows.map((row) => {
      const day = dayOf(row.op_date, zone)
      const past = this.past.find(({ client, until }) => client === Number(row.abonent_id) && until > row.op_date)
      return {
        day,
        month: monthOf(day),
        type: String(row.op_type_id),
        channel: sourceOf({
          operatorName: row.operator_name,
          descr: row.descr,
          code1c: row.code1c,
          uslugaId: row.usluga_id === null ? null : Number(row.usluga_id),
          typeId: Number(row.op_type_id),
          movedAt: row.op_date.getTime(),
          recordedAt: row.system_date.getTime(),
        }),
        cashier: String(row.owner_id ?? 0),
        tariff: String(past?.tariff ?? row.tarif_id ?? 0),
        organization: String(row.organization_id ?? 1),
        isDocument: row.isbuhdoc,
        kopecks: Number(BigInt(row.op_summa) / 100_000_000n),
      } satisfies Record<Split, string> & Record<'isDocument' | 'kopecks', unknown>
    })
  }
}

const rubles = (kopecks: number): string => (kopecks / 100).toFixed(2)

function sumsOf(operations: readonly Json[]) {
  const sum = (of: (kopecks: number) => boolean) =>
    operations.reduce((all, { kopecks }) => all + (of(kopecks) ? kopecks : 0), 0)
  const [income, expense] = [sum((kopecks) => kopecks > 0), sum((kopecks) => kopecks < 0)]
  return {
    operations: operations.length,
    income: rubles(income),
    expense: rubles(expense),
    net: rubles(income + expense),
  }
}

function expected(all: readonly Json[], question: Question) {
  const { from, to, organizations, types, channel, cashier, tariff, onlyDocuments, by, across } = question
  const found = all.filter(
    (one) =>
      one.day >= from &&
      one.day <= to &&
      (organizations === null || organizations.includes(Number(one.organization))) &&
      (types === null || types.includes(Number(one.type))) &&
      (channel === null || one.channel === channel) &&
      (cashier === null || one.cashier === String(cashier)) &&
      (tariff === null || one.tariff === String(tariff)) &&
      (one.isDocument || !onlyDocuments),
  )
  const grouped = (split: Split, of: readonly Json[]) => Object.entries(Object.groupBy(of, (one) => one[split]))
  const cellsOf = (of: readonly Json[]) =>
    across === null ? {} : Object.fromEntries(grouped(across, of).map(([key, some]) => [key, sumsOf(some!).net]))
  return {
    totals: sumsOf(found),
    columns: cellsOf(found),
    items: Object.fromEntries(grouped(by, found).map(([key, of]) => [key, { ...sumsOf(of!), cells: cellsOf(of!) }])),
  }
}

function shown({ totals, columns, items }: Json) {
  const cells = (row: Json) =>
    Object.fromEntries(
      columns.flatMap(({ key }: Json, at: number) => (row.cells[at] === null ? [] : [[key, row.cells[at]]])),
    )
  return {
    totals,
    columns: Object.fromEntries(columns.map(({ key, net }: Json) => [key, net])),
    items: Object.fromEntries(
      items.map(({ key, operations, income, expense, net, ...row }: Json) => [
        key,
        { operations, income, expense, net, cells: cells(row) },
      ]),
    ),
  }
}

const dayMs = 86_400_000
const place = fc.nat(1_000_000)
const splits: readonly Split[] = ['type', 'day', 'month', 'channel', 'cashier', 'tariff', 'organization']
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null, freq: 3 })
const posted = fc.record({
  kind: fc.constant('post' as const),
  client: fc.constantFrom(...clients),
  type: fc.constantFrom(...types),
  kopecks: fc.integer({ min: -90_000, max: 90_000 }),
  /** A year, and a little of the future. */
  second: fc.integer({ min: -350 * 86_400, max: 20 * 86_400 }),
  owner: orNull(fc.constantFrom(...cashiers)),
  descr: orNull(fc.constantFrom('[txn:5]', '[bank_op:7]', 'Смена тарифа', '[legacy] x', 'Плата')),
  operator: orNull(fc.constantFrom('GWA', ' gwb ', 'e-wallet')),
  document: fc.boolean(),
  jump: fc.constantFrom(1, 1, 1, 1, 5_000, 9_000, 40_000),
})
const asked = fc.record({
  kind: fc.constant('ask' as const),
  by: fc.constantFrom(...splits),
  across: orNull(fc.constantFrom(...splits)),
  begins: fc.integer({ min: -400, max: 0 }),
  lasts: fc.integer({ min: 0, max: 450 }),
  who: fc.constantFrom('root' as const, 'north' as const),
  types: orNull(fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
  channel: fc.option(fc.constantFrom(...operationSources), { nil: null, freq: 1 }),
  cashier: orNull(fc.constantFrom(0, ...cashiers)),
  tariff: orNull(fc.constantFrom(0, ...tariffs)),
  organization: orNull(fc.constantFrom(1, 2, 3)),
  all: fc.boolean(),
})
const deed = fc.oneof(
  { weight: 12, arbitrary: posted },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reverse' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), place, to: posted }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('tariff' as const),
      client: fc.constantFrom(...clients),
      tariff: orNull(fc.constantFrom(...tariffs)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('roll' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('zone' as const),
      zone: fc.constantFrom('Europe/Moscow', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Apia'),
    }),
  },
  { weight: 6, arbitrary: asked },
)
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never

/** A year of a provider, with what is done to it. */
class Year {
  readonly oracle = new Oracle()
  readonly #now = Math.floor(Date.now() / 1000)
  #next = 100_000
  #zone = 'Europe/Moscow'
  questions = 0

  async do(t: Test, one: Deed): Promise<void> {
    if (one.kind === 'post') await this.#post(one)
    else if (one.kind === 'reverse') await this.#reverse(one.place)
    else if (one.kind === 'delete')
      await office.rows('DELETE FROM finance_operations WHERE op_id = $1', [await this.#operation(one.place)])
    else if (one.kind === 'change') await this.#change(await this.#operation(one.place), one.to)
    else if (one.kind === 'tariff') await this.oracle.change(one.client.id, one.tariff)
    else if (one.kind === 'roll') await run('roll_up_reports')
    else if (one.kind === 'zone') {
      this.#zone = one.zone
      await setZone(one.zone)
    } else await this.#ask(t, one)
  }

  #values({ client, type, kopecks, second, owner, descr, operator, document }: Deed & { kind: 'post' }) {
    const at = new Date((this.#now + second) * 1000)
    const amount = BigInt(kopecks) * 100_000_000n
    const who = [type, client.id, client.account, client.organization, owner]
    return [at, amount, ...who, descr, operator, document, descr === 'Плата' ? '1C' : null]
  }

  async #post(order: Deed & { kind: 'post' }): Promise<void> {
    this.#next += order.jump
    await office.rows(
      `INSERT INTO finance_operations (op_id, op_date, op_summa, op_type_id, abonent_id, account_id, organization_id, owner_id, descr, operator_name, isbuhdoc, code1c)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [this.#next, ...this.#values(order)],
    )
  }

  async #change(id: number | null, order: Deed & { kind: 'post' }): Promise<void> {
    await office.rows(
      `UPDATE finance_operations SET op_date = $2, op_summa = $3, op_type_id = $4, abonent_id = $5, account_id = $6, organization_id = $7,
        owner_id = $8, descr = $9, operator_name = $10, isbuhdoc = $11, code1c = $12 WHERE op_id = $1`,
      [id, ...this.#values(order)],
    )
  }

  async #reverse(at: number): Promise<void> {
    this.#next += 1
    await office.rows(
      `WITH original AS (UPDATE finance_operations SET storno = true WHERE op_id = $1 RETURNING *)
        INSERT INTO finance_operations (op_id, op_summa, op_type_id, abonent_id, account_id, organization_id, storno, related_operation_id)
        SELECT $2, -op_summa, op_type_id, abonent_id, account_id, organization_id, true, op_id FROM original`,
      [await this.#operation(at), this.#next],
    )
  }

  async #operation(at: number): Promise<number | null> {
    const [found] = await office.rows(
      'SELECT op_id FROM finance_operations ORDER BY op_id OFFSET $1 % greatest((SELECT count(*) FROM finance_operations), 1) LIMIT 1',
      [at],
    )
    return found ? Number(found.op_id) : null
  }

  async #ask(
    t: Test,
    { begins, lasts, who, all, across, organization, ...asked }: Deed & { kind: 'ask' },
  ): Promise<void> {
    const dayFrom = (days: number) => dayOf(new Date(this.#now * 1000 + days * dayMs), this.#zone)
    const visible = who === 'north' ? [2] : null
    const question: Question = {
      ...asked,
      across: across === asked.by ? null : across,
      organizations: organization === null ? visible : visible?.includes(organization) === false ? [] : [organization],
      onlyDocuments: !all,
      from: dayFrom(begins),
      to: dayFrom(begins + lasts),
    }
    const { types, channel: source, tariff: tarif, cashier, by, from: date_from, to: date_to } = question
    const filters = { date_from, date_to, source, cashier, tarif, organization_id: organization, op_type: types }
    const query = { ...filters, by, across: question.across, all: all ? 1 : null }
    const caller = who === 'root' ? root : north
    const answer = await report('movements', query, caller)
    const right = expected(await this.oracle.operations(this.#zone), question)
    const said = JSON.stringify({ ...query, who, zone: this.#zone })
    t.same(shown(answer), right, said)
    const { kpi } = await read(all ? 'Abonents/finops_json' : 'reports/PayLog', { ...filters, format: 'json' }, caller)
    const { operations, income, expense, net } = right.totals
    t.same(kpi, { total: operations, income_sum: income, expense_sum: expense, net_sum: net }, `the list, ${said}`)
    this.questions++
  }
}

t.test('figures are those of the operations, whatever was done to a year and when it was summed up', async (t) => {
  const seed = Number(process.env.REPORTS_SEED ?? Date.now() % 1_000_000)
  t.comment(`REPORTS_SEED=${seed}`)
  const year = new Year()
  for (const one of fc.sample(deed, { seed, numRuns: 250 })) {
    await year.do(t, one as Deed)
    if (!t.passing()) break
  }
  t.ok(year.questions > 20)
  const proof = await run('roll_up_reports').then(() => run('verify_reports'))
  t.equal(proof.result.wrong, 0)
  const [{ count }] = await office.rows('SELECT count(*)::int4 AS count FROM finance_operations')
  t.equal(proof.result.operations, count, 'every operation is summed up and proven')
})

t.test('the proof finds sums that are wrong, says which, and has them made anew', async (t) => {
  await setZone('Europe/Moscow')
  await run('roll_up_reports')
  const [wrong] = await office.rows(
    `UPDATE report_sums SET income = income + 1 WHERE ctid = (SELECT min(ctid) FROM report_sums) RETURNING bucket, day::text, op_type_id`,
  )
  const failed = await root.post('/admin/jobs/verify_reports/run/')
  t.equal(failed.status, 500)
  const { result } = failed.body.run
  t.equal(result.wrong, 1)
  t.match(result.differences[0], { bucket: wrong.bucket, day: wrong.day, op_type_id: wrong.op_type_id })
  t.equal((await lastReportProof(office.database.pool))?.wrong, 1)
  t.equal((await run('roll_up_reports')).result.parts, 1)
  t.equal((await run('verify_reports')).result.wrong, 0)
  t.equal((await lastReportProof(office.database.pool))?.wrong, 0)
})

t.test('sums by day and by month are made of groups that are full, answer for them, and are proven', async (t) => {
  await office.rows('DELETE FROM finance_operations')
  const [client] = clients
  const groups = 3
  await office.rows(
    `INSERT INTO finance_operations (op_id, op_date, op_summa, op_type_id, abonent_id, account_id, organization_id)
      SELECT 1 + n * (1 << 19), '2026-01-31 12:00+03'::timestamptz + n * interval '1 month', 10::numeric ^ 10, 7, $1, $2, 1
      FROM generate_series(0, $3::int4) AS n`,
    [client.id, client.account, groups],
  )
  await run('roll_up_reports')
  const kept = () =>
    office.rows('SELECT bucket_group::int4, month::text, operations::int4 FROM report_month_sums ORDER BY 1')
  const keptDays = () =>
    office.rows('SELECT bucket_group::int4, day::text, operations::int4 FROM report_day_sums ORDER BY 1')
  const rightDays = ['2026-01-31', '2026-02-28', '2026-03-31'].map((day, bucket_group) => ({
    bucket_group,
    day,
    operations: 1,
  }))
  const right = ['2026-01-01', '2026-02-01', '2026-03-01'].map((month, bucket_group) => ({
    bucket_group,
    month,
    operations: 1,
  }))
  t.same(await kept(), right, 'the last group is still being filled')
  t.same(await keptDays(), rightDays)
  await office.rows('UPDATE report_month_sums SET income = 7 * 10::numeric ^ 10 WHERE bucket_group = 1')
  const sumOf = async (query: object) => (await report('movements', { by: 'tariff', ...query })).totals.income
  t.equal(await sumOf({ date_from: '2026-01-01', date_to: '2026-04-30' }), '10.00', 'a whole month is read from them')
  t.equal(await sumOf({ date_from: '2026-02-02', date_to: '2026-02-28' }), '1.00', 'and no part of one')
  t.equal(await sumOf({ date_from: '2026-01-02', date_to: '2026-02-27' }), '1.00')
  const prove = async () => (await root.post('/admin/jobs/verify_reports/run/')).body.run.result
  t.match(await prove(), { wrong: 1, differences: [{ bucket: '64', day: '2026-02-01' }] })
  await run('roll_up_reports')
  t.equal((await prove()).wrong, 0)
  t.same(await kept(), right)
  await office.rows('UPDATE report_day_sums SET income = 6 * 10::numeric ^ 10 WHERE bucket_group = 1')
  t.equal(
    await sumOf({ across: 'day', date_from: '2026-01-01', date_to: '2026-04-30' }),
    '9.00',
    'days are read by day',
  )
  t.equal(await sumOf({ date_from: '2026-01-01', date_to: '2026-04-30' }), '4.00', 'and not for whole months')
  t.match(await prove(), {
    wrong: 1,
    differences: [
      { bucket: '64', day: '2026-02-01' },
      { bucket: '64', day: '2026-02-28' },
    ],
  })
  await run('roll_up_reports')
  t.equal((await prove()).wrong, 0)
  t.same(await keptDays(), rightDays)
  // An old operation that changes takes the months of its group away until they are made anew.
  await office.rows(`UPDATE finance_operations SET op_summa = 5 * 10::numeric ^ 10 WHERE op_id = 1`)
  t.equal(await sumOf({ date_from: '2026-01-01', date_to: '2026-04-30' }), '8.00')
  await run('roll_up_reports')
  t.same(await kept(), right)
  t.equal(await sumOf({ date_from: '2026-01-01', date_to: '2026-04-30' }), '8.00')
  // A node of the release before knows nothing of days: it makes groups without them, and forgets groups alone.
  const byDay = { across: 'day', date_from: '2026-01-01', date_to: '2026-04-30' }
  await office.rows('UPDATE report_groups SET has_days = false WHERE bucket_group = 1')
  await office.rows('DELETE FROM report_groups WHERE bucket_group = 2')
  await office.rows('UPDATE report_day_sums SET income = 7 * 10::numeric ^ 10')
  t.equal(await sumOf(byDay), '10.00', 'only the days of the one group that has them count')
  await office.rows('UPDATE report_day_sums SET income = 5 * 10::numeric ^ 10 WHERE bucket_group = 0')
  await run('roll_up_reports')
  t.equal((await prove()).wrong, 0)
  t.same(await keptDays(), rightDays)
  t.equal(await sumOf(byDay), '8.00')
})

t.test('nothing of a report is told before most of it is summed up', async (t) => {
  await office.rows(
    `INSERT INTO report_parts (bucket, rows, zone) SELECT 1000000 + n, 1, 'UTC' FROM generate_series(1, 300) AS n`,
  )
  const { status, body } = await root.get('/admin/reports/movements/')
  t.same([status, body.code], [503, 'reports_not_ready'])
  t.equal((await root.get('/admin/reports/subscribers/')).body.code, 'reports_not_ready')
  const toldOf = async (job: typeof reportRollUp) => {
    const told: unknown[] = []
    const { run } = job({ database: office.database, timeZone: () => 'Europe/Moscow' })
    await run(new Date(), new AbortController().signal, (done, total) => told.push([done, total]))
    return told
  }
  const rolled = await toldOf(reportRollUp)
  t.same(
    [rolled[0], rolled.at(-1)],
    [
      [16, 300],
      [300, 300],
    ],
    'a run tells how far it is',
  )
  const [{ parts }] = await office.rows('SELECT count(*)::int4 AS parts FROM report_parts')
  t.same((await toldOf(reportProof)).at(-1), [parts, parts])
  t.equal((await root.get('/admin/reports/movements/')).status, 200)
})

t.test('a report is a file, with the decimal comma of Russian', async (t) => {
  await office.rows('DELETE FROM finance_operations')
  const [client] = clients
  await office.rows(
    `INSERT INTO finance_operations (op_date, op_summa, op_type_id, abonent_id, account_id, organization_id, operator_name)
      VALUES ('2026-03-05 10:00+03', 1234.5 * 10^10, 23, $1, $2, 1, 'gwa'), ('2026-03-06 10:00+03', -0.5 * 10^10, 9, $1, $2, 1, NULL)`,
    [client.id, client.account],
  )
  const file = (query: string, path = 'movements') =>
    fetch(`${office.base}/admin/reports/${path}/?${query}`, { headers: root.headers })
  const csv = async (query: string) => (await (await file(query)).text()).replace('\ufeff', '').split('\r\n')
  const march = 'date_from=2026-03-01&date_to=2026-03-31'
  const [{ op_name: gateway }] = await office.rows('SELECT op_name FROM fin_types WHERE type_id = 23')
  t.same(await csv(`format=csv&language=ru&by=channel&across=day&${march}`), [
    'Канал;Операций;Приход;Расход;Сальдо;2026-03-05;2026-03-06',
    'Шлюз A;1;1234,50;0,00;1234,50;1234,50;',
    'Ручной ввод;1;0,00;-0,50;-0,50;;-0,50',
    'Итого;2;1234,50;-0,50;1234,00;1234,50;-0,50',
    '',
  ])
  t.equal((await csv(`format=csv&language=en&by=type&op_type=23&${march}`))[1], `${gateway};1;1234.50;0.00;1234.50`)
  const xlsx = await file(`format=xlsx&${march}`)
  t.match(xlsx.headers.get('content-type'), /spreadsheetml/)
  t.match(
    Buffer.from(await xlsx.arrayBuffer())
      .subarray(0, 2)
      .toString(),
    'PK',
  )
  const between = 'from=2026-03-01&to=2026-03-31'
  t.same((await root.get(`/admin/reports/money/?group=channel,day&${between}`)).body, {
    ok: true,
    rows: [
      { channel: 'gwa', day: '2026-03-05', count: 1, sum: '1234.50' },
      { channel: 'manual', day: '2026-03-06', count: 1, sum: '-0.50' },
    ],
    total: { count: 2, sum: '1234.00' },
  })
  t.same(
    (await root.get(`/admin/reports/money/?${between}&op_type=23`)).body.rows,
    [{ type: '23', count: 1, sum: '1234.50' }],
    'by type where nothing else is said',
  )
  t.equal(
    await (await file(`format=csv&language=ru&group=channel,day&${between}`, 'money')).text(),
    await (await file(`format=csv&language=ru&by=channel&across=day&${march}`)).text(),
  )
  for (const wrong of ['group=week', 'group=day,day', 'group=type,day,month', 'from=yesterday', 'format=pdf'])
    t.equal((await file(wrong, 'money')).status, 400, wrong)
  for (const path of ['debts', 'subscribers']) t.match(await (await file('format=csv', path)).text(), /Итого/)
  for (const wrong of ['by=week', 'by=day&across=day', 'date_from=yesterday', 'cashier=x', 'op_type=x', 'format=pdf'])
    t.equal((await file(wrong)).status, 400, wrong)
})

/** Brings an account below zero so many days ago, or with 0 rubles out of debt; with an operation, as the ledger does. */
const owes = (account: number, rubles: number, days: number) =>
  office.rows(
    `WITH posted AS (INSERT INTO finance_operations (op_type_id, op_summa, account_id) VALUES (9, -(10::numeric ^ 10), $1))
      UPDATE admin_accounts SET unlimited = true, debt_since = CASE WHEN $2::numeric > 0 THEN now() - $3 * interval '1 day' END,
        credit = credit + ostatok + $2::numeric * 10^10, ostatok = -$2::numeric * 10^10 WHERE id = $1`,
    [account, rubles, days],
  )

const ages = ({ items, totals }: Json) => [
  ...items.filter((one: Json) => one.accounts).map((one: Json) => [one.from_days, one.accounts, one.debt]),
  totals,
]

t.test('debts by the days since the balance went below zero', async (t) => {
  const [first, second, third, fourth] = clients
  await owes(first.account, 11, 400)
  await owes(second.account, 20.5, 40)
  await owes(third.account, 5, 3)
  const { body: posted } = await root.post('/rest_api/v2/FinanceOperations/', {
    ...{ account: fourth.account, op_type: 9, op_summa: 5 * 10 ** 10, op_date: '2026-01-02T03:04:05Z' },
  })
  t.match(posted.op_date, /^2026-01-02/, 'counted from the day on which it was recorded')
  await change(third.id, 'deleted = true, deleted_date = now()', [])
  const none = { departed_accounts: 0, departed_debt: '0.00' }
  for (const how of ['from the accounts', 'from the sums']) {
    if (how === 'from the sums') await run('roll_up_reports')
    const all = await report('debts', {})
    t.same(
      ages(all),
      [
        [0, 2, '10.00'],
        [31, 1, '20.50'],
        [366, 1, '11.00'],
        { accounts: 4, debt: '41.50', departed_accounts: 1, departed_debt: '5.00' },
      ],
      how,
    )
    t.same(
      all.items.map(({ to_days }: Json) => to_days),
      [30, 60, 90, 180, 365, null],
    )
    t.same(ages(await report('debts', {}, north)), [[31, 1, '20.50'], { accounts: 1, debt: '20.50', ...none }], how)
  }
})

t.test('debts are those of this moment, whatever the sums have of them', async (t) => {
  const [first, second, third, fourth] = clients
  const removeLast = () =>
    office.rows('DELETE FROM finance_operations WHERE op_id = (SELECT max(op_id) FROM finance_operations)')
  /** The bucket of operations has as many as before. */
  const anotherInPlaceOf = async () => {
    const { body } = await root.post('/rest_api/v2/FinanceOperations/', {
      ...{ account: fourth.account, op_type: 9, op_summa: 10 ** 10 },
    })
    await run('roll_up_reports')
    t.equal((await root.delete(`/rest_api/v2/FinanceOperations/${body.op_id}/`)).status, 204)
    await owes(second.account, 3, 5)
  }
  const deeds: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a debt whose operation takes the place of one that was removed', anotherInPlaceOf],
    ['a larger debt', () => owes(first.account, 12, 400)],
    ['a debt that is paid', () => owes(second.account, 0, 0)],
    ['and one that is new', () => owes(second.account, 7, 1)],
    ['another organization', () => change(second.id, 'organization_id = 3', [])],
    ['a subscriber that came back', () => change(third.id, 'deleted = false, deleted_date = NULL', [])],
    ['another account', () => change(fourth.id, 'account_id = $2', [first.account])],
    ['and its own again', () => change(fourth.id, 'account_id = $2', [fourth.account])],
    ['an operation that is gone before it was looked at', () => owes(first.account, 13, 400).then(removeLast)],
    ['another zone', () => setZone('Pacific/Apia')],
  ]
  for (const isSummedUp of [false, true]) {
    for (const [what, deed] of deeds) {
      await deed()
      if (isSummedUp) await run('roll_up_reports')
      const rows = await office.rows(`SELECT debt_since, ostatok, organization_id, deleted FROM admin_accounts
        LEFT JOIN abonents ON account_id = admin_accounts.id AND is_main WHERE debt_since IS NOT NULL`)
      for (const [caller, own] of [
        [root, rows],
        [north, rows.filter((row) => Number(row.organization_id) === 2)],
      ] as const) {
        const { totals } = await report('debts', {}, caller)
        const sumOf = (some: readonly Json[]) =>
          rubles(some.reduce((sum, row) => sum - Number(row.ostatok) / 10 ** 8, 0))
        const gone = own.filter(({ deleted }) => deleted)
        t.same(
          totals,
          { accounts: own.length, debt: sumOf(own), departed_accounts: gone.length, departed_debt: sumOf(gone) },
          `${what}${isSummedUp ? ', summed up' : ''}`,
        )
      }
    }
    await setZone('Europe/Moscow')
    t.equal((await run('verify_reports')).result.wrong, 0)
  }
  await change(second.id, 'organization_id = 2', [])
})

t.test('sums of debts that are wrong are found, told and made anew', async (t) => {
  await run('roll_up_reports')
  t.ok((await run('verify_reports')).result.debts > 0)
  const right = await report('debts', {})
  for (const wrong of ['report_debts', 'report_debtors']) {
    await office.rows(`UPDATE ${wrong} SET debt = debt + 10^10 WHERE ctid = (SELECT min(ctid) FROM ${wrong})`)
    if (wrong === 'report_debts') t.notSame(await report('debts', {}), right, 'they are what answers')
    const failed = await root.post('/admin/jobs/verify_reports/run/')
    t.same([failed.status, failed.body.run.result.wrong], [500, 1])
    t.match(failed.body.run.result.differences[0], { account_id: wrong === 'report_debts' ? null : /^\d+$/ })
    t.same(await report('debts', {}), right, 'until then the accounts answer')
    await run('roll_up_reports')
    t.equal((await run('verify_reports')).result.wrong, 0)
    t.same(await report('debts', {}), right)
  }
})

t.test('who came and left, and the revenue of a subscriber', async (t) => {
  await office.rows('DELETE FROM finance_operations')
  const lives = [
    ['2026-01-10', null],
    ['2026-01-31 23:30+03', '2026-03-01 00:30+03'],
    ['2026-02-05', null],
    ['2026-03-05', '2026-03-06'],
  ] as const
  for (const [at, [came, left]] of lives.entries())
    await change(clients[at].id, 'create_date = $2, deleted = $3::timestamptz IS NOT NULL, deleted_date = $3', [
      came,
      left,
    ])
  const money = async (date: string, type: number, amount: number, { id, account, organization }: Json) =>
    office.rows(
      `INSERT INTO finance_operations (op_date, op_summa, op_type_id, abonent_id, account_id, organization_id)
        VALUES ($1, $2::numeric * 10^10, $3, $4, $5, $6)`,
      [date, amount, type, id, account, organization],
    )
  const [first, second] = clients
  await money('2026-02-02', 32, -300, first)
  await money('2026-02-03', 41, 50, first)
  await money('2026-02-03', 31, 500, first)
  await money('2026-02-04', 7, 400, second)
  await money('2026-02-05', 7, -100, second)
  const answer = await report('subscribers', { date_from: '2026-02-10', date_to: '2026-03-20' })
  const nothing = { charged: '0.00', received: '0.00' }
  t.same(answer.items, [
    {
      ...{ month: '2026-02', began: 2, came: 1, left: 0, ended: 3, average: 2.5 },
      ...{ charged: '250.00', received: '300.00', charged_each: '100.00', received_each: '120.00' },
    },
    {
      ...{ month: '2026-03', began: 3, came: 1, left: 2, ended: 2, average: 2.5 },
      ...{ ...nothing, charged_each: '0.00', received_each: '0.00' },
    },
  ])
  t.same(answer.totals, { came: 2, left: 2, charged: '250.00', received: '300.00' })
  const ofNorth = await report('subscribers', { date_from: '2026-02-01', date_to: '2026-02-28' }, north)
  t.match(ofNorth.items, [{ began: 1, ended: 1, charged: '0.00', received: '300.00', received_each: '300.00' }])
  t.equal((await report('subscribers', {})).items.length, 12, 'a year where no period is named')
  const zone = `AT TIME ZONE 'Europe/Moscow'`
  const plain =
    await office.rows(`SELECT month, count(*) FILTER (WHERE is_new)::int4 AS came, count(*) FILTER (WHERE NOT is_new)::int4 AS left
    FROM (SELECT to_char(create_date ${zone}, 'YYYY-MM') AS month, true AS is_new FROM abonents
      UNION ALL SELECT to_char(deleted_date ${zone}, 'YYYY-MM'), false FROM abonents WHERE deleted) AS change
    GROUP BY month ORDER BY month`)
  const { items } = await report('subscribers', { date_from: '2020-01-01', date_to: '2029-12-31' })
  const changed = items.filter(({ came, left }: Json) => came + left > 0)
  t.same(
    changed.map(({ month, came, left }: Json) => ({ month, came, left })),
    plain,
    'all years, as the table has them',
  )
})

// The last one: whatever sums up or deletes twenty thousand operations does so for each of them.
t.test('a table that is too large is refused as a whole, and never told in part', async (t) => {
  await office.rows('DELETE FROM finance_operations')
  const [client] = clients
  await office.rows(
    `INSERT INTO finance_operations (op_date, op_summa, op_type_id, abonent_id, account_id, organization_id)
      SELECT '2000-01-01 12:00+03'::timestamptz + n * interval '1 day', 10::numeric ^ 10, 7, $1, $2, 1
      FROM generate_series(0, 20000) AS n`,
    [client.id, client.account],
  )
  const ask = async (query: string) => (await root.get(`/admin/reports/movements/?date_from=2000-01-01&${query}`)).body
  for (const wide of ['by=day&date_to=2099-12-31', 'by=day&across=month&date_to=2004-12-31'])
    t.same((await ask(wide)).code, 'report_too_large', wide)
  const { items, columns } = await ask('by=day&across=month&date_to=2001-12-31')
  t.same([items.length, columns.length, items[31].cells.slice(0, 3)], [731, 24, [null, '1.00', null]])
})
