import t from 'tap'
import { CashDesk } from '../../../src/billing/cash/limits.ts'
import { staffId } from '../../../src/domain/ids.ts'
import { rubles, zero } from '../../../src/domain/money.ts'
import { zoneOfNoon } from '../../support/noon.ts'
import { fetch } from '../../support/published.ts'
import { until } from '../../support/until.ts'
import { base, type Caller, type Json, openAccountsOffice, withHeader } from './fixture.ts'

const { office, root, client } = await openAccountsOffice(t)
await office.settings.set({ TIME_ZONE: zoneOfNoon() })
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North') ON CONFLICT DO NOTHING`)
const { account, id } = await client('Пётр')
const desk = async (caller: Caller): Promise<Json> => (await caller.get('/admin/cash/desk/')).body
const open = (caller: Caller, opening_cash?: unknown) => caller.post('/admin/cash/open/', { opening_cash })
const close = (caller: Caller, counted_cash?: unknown) => caller.post('/admin/cash/close/', { counted_cash })
const pay = (caller: Caller, amount: number | string, more: object = { is_cash: true }) =>
  caller.post(`${base}/accounts_payment/${account}/`, { amount, op_type_id: 40, abonent_id: id, ...more })
const cashierOf = (name: string, organizations = [1]) => office.staff(name, 'cashier', organizations)

t.test('a shift counts what its cashier took, by type and way, and closes with a paper', async (t) => {
  const [anna, boris] = [await cashierOf('anna'), await cashierOf('boris')]
  t.match(await desk(anna), { ok: true, shift: null, today: '0.00', limit: null, limit_all: null })
  t.match(await close(anna), { status: 409, body: { code: 'no_shift' } })
  t.match(await open(anna, '-5'), { status: 400, body: { code: 'wrong_field', errors: { opening_cash: String } } })
  t.match(await open(anna, 'много'), { status: 400, body: { code: 'wrong_field' } })
  t.match(await open(anna, '1000.50'), { status: 200, body: { shift: { opening_cash: '1000.50', closed_at: null } } })
  t.match(await open(anna), { status: 409, body: { code: 'shift_open' } })
  t.equal((await open(boris)).status, 200)

  const wrong = (await pay(anna, 500)).body.operation
  t.equal(wrong.is_cash, true)
  await pay(anna, '250.25')
  await pay(anna, 70, { is_cash: false })
  await pay(anna, 5, { op_type_id: 7 })
  await pay(anna, 33, { kind: 'adjustment', op_type_id: 9 })
  await pay(boris, 900)
  await root.post(`${base}/accounts_payment/${account}/`, { amount: 1 })
  await root.post(`/rest_api/v2/promise_pay/${id}/`, {})
  t.equal((await anna.post(`${base}/finops_reverse/${wrong.op_id}/`, { reason: 'не тот договор' })).status, 200)

  const { shift, today } = await desk(anna)
  t.match(shift, {
    staff_name: 'anna',
    totals: [
      {
        ...{ type_id: 40, way: 'cash', received_count: 2, received: '750.25' },
        ...{ returned_count: 1, returned: '500.00' },
      },
      { type_id: 7, way: 'other', received_count: 1, received: '5.00', returned_count: 0, returned: '0.00' },
      { type_id: 40, way: 'other', received_count: 1, received: '70.00' },
    ],
    cash_received: '750.25',
    cash_returned: '500.00',
    cash_expected: '1250.75',
    counted_cash: null,
    difference: null,
  })
  t.equal(shift.totals.length, 3)
  t.equal(today, '250.25')

  const closed = await close(anna, '1250')
  t.match(closed, {
    status: 200,
    body: { shift: { totals: shift.totals, cash_expected: '1250.75', counted_cash: '1250.00', difference: '-0.75' } },
  })
  t.type(closed.body.shift.closed_at, 'string')
  t.match(await close(anna), { status: 409 })
  t.same((await anna.get(`/admin/cash/shifts/${shift.id}/`)).body.shift, closed.body.shift, 'and stays as it was')
  const paper = await fetch(`${office.base}/admin/cash/shifts/${shift.id}/paper/`, { headers: anna.headers })
  t.equal(paper.headers.get('content-type'), 'application/pdf')
  t.match(
    Buffer.from(await paper.arrayBuffer())
      .subarray(0, 5)
      .toString(),
    '%PDF-',
  )
  t.match(
    await office.rows(
      `SELECT action, user_name, diff FROM audit_operations WHERE table_name = 'CASH_SHIFTS' AND object_id = $1 ORDER BY id`,
      [String(shift.id)],
    ),
    [
      { action: 'create', user_name: 'anna', diff: { opening_cash: [null, '1000.50'] } },
      { action: 'change', diff: { cash: [null, '1250.75'], counted_cash: [null, '1250.00'] } },
    ],
  )
})

