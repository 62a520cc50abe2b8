import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { fetch } from '../../support/published.ts'
import { base, type Json, openAccountsOffice, withHeader } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const t7 = { op_type_id: 7 }

t.test('a top-up credits the account, an adjustment follows the sign of its type', async (t) => {
  const { root, client, audit, office } = await openAccountsOffice(t, { shared })
  const { id, account } = await client('Пётр')
  const pay = (body: object) => root.post(`${base}/accounts_payment/${account}/`, body)

  const first = await pay({
    amount: '100.50',
    kind: 'topup',
    ...t7,
    descr: 'наличные',
    op_date: '2026-01-02',
    confirm: '1',
  })
  t.match(first, {
    status: 200,
    body: {
      ok: true,
      duplicate: false,
      operation: {
        op_summa: '100.50',
        op_type: 7,
        account,
        abonent: id,
        descr: 'наличные',
        op_date: '2026-01-02T00:00:00+03:00',
        storno: false,
        source: 'manual',
        owner_name: 'root',
        aa_ostatok: '0.00',
      },
      account: { id: account, balance: '100.50', debit: '100.50', credit: '0.00' },
    },
  })
  t.match(
    (await pay({ amount: 20 })).body,
    { operation: { op_type: 7, op_summa: '20.00' } },
    'a top-up is a manual receipt',
  )

  const expense = await pay({ amount: '150', kind: 'adjustment', op_type_id: 9 })
  t.match(expense.body, { operation: { op_summa: '-150.00' }, account: { balance: '-29.50' } }, 'inverted')
  t.match(expense.body.account.client, { enabled: false }, 'spending below the limit blocks at once')
  t.match((await pay({ amount: '-1', kind: 'adjustment', op_type_id: 9 })).body.operation, { op_summa: '-1.00' })
  const income = await pay({ amount: '30.50', kind: 'adjustment', op_type_id: 7 })
  t.match(income.body.account, { balance: '0.00', client: { enabled: true } }, 'and a receipt unblocks at once')
  t.match((await pay({ kind: 'adjustment', op_type_id: 33, descr: 'заметка' })).body.operation, { op_summa: '0.00' })

  const rows = await audit(account)
  t.match(rows.at(-2), {
    action: 'operation',
    user_name: 'root',
    organization: 1,
    diff: { op_id: income.body.operation.op_id, op_type: 7, amount: '30.50', balance: ['-30.50', '0.00'] },
  })
  t.same(await office.rows('SELECT ostatok = debit - credit AS ok FROM admin_accounts'), [{ ok: true }])

  const form = await fetch(`${office.base}${base}/accounts_payment/${account}/`, {
    method: 'POST',
    headers: { ...root.headers, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'amount=5&kind=topup&op_type_id=7&txn=&descr=&op_date=&abonent_id=',
  })
  t.match(await form.json(), { ok: true, account: { balance: '5.00' } }, 'a form with empty fields')
})

t.test('what cannot be paid is refused and moves nothing', async (t) => {
  const { root, client, office } = await openAccountsOffice(t, { shared })
  const { account } = await client('Пётр')
  const other = await client('Иван')
  await office.rows(`INSERT INTO fin_types (type_id, op_name, op_sign, enabled) VALUES (200, 'Old', 1, false)`)
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ amount: 0 }, /^amount: .*more than zero/],
    [{ amount: '-5' }, /^amount: .*more than zero/],
    [{ amount: '1.005' }, /two decimal places/],
    [{ amount: 1.005 }, /two decimal places/],
    [{ amount: 'ten' }, /^amount/],
    [{ amount: null }, /^amount/],
    [{ amount: true }, /^amount/],
    [{ amount: '999999999999' }, /^amount/],
    [{}, /^amount/],
    [{ amount: 1, op_type_id: 9 }, /^op_type_id: .*income/],
    [{ amount: 1, op_type_id: 33 }, /^op_type_id: .*income/],
    [{ amount: 1, op_type_id: 12345 }, /^op_type_id: .*exists/],
    [{ amount: 1, op_type_id: 'x' }, /^op_type_id: .*exists/],
    [{ amount: 1, op_type_id: 200 }, /^op_type_id: .*in use/],
    [{ amount: 1, kind: 'gift' }, /^kind/],
    [{ amount: 1, kind: 'adjustment' }, /^op_type_id/],
    [{ amount: 0, kind: 'adjustment', op_type_id: 9 }, /^amount: .*not be zero/],
    [{ amount: -1, kind: 'adjustment', op_type_id: 7 }, /^amount: .*expense/],
    [{ amount: 1, op_date: 'yesterday' }, /^op_date/],
    [{ amount: 1, op_date: '2026-02-30' }, /^op_date/],
    [{ amount: 1, abonent_id: other.id }, /^abonent_id/],
    [{ amount: 1, abonent_id: 987_654 }, /^abonent_id/],
    [{ amount: 1, txn: 'x'.repeat(101) }, /^txn/],
    [{ amount: 1, descr: 5 }, /^descr/],
    [{ amount: 1, descr: 'x'.repeat(10_001) }, /^descr/],
  ]
  for (const [body, error] of refused) {
    const answer = await root.post(`${base}/accounts_payment/${account}/`, body)
    t.match(answer, { status: 400, body: { ok: false, error } }, JSON.stringify(body).slice(0, 80))
  }
  await root.post(`${base}/accounts_payment/${account}/`, { amount: '900000000' })
  t.match(await root.post(`${base}/accounts_payment/${account}/`, { amount: '900000000' }), {
    status: 400,
    body: { code: 'amountOutOfRange' },
  })
  t.same(await office.rows('SELECT count(*)::int AS n FROM finance_operations'), [{ n: 1 }])
  t.equal((await root.post(`${base}/accounts_payment/987654/`, { amount: 1 })).status, 404)
})

