import fc from 'fast-check'
import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import { newSubscriber, openDoors, units } from './door.ts'

const shared = await SharedDatabase.open(t)

const operations = '/rest_api/v2/FinanceOperations/'

t.test('a posting moves the balance, the sign follows the type, access follows the balance', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const receipt = await doors.post(operations, {
    abonent: abonent.id,
    op_type: 7,
    op_summa: String(units(100)),
    descr: 'cash',
    number: 'A-1',
    op_date: '2026-01-02T03:04:05.678901',
    kkm_check_id: 'r1',
    op_unknown: 1,
  })
  t.match(receipt, {
    status: 201,
    body: {
      op_summa: units(100),
      op_type: 7,
      abonent: abonent.id,
      account_id: abonent.account,
      owner: 1,
      descr: 'cash',
      number: 'A-1',
      organization: 1,
      aa_ostatok: 0,
      kkm_check_id: 'r1',
      isbuhdoc: true,
      storno: false,
    },
  })
  t.equal(receipt.body.id, receipt.body.op_id)
  t.match(receipt.body.op_date, /^2026-01-02T03:04:05\.67\d*\+03:00$/, 'a datetime without an offset is of TIME_ZONE')
  const expense = await doors.post(operations, { account_id: abonent.account, op_type_id: 9, op_summa: units(250) })
  t.match(expense, { status: 201, body: { op_summa: -units(250), abonent: null, aa_ostatok: units(100) } })
  t.match((await doors.get(`/rest_api/v2/AdminAccounts/${abonent.account}/`)).body, {
    ostatok: -units(150),
    debit: units(100),
    credit: units(250),
  })
  t.match((await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body, { enabled: false, block: { b_negbal: true } })
})

t.test('what cannot be posted is refused under its field', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  t.same((await doors.post(operations, {})).body, {
    op_summa: ['This field is required.'],
    op_type: ['This field is required.'],
  })
  t.same((await doors.post(operations, { op_type: 7, op_summa: 1 })).body, { account: ['This field is required.'] })
  t.same((await doors.post(operations, { op_type: 777, op_summa: 1, account_id: 88, abonent: 99 })).body, {
    op_type: ['Invalid pk "777" - object does not exist.'],
    account_id: ['Invalid pk "88" - object does not exist.'],
    abonent: ['Invalid pk "99" - object does not exist.'],
  })
  const stranger = (await doors.post('/rest_api/v2/AdminAccounts/', {})).body
  t.same((await doors.post(operations, { op_type: 7, op_summa: 1, account: stranger.id, abonent: abonent.id })).body, {
    non_field_errors: ['The subscriber is not linked to this account.'],
  })
  t.match(await doors.post(operations, { op_type: 7, op_summa: 1, account: stranger.id, aa_debit: 1 }), {
    status: 400,
    body: { aa_debit: [/./] },
  })
  const most = { op_type: 7, op_summa: '9223372036854775807', account: stranger.id }
  t.match(await doors.post(operations, most), { status: 201, body: { op_summa: 9223372036854775807n } })
  t.match(await doors.post(operations, most), {
    status: 400,
    body: { non_field_errors: [/beyond what can be stored/] },
  })
  t.match(await doors.post(operations, { ...most, op_summa: '9223372036854775808' }), {
    status: 400,
    body: { op_summa: ['Ensure this value is less than or equal to 9223372036854775807.'] },
  })
})