t.test('every payment belongs to one shift, also one between two shifts', async (t) => {
  const vera = await cashierOf('vera')
  await open(vera)
  await pay(vera, 10)
  t.match((await close(vera)).body.shift, { cash_received: '10.00', counted_cash: null, difference: null })
  const between = (await pay(vera, 20)).body.operation
  await open(vera)
  await pay(vera, 30)
  t.match((await desk(vera)).shift, { cash_received: '50.00' })
  await vera.post(`${base}/finops_reverse/${between.op_id}/`, { reason: 'x' })
  t.match((await close(vera)).body.shift, { cash_received: '50.00', cash_returned: '20.00', cash_expected: '30.00' })
  await open(vera)
  t.match((await desk(vera)).shift, { totals: [], cash_received: '0.00' })
  t.same(
    await office.rows(
      `SELECT count(*)::int AS operations, count(DISTINCT op_id)::int AS different FROM cash_shift_operations
        JOIN cash_shifts ON id = shift_id JOIN staff ON staff.id = staff_id WHERE username = 'vera'`,
    ),
    [{ operations: 4, different: 4 }],
  )
})

t.test('banknotes are in the shift whatever else is said of them, and so is their reversal', async (t) => {
  const zhanna = await cashierOf('zhanna')
  await open(zhanna)
  const posted = { abonent_id: id, op_type_id: 40 }
  const marks = [
    { amount: 80, isbuhdoc: false },
    { amount: 7, operator_name: 'Терминал', operator_pay_id_str: 'cash-7' },
  ]
  const made = []
  for (const mark of marks) {
    const { body } = await zhanna.post(`${base}/finops_crud/`, { ...posted, ...mark, is_cash: true })
    made.push(body.operation.op_id)
    await zhanna.post(`${base}/finops_crud/`, { ...posted, ...mark, operator_pay_id_str: `other-${mark.amount}` })
  }
  t.match(await desk(zhanna), { today: '87.00', shift: { cash_received: '87.00', totals: [{ received_count: 2 }] } })
  for (const op_id of made) await zhanna.post(`${base}/finops_reverse/${op_id}/`, { reason: 'x' })
  const { shift, today } = await desk(zhanna)
  t.equal(shift.totals.length, 1, 'what is no cash and no document of ours is in no shift')
  t.match(shift, { cash_returned: '87.00', cash_expected: '0.00' })
  t.equal(today, '0.00')
})

t.test('who sees some organizations is told the cash of these alone', async (t) => {
  const far = await cashierOf('yana', [2])
  const south = await cashierOf('zoya')
  await office.settings.set({ CASH_LIMIT_DAY: 1_000_000 })
  const { today_all: before } = await desk(south)
  const both = (await desk(root)).today_all
  t.equal((await pay(south, 12)).status, 200)
  t.equal((await desk(far)).today_all, '0.00')
  t.match(await desk(south), { today_all: (Number(before) + 12).toFixed(2), limit_all: null })
  t.match(await desk(root), { today_all: (Number(both) + 12).toFixed(2), limit_all: '1000000.00' })
  await office.settings.set({ CASH_LIMIT_DAY: 0 })
})

t.test('two who close at once close one shift, and payments meanwhile are lost in none', async (t) => {
  const galina = await cashierOf('galina')
  await open(galina)
  const deeds = await Promise.all([
    ...Array.from({ length: 10 }, () => pay(galina, 1)),
    close(galina),
    close(galina),
    ...Array.from({ length: 10 }, () => pay(galina, 1)),
  ])
  t.same(
    deeds
      .slice(10, 12)
      .map(({ status }) => status)
      .sort(),
    [200, 409],
  )
  const first = deeds.slice(10, 12).find(({ status }) => status === 200)!.body.shift
  await open(galina)
  const second = (await close(galina)).body.shift
  t.equal(Number(first.cash_received) + Number(second.cash_received), 20)
})

t.test('cashiers see their own shifts, who may change records those of their organizations', async (t) => {
  const dina = await cashierOf('dina')
  const elena = await cashierOf('elena', [2])
  await open(dina)
  const mine = (await close(dina)).body.shift
  await open(elena)
  const hers = (await close(elena)).body.shift
  const seen = async (caller: Caller): Promise<number[]> =>
    (await caller.get('/admin/cash/shifts/?limit=200')).body.items.map((one: Json) => one.id)
  t.same(await seen(dina), [mine.id])
  const operator = await office.staff('op-south', 'operator', [1])
  const visible = await seen(operator)
  t.ok(visible.includes(mine.id))
  t.notOk(visible.includes(hers.id))
  t.ok((await seen(root)).includes(hers.id))
  for (const path of [`/admin/cash/shifts/${hers.id}/`, `/admin/cash/shifts/${hers.id}/paper/`]) {
    t.equal((await dina.get(path)).status, 404)
    t.equal((await operator.get(path)).status, 404)
    t.equal((await elena.get(path)).status, 200)
  }
  t.equal((await root.get(`/admin/cash/shifts/?staff=${hers.staff_id}`)).body.items.length, 1)
  t.equal((await root.get('/admin/cash/shifts/?date_to=2020-01-01')).body.items.length, 0)
  t.equal((await root.get('/admin/cash/shifts/?sort=name')).status, 400)
  const viewer = await office.staff('viewer-cash', 'viewer', [1])
  t.equal((await viewer.get('/admin/cash/desk/')).status, 403)
  t.equal((await open(viewer)).status, 403)
})

