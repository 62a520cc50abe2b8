import t from 'tap'
import { base, type Json, openAccountsOffice, withHeader } from './fixture.ts'

const { office, root, client, move } = await openAccountsOffice(t)
const balanceOf = async (account: number): Promise<string> =>
  (await root.get(`${base}/accounts_get/${account}/`)).body.account.balance
const detailOf = async (id: number): Promise<Json> => (await root.get(`${base}/finops_detail/${id}/`)).body

t.test('a payment that others have followed is reversed, with a reason that clients do not see', async (t) => {
  const { account, id } = await client('Пётр')
  const paid = (await root.post(`${base}/accounts_payment/${account}/`, { amount: 700, txn: 'wrong-1' })).body.operation
  await move(account, -500)
  await move(account, 40)
  const reverse = (body: object, caller = root) => caller.post(`${base}/finops_reverse/${paid.op_id}/`, body)
  for (const reason of [undefined, '', '  ', 'x'.repeat(1001), 7])
    t.match(await reverse({ reason }), { status: 400, body: { code: 'wrong_field', errors: { reason: String } } })
  t.equal(await balanceOf(account), '240.00')

  const keyed = withHeader(root, 'Idempotency-Key', 'reversal-1')
  const done = await reverse({ reason: ' не тот договор ' }, keyed)
  t.match(done, {
    status: 200,
    body: {
      operation: {
        op_summa: '-700.00',
        op_type: 7,
        account,
        abonent: id,
        storno: true,
        related_operation: paid.op_id,
        admin_comment: 'не тот договор',
      },
      account: { balance: '-460.00', debit: '740.00', credit: '1200.00', client: { enabled: false } },
    },
  })
  t.notMatch(done.body.operation.descr, /договор/)
  t.match(await reverse({ reason: ' не тот договор ' }, keyed), done, 'the first answer again')
  t.match(await reverse({ reason: 'другое' }, keyed), { status: 409, body: { code: 'key_taken' } })
  t.match(await reverse({ reason: 'ещё раз' }), { status: 400, body: { code: 'alreadyReversed' } })
  t.match(await root.post(`${base}/finops_reverse/${done.body.operation.op_id}/`, { reason: 'назад' }), {
    status: 400,
    body: { code: 'alreadyReversed' },
  })
  t.match(await root.post(`${base}/accounts_payment/${account}/`, { amount: 700, txn: 'wrong-1' }), {
    body: { duplicate: true, operation: { op_id: paid.op_id, storno: true } },
  })
  const { operation, reversal, audit } = await detailOf(paid.op_id)
  t.match(operation, { storno: true, op_summa: '700.00' })
  t.match(reversal, { op_id: done.body.operation.op_id })
  t.match(audit[0], { action: 'reverse', user: 'root', diff: { reason: 'не тот договор' } })
  t.same(
    await office.rows(
      `SELECT ostatok = (SELECT sum(op_summa) FROM finance_operations WHERE account_id = $1) AS ok FROM admin_accounts WHERE id = $1`,
      [account],
    ),
    [{ ok: true }],
  )
})

t.test('ten reversals of one payment at once: one is taken', async (t) => {
  const { account } = await client('Анна')
  const { op_id } = await move(account, 100)
  await move(account, 1)
  const race = await Promise.all(
    Array.from({ length: 10 }, (_, n) => root.post(`${base}/finops_reverse/${op_id}/`, { reason: `${n}` })),
  )
  t.same(race.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 400)])
  t.equal(await balanceOf(account), '1.00')
})

t.test('the limit of a promise payment is taken back once, with or without its service row', async (t) => {
  const promised = async (name: string) => {
    const made = await client(name)
    t.equal((await root.post(`/rest_api/v2/promise_pay/${made.id}/`, { amount: 90 * 10_000_000_000 })).status, 201)
    const [{ op_id }] = await office.rows(
      'SELECT op_id::int FROM finance_operations WHERE account_id = $1 AND op_type_id = 31',
      [made.account],
    )
    await move(made.account, -1)
    return { ...made, op_id }
  }
  const one = await promised('Олег')
  t.equal((await root.post(`${base}/finops_reverse/${one.op_id}/`, { reason: 'обманул' })).status, 200)
  t.same(await office.rows('SELECT promise_pay FROM abonents WHERE id = $1', [one.id]), [{ promise_pay: null }])
  t.equal(await balanceOf(one.account), '-1.00')
  t.same(await office.rows('SELECT id FROM users_uslugas WHERE abonent_id = $1', [one.id]), [])

  const other = await promised('Ольга')
  // Somebody with psql: the promise does not know any more which operation credited it.
  await office.rows('DELETE FROM users_uslugas WHERE abonent_id = $1', [other.id])
  office.accounts.invalidateAll()
  t.equal((await root.delete(`/rest_api/v2/promise_pay/${other.id}/`)).status, 200)
  t.equal(await balanceOf(other.account), '-1.00')
  t.match(await detailOf(other.op_id), { operation: { storno: false }, given_back_by: Number })
  t.match(await root.post(`${base}/finops_reverse/${other.op_id}/`, { reason: 'ещё раз' }), {
    status: 400,
    body: { code: 'givenBack' },
  })
  t.equal(await balanceOf(other.account), '-1.00')
})

t.test('cashiers reverse, viewers do not, and nobody where nothing may be seen', async (t) => {
  await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North') ON CONFLICT DO NOTHING`)
  const { account } = await client('Нина')
  const { op_id } = await move(account, 10)
  const path = `${base}/finops_reverse/${op_id}/`
  const viewer = await office.staff('viewer-1', 'viewer', [1])
  t.equal((await viewer.post(path, { reason: 'x' })).status, 403)
  const north = await office.staff('north-1', 'cashier', [2])
  t.equal((await north.post(path, { reason: 'x' })).status, 404)
  const cashier = await office.staff('cashier-1', 'cashier', [1])
  t.equal((await cashier.post(path, { reason: 'x' })).status, 200)
})