t.test('a movement is posted once under its keys', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const body = { account: abonent.account, op_type: 7, op_summa: units(1) }
  const headers = { 'idempotency-key': 'k:1' }
  const first = await doors.post(operations, body, { headers })
  t.equal(first.status, 201)
  const reordered = { op_summa: units(1), op_type: 7, account: abonent.account }
  t.match(
    await doors.post(operations, reordered, { headers }),
    { status: 201, body: { op_id: first.body.op_id } },
    'the first answer again',
  )
  t.match(await doors.post(operations, { ...body, descr: 'other' }, { headers }), {
    status: 409,
    body: { detail: /another body/ },
  })
  t.match(await doors.post(operations, { ...body, op_summa: 5 }, { headers }), { status: 409 })

  const many = await Promise.all(
    Array.from({ length: 8 }, () => doors.post(operations, body, { headers: { 'idempotency-key': 'k2' } })),
  )
  t.strictSame(new Set(many.map(({ status }) => status)), new Set([201]))
  t.equal(new Set(many.map(({ body }) => body.op_id)).size, 1, 'at the same moment too')

  const paid = await doors.post(operations, { ...body, operator_name: 'bank', operator_pay_id_str: 'p1', txn: 't1' })
  t.match(paid, { status: 201, body: { operator_name: 'bank', operator_pay_id_str: 'p1', txn: 't1' } })
  for (const again of [
    { operator_name: 'bank', operator_pay_id_str: 'p1' },
    { txn: 't1' },
    { descr: 'paid [txn:t1]' },
  ]) {
    t.match(await doors.post(operations, { ...body, ...again }), { status: 200, body: { op_id: paid.body.op_id } })
    t.match(await doors.post(operations, { ...body, ...again, op_summa: 3 }), {
      status: 409,
      body: { detail: /another amount/ },
    })
  }
  t.match(await doors.post(operations, { ...body, operator_name: 'other', operator_pay_id_str: 'p1' }), { status: 201 })
  t.match((await doors.get(`/rest_api/v2/AdminAccounts/${abonent.account}/`)).body, { ostatok: units(4) })

  const byHand = `${operations}${first.body.op_id}/`
  t.match(await doors.put(byHand, { operator_name: 'bank', operator_pay_id_str: 'p1' }), { status: 409 })
  t.equal((await doors.put(byHand, { operator_name: 'bank', operator_pay_id_str: 'late' })).status, 200)
  t.match(
    await doors.post(operations, { ...body, operator_name: 'bank', operator_pay_id_str: 'late' }),
    { status: 200, body: { op_id: first.body.op_id } },
    'a payment that was entered by hand and named later',
  )

  t.equal((await doors.delete(`${operations}${first.body.op_id}/`)).status, 204)
  t.match(
    await doors.post(operations, body, { headers }),
    { status: 409, body: { detail: /deleted/ } },
    'keys do not expire',
  )
  t.match(
    (await doors.get(`/rest_api/v2/AdminAccounts/${abonent.account}/`)).body,
    { ostatok: units(4) },
    'deletion leaves the balance',
  )
})

t.test('only what describes an operation can be changed', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const { op_id } = (await doors.post(operations, { account: abonent.account, op_type: 7, op_summa: 5 })).body
  const path = `${operations}${op_id}/`
  t.match(
    await doors.put(path, {
      descr: 'noted',
      admin_comment: 'x',
      isbuhdoc: false,
      op_date: '2026-02-03',
      usluga_id: -4,
      code1c: 'x'.repeat(32),
    }),
    {
      status: 200,
      body: { descr: 'noted', admin_comment: 'x', isbuhdoc: false, op_date: '2026-02-03T00:00:00+03:00', usluga: -4 },
    },
  )
  for (const name of ['op_summa', 'account', 'account_id', 'op_type', 'aa_ostatok', 'aa_unlimited', 'balance_buh']) {
    t.match(await doors.put(path, { [name]: 1 }), { status: 400, body: { [name]: [/cannot be/] } })
  }
  t.match(await doors.put(path, { code1c: 'x'.repeat(33) }), {
    body: { code1c: ['Ensure this field has no more than 32 characters.'] },
  })
  const below = (await doors.post(operations, { account: 1, op_type: 9, op_summa: 0, fin_op: op_id })).body
  t.match(below, { fin_op: op_id })
  for (const parent of [op_id, below.op_id])
    t.match(await doors.put(path, { fin_op: parent }), { status: 400, body: { fin_op: [/own parent/] } })
  t.match(
    await doors.rows(`SELECT diff FROM audit_operations WHERE table_name = 'FINANCE_OPERATIONS' AND action = 'change'`),
    [{ diff: { descr: [/.*/, 'noted'] } }],
  )
  t.equal((await doors.delete(`${operations}999/`)).status, 404)
})

t.test('any integer that the ledger holds survives the way in and out', async (t) => {
  const doors = await openDoors(t, shared)
  const { body } = await doors.post('/rest_api/v2/AdminAccounts/', {})
  const path = `/rest_api/v2/AdminAccounts/${body.id}/`
  const most = 2n ** 63n - 1n
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: -most, max: most }), fc.boolean(), async (amount, asText) => {
      const limit = amount
      const answer = await doors.put(path, { bonus_score: asText ? String(amount) : amount, limit })
      t.equal(answer.status, 200)
      t.equal(BigInt(answer.body.bonus_score), amount)
      t.equal(BigInt(answer.body.limit), limit)
      t.match(answer.text, `"bonus_score":${amount},`)
      t.equal(
        (await doors.get(`/rest_api/v2/AdminAccounts/?limit__exact=${limit}&bonus_score=${amount}`)).body.count,
        1,
      )
    }),
    { numRuns: 60 },
  )
})