t.test('a txn is posted once in all accounts', async (t) => {
  const { root, client, office } = await openAccountsOffice(t, { shared })
  const { account } = await client('Пётр')
  const other = await client('Иван')
  const pay = (to: number, body: object) => root.post(`${base}/accounts_payment/${to}/`, body)
  const first = await pay(account, { amount: 10, txn: 'A-1' })
  const again = await pay(account, { amount: '10.00', txn: 'A-1', descr: 'other words' })
  t.match(again, {
    status: 200,
    body: { duplicate: true, operation: { op_id: first.body.operation.op_id, txn: 'A-1' } },
  })
  t.equal(again.body.account.balance, '10.00', 'and credits nothing again')
  t.match(await pay(account, { amount: 11, txn: 'A-1' }), { status: 409, body: { code: 'keyTakenWithOtherAmount' } })
  t.match(await pay(account, { amount: 10, kind: 'adjustment', op_type_id: 9, txn: 'A-1' }), { status: 409 })
  t.match(
    (await pay(other.account, { amount: 10, txn: 'A-1' })).body,
    { duplicate: true, operation: { account }, account: { id: other.account, balance: '0.00' } },
    'an operation of another account',
  )
  t.match(
    (await pay(account, { amount: 10, descr: 'терминал [txn:A-1]' })).body,
    { duplicate: true },
    'marked in the text',
  )
  const rest = { account, op_type: 7, op_summa: 100_000_000_000, txn: 'A-1' }
  t.equal((await root.post('/rest_api/v2/FinanceOperations/', rest)).status, 200, 'REST v2 knows it too')

  const race = await Promise.all(Array.from({ length: 20 }, () => pay(account, { amount: 3, txn: 'race' })))
  t.same(
    race.map(({ status }) => status),
    Array(20).fill(200),
  )
  t.equal(race.filter(({ body }) => !body.duplicate).length, 1)
  t.equal(new Set(race.map(({ body }) => body.operation.op_id)).size, 1)

  await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
  const north = await office.staff('north', 'cashier', [2])
  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [other.id])
  const foreign = await north.post(`${base}/accounts_payment/${other.account}/`, { amount: 10, txn: 'A-1' })
  t.match(foreign, { status: 409, body: { code: 'taken_before' } }, 'an operation of another organization is not shown')
  t.notMatch(JSON.stringify(foreign.body), /Пётр/)

  await root.delete(`/rest_api/v2/FinanceOperations/${first.body.operation.op_id}/`)
  t.match(await pay(account, { amount: 10, txn: 'A-1' }), { status: 409 }, 'for ever, the operation deleted or not')
})

t.test('an Idempotency-Key gives the first answer again', async (t) => {
  const { root, client, move } = await openAccountsOffice(t, { shared })
  const { account } = await client('Пётр')
  const other = await client('Иван')
  const keyed = withHeader(root, 'Idempotency-Key', 'press-1')
  const path = `${base}/accounts_payment/${account}/`
  const first = await keyed.post(path, { amount: 10, ...t7 })
  t.same(await keyed.post(path, { ...t7, amount: 10 }), first, 'the same members in another order')
  t.match(await keyed.post(path, { amount: 11, ...t7 }), { status: 409, body: { code: 'key_taken' } })
  t.match(await keyed.post(`${base}/accounts_payment/${other.account}/`, { amount: 10, ...t7 }), { status: 409 })
  t.match((await root.get(`${base}/accounts_get/${account}/`)).body.account, { balance: '10.00' })

  const race = await Promise.all(
    Array.from({ length: 10 }, () => withHeader(root, 'Idempotency-Key', 'press-2').post(path, { amount: 1 })),
  )
  t.same([...new Set(race.map(({ status, body }) => `${status} ${body.duplicate} ${body.operation?.op_id}`))].length, 1)
  t.equal((await withHeader(root, 'Idempotency-Key', 'x'.repeat(256)).post(path, { amount: 1 })).status, 400)

  await move(account, 5)
  const reversing = withHeader(root, 'Idempotency-Key', 'press-3')
  const storno = `${base}/accounts_storno/${account}/`
  const reversal = await reversing.post(storno)
  t.match(reversal, { status: 200, body: { operation: { op_summa: '-5.00', storno: true } } })
  t.same(await reversing.post(storno), reversal, 'a storno too')
  await move(account, 7)
  t.match(
    (await reversing.post(storno)).body.operation,
    { op_id: reversal.body.operation.op_id },
    'whatever came after it',
  )
  t.match(await reversing.post(storno, { op_id: 1 }), { status: 409 })
  t.equal((await root.get(`${base}/accounts_get/${account}/`)).body.account.balance, '18.00')
})

