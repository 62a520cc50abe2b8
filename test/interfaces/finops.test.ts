import t from 'tap'
import { systemAuthor } from '../../src/domain/author.ts'
import { accountId } from '../../src/domain/ids.ts'
import { fetch } from '../support/published.ts'
import { until } from '../support/until.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
const north = await office.staff('north', 'admin', [2])
const base = '/admin/Abonents'

async function newSubscriber(name: string, contract: string, organization = 1): Promise<Json> {
  const { body } = await root.post('/rest_api/v2/Abonents/', { name, contract_number: contract })
  await office.rows('UPDATE abonents SET organization_id = $1 WHERE id = $2', [organization, body.id])
  return body
}
const ivan = await newSubscriber('Иванов Иван', '000101')
const petr = await newSubscriber('Петров Пётр', '000102')
const guest = await newSubscriber('Southern guest', '000301', 3)
const northerner = await newSubscriber('Northerner', '000201', 2)

const post = (body: object, caller: Caller = root) => caller.post(`${base}/finops_crud/`, body)
async function posted(body: object): Promise<Json> {
  const { status, body: answer } = await post(body)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`)
  return answer.operation
}
const list = async (query: string, caller: Caller = root): Promise<Json> =>
  (await caller.get(`${base}/finops_json/?${query}`)).body
const idsOf = ({ items }: Json): number[] => items.map(({ op_id }: Json) => op_id)

t.test('an operation is posted through the account, by subscriber or by account', async (t) => {
  const { status, body } = await post({
    abonent_id: ivan.id,
    op_type_id: 7,
    amount: '150.50',
    op_date: '2026-01-05T10:20:30.123456+03:00',
    descr: 'Наличные',
    number: 'A-1',
    usluga_id: -4,
    credit_type_id: 40,
    operator_id: petr.id,
    admin_comment: 'note',
    code1c: '1C-1',
    is_cash: true,
    isbuhdoc: '0',
  })
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    duplicate: false,
    operation: {
      op_summa: '150.50',
      amount: '150.50',
      op_type_id: 7,
      abonent_id: ivan.id,
      account_id: ivan.account,
      contract_number: '000101',
      descr: 'Наличные',
      number: 'A-1',
      usluga_id: -4,
      credit_type_id: 40,
      operator_id: petr.id,
      admin_comment: 'note',
      code1c: '1C-1',
      is_cash: true,
      isbuhdoc: false,
      owner_name: 'root',
      source: 'legacy',
      aa_ostatok: '0.00',
    },
  })
  const expense = await posted({ account_id: ivan.account, op_type_id: 9, amount: 50 })
  t.match(expense, { op_summa: '-50.00', abonent_id: ivan.id, source: 'manual', aa_ostatok: '150.50' })
  const remark = await posted({ abonent: ivan.id, op_type: 33, descr: 'Смена тарифа: a → b' })
  t.match(remark, { op_summa: '0.00', source: 'tariff_change' })
  const form = await fetch(`${office.base}${base}/finops_crud/`, {
    method: 'POST',
    headers: { ...root.headers },
    body: new URLSearchParams({
      abonent_id: String(ivan.id),
      op_type_id: '9',
      amount: '-0.50',
      op_date: '',
      number: '',
    }),
  })
  t.match(
    await form.json(),
    { ok: true, operation: { op_summa: '-0.50', number: null } },
    'a form, an expense with its minus',
  )
})

t.test('what cannot be posted is refused in words', async (t) => {
  const whole = { abonent_id: ivan.id, op_type_id: 7, amount: '1.00' }
  const cases: [number, object][] = [
    [400, { ...whole, amount: '0' }],
    [400, { ...whole, amount: '-1' }],
    [400, { ...whole, amount: '1.001' }],
    [400, { ...whole, amount: 'x' }],
    [400, { ...whole, amount: null }],
    [400, { ...whole, op_type_id: 777 }],
    [400, { ...whole, op_type_id: undefined }],
    [400, { ...whole, abonent_id: null }],
    [400, { ...whole, op_date: 'soon' }],
    [400, { ...whole, code1c: 'x'.repeat(33) }],
    [400, { ...whole, usluga_id: 999_999 }],
    [400, { ...whole, fin_op_id: 999_999 }],
    [400, { ...whole, account_id: petr.account }],
    [404, { op_type_id: 7, amount: 1, account_id: 999_999 }],
    [403, { ...whole, abonent_id: 999_999 }],
    [403, { ...whole, operator_id: 999_999 }],
  ]
  for (const [status, body] of cases) {
    const answer = await post(body)
    t.match(answer, { status, body: { ok: false, error: String } }, JSON.stringify(body))
  }
  await office.rows(`UPDATE fin_types SET enabled = false WHERE type_id = 40`)
  t.equal((await post({ ...whole, op_type_id: 40 })).status, 400, 'a type out of use')
  await office.rows(`UPDATE fin_types SET enabled = true WHERE type_id = 40`)
})

t.test('a movement is posted once by its transaction, its payment id and its key', async (t) => {
  const first = await posted({ abonent_id: petr.id, op_type_id: 7, amount: 10, descr: 'Terminal [txn:T-9]' })
  t.match(await post({ abonent_id: ivan.id, op_type_id: 7, amount: 10, txn: 'T-9' }), {
    status: 200,
    body: { duplicate: true, operation: { op_id: first.op_id, abonent_id: petr.id } },
  })
  t.equal((await post({ abonent_id: petr.id, op_type_id: 7, amount: 11, txn: 'T-9' })).status, 409)
  const paid = { abonent_id: petr.id, op_type_id: 40, amount: 5, operator_pay_id_str: 'P-1' }
  const { op_id } = await posted(paid)
  t.match((await post(paid)).body, { duplicate: true, operation: { op_id } })
  const keyed = (body: object) =>
    new (root.constructor as new (base: string, headers: object) => Caller)(office.base, {
      ...root.headers,
      'Idempotency-Key': 'k-1',
    }).post(`${base}/finops_crud/`, body)
  const answers = await Promise.all([
    keyed({ ...paid, operator_pay_id_str: 'P-2' }),
    keyed({ ...paid, operator_pay_id_str: 'P-2' }),
  ])
  t.equal(answers[0].body.operation.op_id, answers[1].body.operation.op_id)
  t.equal((await keyed({ ...paid, amount: 6 })).status, 409)
})

t.test('what describes an operation can be changed and is audited, the rest cannot', async (t) => {
  const parent = await posted({ abonent_id: petr.id, op_type_id: 9, amount: 3 })
  const { op_id } = await posted({ abonent_id: petr.id, op_type_id: 7, amount: 20, descr: 'before' })
  const change = (body: object, caller: Caller = root) => caller.post(`${base}/finops_crud/${op_id}/`, body)
  const fixed: object[] = [
    { amount: 21 },
    { op_summa: '-20.00' },
    { account_id: ivan.account },
    { account: 0 },
    { op_type_id: 9 },
    { aa_ostatok: '1.00' },
    { aa_unlimited: true },
    { balance_buh: 5 },
  ]
  for (const body of fixed) {
    t.match(await change({ ...body, descr: 'no' }), { status: 400, body: { ok: false } }, JSON.stringify(body))
  }
  t.match(
    await change({ amount: 20, op_type: '7', account_id: petr.account, descr: 'after' }),
    {
      status: 200,
      body: { ok: true, operation: { descr: 'after', amount: '20.00' } },
    },
    'a form may send back what it was shown',
  )
  t.match(await change({ fin_op_id: op_id }), { status: 400, body: { error: /own parent/ } })
  t.equal(
    (
      await change({
        fin_op_id: parent.op_id,
        op_date: '2026-02-03',
        confirm: 1,
        is_cash: true,
        number: 'N',
        usluga_id: 30353,
      })
    ).status,
    200,
  )
  t.match(
    await root.post(`${base}/finops_crud/${parent.op_id}/`, { fin_op_id: op_id }),
    { status: 400, body: { error: /ancestor/ } },
    'no circle of parents',
  )
  t.equal((await change({ abonent_id: guest.id })).status, 400, 'not a client of the account')
  t.equal((await change({ abonent_id: petr.id, op_date: '' })).status, 200)
  const { body: detail } = await root.get(`${base}/finops_detail/${op_id}/`)
  t.match(detail.operation, {
    op_date: /^2026-02-03T00:00:00\+03:00$/,
    fin_op_id: parent.op_id,
    is_cash: true,
    number: 'N',
  })
  t.match(detail.audit.slice(0, 2), [
    {
      action: 'change',
      user: 'root',
      diff: { fin_op: [null, parent.op_id], is_cash: [false, true], number: [null, 'N'], usluga: [null, 30353] },
    },
    { action: 'change', diff: { descr: ['before', 'after'] } },
  ])
  t.equal((await change({ operator_pay_id_str: 'P-1' })).status, 409, 'a payment of another operation')
  t.equal((await change({ operator_pay_id_str: 'P-77', descr: 'Terminal [txn:T-77]' })).status, 200)
  for (const late of [{ operator_pay_id_str: 'P-77' }, { txn: 'T-77' }]) {
    t.match(
      await post({ abonent_id: petr.id, op_type_id: 7, amount: 20, ...late }),
      { status: 200, body: { duplicate: true, operation: { op_id } } },
      'what was named later is taken as well',
    )
  }
  t.equal((await change({ operator_pay_id_str: 'P-78' })).status, 200)
  t.match((await post({ abonent_id: petr.id, op_type_id: 7, amount: 20, operator_pay_id_str: 'P-77' })).body, {
    duplicate: true,
  })
})

t.test('two writes together make no circle of parents, whichever doors they come by', async (t) => {
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push((await posted({ abonent_id: petr.id, op_type_id: 7, amount: 1 })).op_id)
  const [a, b, c, d] = ids
  const place = (id: number, parent: number) => root.put(`/rest_api/v2/FinanceOperations/${id}/`, { fin_op: parent })
  t.equal((await place(a!, b!)).status, 200)
  t.equal((await place(c!, d!)).status, 200)
  const holder = await office.database.pool.connect()
  const blocked =
    'SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0'
  const untilBlocked = (count: number) => until(async () => (await holder.query(blocked)).rowCount === count)
  await holder.query('BEGIN')
  await holder.query('SELECT FROM finance_operations WHERE op_id = $1 FOR UPDATE', [a])
  const first = root.post(`${base}/finops_crud/${d}/`, { fin_op_id: a })
  await untilBlocked(1)
  const second = place(b!, c!)
  await Promise.race([second, untilBlocked(2)])
  await holder.query('COMMIT')
  holder.release()
  t.equal((await first).status, 200)
  t.match(await second, { status: 400, body: { fin_op: [/own parent/] } })
})

t.test('_delete removes the record of an operation and leaves the balance', async (t) => {
  const before = (await office.rows('SELECT ostatok FROM admin_accounts WHERE id = $1', [petr.account]))[0].ostatok
  const { op_id } = await posted({ abonent_id: petr.id, op_type_id: 7, amount: 1 })
  const viewer = await office.staff('viewer-1', 'viewer', [1])
  const cashier = await office.staff('cashier-1', 'cashier', [1])
  t.equal((await viewer.post(`${base}/finops_crud/`, { abonent_id: ivan.id, op_type_id: 7, amount: 1 })).status, 403)
  t.equal((await cashier.post(`${base}/finops_crud/${op_id}/`, { _delete: 1 })).status, 403)
  t.equal((await cashier.post(`${base}/finops_crud/`, { abonent_id: ivan.id, op_type_id: 7, amount: 1 })).status, 200)
  t.same((await root.post(`${base}/finops_crud/${op_id}/`, { _delete: 1 })).body, { ok: true, deleted: op_id })
  t.equal((await root.get(`${base}/finops_detail/${op_id}/`)).status, 404)
  t.equal((await root.post(`${base}/finops_crud/${op_id}/`, { _delete: 1 })).status, 404)
  const after = (await office.rows('SELECT ostatok FROM admin_accounts WHERE id = $1', [petr.account]))[0].ostatok
  t.equal(BigInt(after) - BigInt(before), 10_000_000_000n)
  t.match(await root.post(`${base}/finops_crud/`, { _delete: 1 }), { status: 400, body: { error: /address/ } })
})

t.test('so does DELETE', async (t) => {
  const { op_id } = await posted({ abonent_id: petr.id, op_type_id: 7, amount: 1 })
  const path = `${base}/finops_crud/${op_id}/`
  const cashier = await office.staff('cashier-2', 'cashier', [1])
  t.equal((await cashier.delete(path)).status, 403)
  t.same(await root.delete(path), { status: 200, body: { ok: true, deleted: op_id } })
  t.equal((await root.delete(path)).status, 404)
})

t.test('an invisible operation is answered as missing, an invisible subscriber in a change with 403', async (t) => {
  const foreign = await posted({ abonent_id: guest.id, op_type_id: 7, amount: 30, descr: 'Southern money' })
  const own = await posted({ abonent_id: northerner.id, op_type_id: 7, amount: 40, txn: 'north-1' })
  t.equal((await north.get(`${base}/finops_detail/${foreign.op_id}/`)).status, 404)
  t.equal((await north.post(`${base}/finops_crud/${foreign.op_id}/`, { descr: 'mine' })).status, 404)
  t.equal((await north.post(`${base}/finops_crud/${own.op_id}/`, { abonent_id: guest.id })).status, 403)
  t.equal((await north.post(`${base}/finops_crud/${own.op_id}/`, { operator_id: guest.id })).status, 403)
  t.equal((await north.post(`${base}/finops_crud/${own.op_id}/`, { fin_op_id: foreign.op_id })).status, 400)
  t.equal((await post({ abonent_id: guest.id, op_type_id: 7, amount: 1 }, north)).status, 403)
  t.equal((await post({ account_id: guest.account, op_type_id: 7, amount: 1 }, north)).status, 404)
  t.equal(
    (await post({ abonent_id: northerner.id, op_type_id: 7, amount: 10, txn: 'T-9' }, north)).status,
    409,
    'taken by others: not shown',
  )
  const seen = await list('', north)
  t.same(idsOf(seen), [own.op_id])
  t.match(seen, { total: 1, kpi: { total: 1, income_sum: '40.00' }, show_org: false })
  t.equal((await list('')).show_org, true)
  t.same(idsOf((await north.get(`${base}/finops_search/?q=southern%20guest`)).body), [])
  t.same(idsOf((await root.get(`${base}/finops_search/?q=southern%20guest`)).body), [foreign.op_id])
  await office.rows('UPDATE finance_operations SET fin_op_id = $1 WHERE op_id = $2', [foreign.op_id, own.op_id])
  t.match((await north.get(`${base}/finops_detail/${own.op_id}/`)).body, {
    parent: null,
    abonent: { name: 'Northerner' },
  })
  t.match((await root.get(`${base}/finops_detail/${own.op_id}/`)).body, { parent: { op_id: foreign.op_id } })
  t.match((await root.get(`${base}/finops_detail/${foreign.op_id}/`)).body, {
    children: [{ op_id: own.op_id }],
    children_total: 1,
  })
})

t.test('the detail has the whole context of an operation and of its reversal', async (t) => {
  const { op_id } = await posted({ abonent_id: ivan.id, op_type_id: 7, amount: '12.34', usluga_id: -3 })
  t.match((await root.get(`${base}/finops_detail/${op_id}/`)).body, {
    ok: true,
    direction: 'income',
    can_storno: true,
    operation: { op_id, source: 'promise', storno: false },
    snapshot: { aa_ostatok: String, balance_after: String, aa_limit: '0.00', aa_unlimited: false },
    op_type: { type_id: 7, op_sign: 1 },
    account: { id: ivan.account, unlimited: false },
    abonent: { id: ivan.id, name: 'Иванов Иван', contract_number: '000101' },
    owner: { username: 'root' },
    usluga: { id: -3 },
    organization: { id: 1 },
    payment: { txn: null },
    fiscal: { kkm_printed: false, has_print_form: false },
    chain: { seq: Number, hash: /^[0-9a-f]{64}$/ },
    original: null,
    reversal: null,
    parent: null,
    children: [],
    audit: [{ action: 'create', user: 'root' }],
  })
  const reverse = { kind: 'reverse', operationId: null, keys: [] } as const
  await office.accounts.ask(accountId(ivan.account), reverse, systemAuthor('test'))
  const { body: original } = await root.get(`${base}/finops_detail/${op_id}/`)
  t.match(original, { can_storno: false, operation: { storno: true }, reversal: { op_summa: '-12.34', storno: true } })
  const { body: reversal } = await root.get(`${base}/finops_detail/${original.reversal.op_id}/`)
  t.match(reversal, {
    direction: 'expense',
    can_storno: false,
    original: { op_id },
    operation: { related_operation_id: op_id, is_reversal: true },
  })
  t.equal(original.operation.is_reversal, false)
  const parent = await posted({ abonent_id: ivan.id, op_type_id: 7, amount: 1 })
  const below = await posted({ abonent_id: ivan.id, op_type_id: 7, amount: 2, fin_op_id: parent.op_id })
  await office.accounts.ask(accountId(ivan.account), reverse, systemAuthor('test'))
  const detail = async (id: number) => (await root.get(`${base}/finops_detail/${id}/`)).body
  const reversed = await detail(below.op_id)
  t.match(
    reversed.operation,
    { storno: true, fin_op_id: parent.op_id, is_reversal: false },
    'one with a parent is none for that',
  )
  await root.post(`${base}/finops_crud/${below.op_id}/`, { _delete: 1 })
  t.match(
    (await detail(reversed.reversal.op_id)).operation,
    { storno: true, related_operation_id: null, is_reversal: true },
    'also where the record of what it has reversed is gone',
  )
  for (const bad of ['0', '-1', 'x', '999999']) t.equal((await root.get(`${base}/finops_detail/${bad}/`)).status, 404)
})

t.test('suggestions', async (t) => {
  t.match((await root.get(`${base}/finops_credit_types/?q=КАССА`)).body, {
    ok: true,
    items: [{ id: 40, name: 'Касса' }],
  })
  t.match((await root.get(`${base}/finops_uslugi/?q=предоплата`)).body.items, [{ id: -4, price: '0.00' }])
  t.match((await root.get(`${base}/finops_staff_users/?q=ro`)).body.items, [{ name: 'root' }])
  t.same((await north.get(`${base}/finops_staff_users/?q=ro`)).body.items, [], 'who sees everything is not shown')
  t.match((await north.get(`${base}/finops_staff_users/`)).body.items, [{ name: 'north' }])
  const { op_id } = await posted({ abonent_id: ivan.id, op_type_id: 7, amount: 1, number: 'INV-5' })
  for (const q of ['INV-5', String(op_id)])
    t.equal((await root.get(`${base}/finops_search/?q=${q}`)).body.items[0].op_id, op_id, q)
  t.notOk(idsOf((await root.get(`${base}/finops_search/?q=INV-5&exclude=${op_id}`)).body).includes(op_id))
  t.equal((await root.get(`${base}/finops_search/?q=%25`)).body.items.length, 0, 'a percent sign is no pattern')
})

t.test('the list is for who is signed in', async (t) => {
  t.equal((await fetch(`${office.base}${base}/finops_json/`)).status, 401)
})