t.test('cash of a day is limited by cashier and altogether, also for payments at once', async (t) => {
  const [fedor, galya] = [await cashierOf('fedor'), await cashierOf('galya')]
  const { today_all: before } = await desk(root)
  await office.settings.set({ CASH_LIMIT_CASHIER: 1_000 })
  t.equal((await pay(fedor, 600)).status, 200)
  t.match(await pay(fedor, '400.01'), { status: 400, body: { code: 'cash_limit_cashier' } })
  t.equal((await pay(fedor, '400.01', { is_cash: false })).status, 200, 'not in cash')
  t.match(await fedor.post(`${base}/finops_crud/`, { abonent_id: id, op_type_id: 40, amount: 401, is_cash: true }), {
    status: 400,
    body: { code: 'cash_limit_cashier' },
  })
  t.match(await desk(fedor), { today: '600.00', limit: '1000.00', limit_all: null })
  const race = await Promise.all(Array.from({ length: 8 }, () => pay(fedor, 100)))
  t.equal(race.filter(({ status }) => status === 200).length, 4)
  t.match(await desk(fedor), { today: '1000.00' })
  const { op_id } = race.find(({ status }) => status === 200)!.body.operation
  await fedor.post(`${base}/finops_reverse/${op_id}/`, { reason: 'x' })
  const keyed = withHeader(fedor, 'Idempotency-Key', 'cash-1')
  const last = await pay(keyed, 100)
  t.equal(last.status, 200, 'what was given back may be taken again')
  t.same(await pay(keyed, 100), last, 'a repeat takes nothing')

  const named = { is_cash: true, txn: 'cash-txn' }
  t.equal((await fedor.post(`${base}/finops_reverse/${last.body.operation.op_id}/`, { reason: 'x' })).status, 200)
  const taken = (await pay(fedor, 100, named)).body.operation
  t.match(
    await pay(fedor, 100, named),
    { status: 200, body: { duplicate: true, operation: { op_id: taken.op_id } } },
    'what was taken is told at the limit, too',
  )
  const operator = await office.staff('op-cash', 'operator', [1])
  const byProgram = { abonent: id, op_type: 40, op_summa: 10_010_000_000_000, is_cash: true }
  t.match(
    await operator.post('/rest_api/v2/FinanceOperations/', byProgram),
    { status: 400, body: { non_field_errors: [/CASH_LIMIT_CASHIER/] } },
    'REST is no way around it',
  )

  const first = { name: 'Новый', payment: { amount: 500, op_type_id: 40, is_cash: true } }
  const atDesk = await office.staff('op-new', 'operator', [1])
  t.match(await atDesk.post(`${base}/create/`, { ...first, payment: { ...first.payment, amount: '1000.01' } }), {
    status: 400,
    body: { code: 'cash_limit_cashier' },
  })
  const created = await atDesk.post(`${base}/create/`, first)
  t.match(created, { status: 200, body: { operation: { is_cash: true } } }, 'the first payment of a subscriber, too')
  t.match(await desk(atDesk), { today: '500.00' })
  t.equal((await atDesk.post(`${base}/finops_reverse/${created.body.operation.op_id}/`, { reason: 'x' })).status, 200)

  await office.settings.set({ CASH_LIMIT_DAY: Number(before) + 1_500 })
  t.equal((await pay(galya, 500)).status, 200)
  t.match(await pay(galya, 1), { status: 400, body: { code: 'cash_limit_day' } })
  await office.settings.set({ CASH_LIMIT_CASHIER: 0, CASH_LIMIT_DAY: 0 })
  t.equal((await pay(galya, 1)).status, 200)
})

t.test(
  'two programs on one database keep the limit together, and what was taken before a restart counts',
  async (t) => {
    const inna = await cashierOf('inna')
    const [{ id: staff }] = await office.rows(`SELECT id::int FROM staff WHERE username = 'inna'`)
    const scope = { database: office.database, timeZone: () => office.settings.get('TIME_ZONE') }
    const posting = { sign: 1, amount: rubles(600), details: { isCash: true }, keys: [] } as const
    const program = (post: () => Promise<object>) =>
      new CashDesk(scope, () => ({ cashier: rubles(1_000), day: zero })).take(staffId(staff), posting, post)
    const isHeldUp = async () =>
      (await office.rows(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).length > 0
    const second = Promise.withResolvers<object>()
    const first = program(async () => {
      const other = program(async () => ({ taken: 'second' }))
      other.then(second.resolve, second.reject)
      await Promise.race([other, until(isHeldUp)])
      return (await pay(inna, 600)).body
    })
    t.match(await first, { ok: true })
    t.same(await second.promise, { exceeded: 'cash_limit_cashier' })
  },
)