t.test('the last operation is reversed once', async (t) => {
  const { root, client, move, audit } = await openAccountsOffice(t, { shared })
  const { account } = await client('Пётр')
  const storno = (body: object = {}) => root.post(`${base}/accounts_storno/${account}/`, body)
  t.match(await storno(), { status: 400, body: { ok: false, code: 'nothingToReverse' } })
  const first = await move(account, 30)
  const last = await move(account, -50)
  t.match(await storno({ op_id: first.op_id }), { status: 400, body: { code: 'notLastOperation' } })
  t.match(await storno({ op_id: 987_654 }), { status: 400, body: { code: 'operationMissing' } })
  const done = await storno({ op_id: last.op_id })
  t.match(done, {
    status: 200,
    body: {
      ok: true,
      operation: { op_summa: '50.00', op_type: 9, storno: true, related_operation: last.op_id },
      account: { balance: '30.00', debit: '80.00', credit: '50.00', client: { enabled: true } },
    },
  })
  const { operations } = (await root.get(`${base}/accounts_get/${account}/`)).body
  t.match(operations[1], { op_id: last.op_id, storno: true }, 'the original is marked')
  t.match(await storno(), { status: 400, body: { code: 'alreadyReversed' } }, 'the last one now is a reversal')
  t.match(await storno({ op_id: last.op_id }), { status: 400, body: { code: 'alreadyReversed' } })
  t.match((await audit(account)).at(-1), {
    action: 'storno',
    diff: { reversal_of: last.op_id, op_type: 9, amount: '50.00', balance: ['-20.00', '30.00'] },
  })
  const other = await client('Иван')
  const foreign = await move(other.account, 1)
  t.match(await storno({ op_id: foreign.op_id }), { status: 400, body: { code: 'operationMissing' } })

  await move(account, 1)
  const race = await Promise.all(Array.from({ length: 10 }, () => storno()))
  t.equal(race.filter(({ status }) => status === 200).length, 1)
  t.equal(race.filter(({ status }) => status === 400).length, 9)
})

t.test('who may do what: cashiers move money, operators change accounts, nobody does in READ_ONLY_MODE', async (t) => {
  const { office, root, client, move } = await openAccountsOffice(t, { shared })
  const { account, id } = await client('Пётр')
  await move(account, 1)
  const cashier = await office.staff('cash', 'cashier', [1])
  const operator = await office.staff('op', 'operator', [1])
  const viewer = await office.staff('view', 'viewer', [1])
  const money = ['accounts_payment', 'accounts_storno'].map((name) => `${base}/${name}/${account}/`)
  const changes = [
    `${base}/accounts_crud/`,
    `${base}/accounts_crud/${account}/`,
    `${base}/accounts_link/${account}/`,
    `${base}/accounts_unlink/${account}/${id}/`,
    `${base}/accounts_bulk/`,
  ]
  const reads = ['accounts_get', 'accounts_services', 'accounts_payments_summary', 'accounts_bank_ops']
  for (const path of [...money, ...changes]) t.equal((await viewer.post(path)).status, 403, `viewer ${path}`)
  for (const path of changes) t.equal((await cashier.post(path)).status, 403, `cashier ${path}`)
  for (const caller of [cashier, viewer, operator]) {
    for (const name of reads) t.equal((await caller.get(`${base}/${name}/${account}/`)).status, 200, name)
    t.equal((await caller.get(`${base}/accounts_json/`)).status, 200)
  }
  t.equal((await cashier.post(money[0]!, { amount: 5 })).status, 200)
  t.equal((await cashier.post(money[1]!)).status, 200)
  t.equal((await operator.post(changes[1]!, { comment: 'x' })).status, 200)
  t.equal((await operator.post(money[0]!, { amount: 5 })).status, 200)
  for (const [scopes, status] of [
    [['read', 'write'], 403],
    [['money'], 200],
  ] as const) {
    const { token } = (
      await root.post('/admin/settings/tokens/', { current_password: 'root-password', name: String(scopes), scopes })
    ).body
    const { headers, ...answer } = await fetch(`${office.base}${money[0]}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"amount": 1}',
    }).then(async (response) => ({ headers: response.headers, status: response.status, body: await response.json() }))
    t.equal(answer.status, status, JSON.stringify(answer.body as Json))
  }

  t.equal((await root.post('/admin/settings/system/', { READ_ONLY_MODE: true })).status, 200)
  for (const path of [...money, ...changes]) t.match(await root.post(path), { status: 403, body: { ok: false } }, path)
  t.equal((await root.get(`${base}/accounts_get/${account}/`)).status, 200)
})
