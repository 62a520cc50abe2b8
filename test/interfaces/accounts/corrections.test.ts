import t from 'tap'
import { dayOf } from '../../../src/domain/calendar.ts'
import { zoneOfNoon } from '../../support/noon.ts'
import { base, type Json, openAccountsOffice, withHeader } from './fixture.ts'

const { office, root, client, made, move } = await openAccountsOffice(t)
const timeZone = zoneOfNoon()
await office.settings.set({ TIME_ZONE: timeZone })
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

t.test('a charge that was given back on another account is not reversed as the last one of its own', async (t) => {
  const [from, to] = [await client('Ася'), await client('Вася')]
  const posted = (account: number, op_type: number, rubles: number) =>
    made('/rest_api/v2/FinanceOperations/', { account, abonent: from.id, op_type, op_summa: rubles * 10_000_000_000 })
  const charge = await posted(from.account, 32, 600)
  t.equal((await root.post(`${base}/accounts_link/${to.account}/`, { abonent_id: from.id, force: 1 })).status, 200)
  const back = await posted(to.account, 41, 600)
  t.match(await detailOf(charge.op_id), { given_back_by: back.op_id })
  t.match(await root.post(`${base}/accounts_storno/${from.account}/`, {}), { status: 400, body: { code: 'givenBack' } })
  t.equal(await balanceOf(from.account), '-600.00')
  t.equal((await root.post(`${base}/accounts_storno/${to.account}/`, {})).status, 200)
  t.equal((await root.post(`${base}/accounts_storno/${from.account}/`, {})).status, 200, 'after that was reversed')
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

t.test('a date in the future or before the account is confirmed by who has the right to it', async (t) => {
  const { account, id } = await client('Борис')
  const cashier = await office.staff('cashier-2', 'cashier', [1])
  const operator = await office.staff('operator-2', 'operator', [1])
  const future = new Date(Date.now() + 86_400_000).toISOString()
  const unusual = [
    [future, 'date_in_future'],
    ['2001-01-01', 'date_before_account'],
  ] as const
  const doors: readonly (readonly [path: string, body: object])[] = [
    [`${base}/accounts_payment/${account}/`, { amount: 10 }],
    [`${base}/accounts_payment/${account}/`, { amount: 10, kind: 'adjustment', op_type_id: 9 }],
    [`${base}/finops_crud/`, { abonent_id: id, op_type_id: 7, amount: 10 }],
  ]
  for (const [path, body] of doors) {
    for (const [op_date, code] of unusual) {
      t.match(
        await root.post(path, { ...body, op_date, confirm: false }),
        { status: 400, body: { ok: false, code, error: /confirm=1/ } },
        `${path} ${op_date}`,
      )
      for (const caller of [cashier, operator])
        t.match(
          await caller.post(path, { ...body, op_date, confirm: true }),
          { status: 403, body: { code: 'date_not_allowed' } },
          `${path} ${op_date}`,
        )
      t.equal((await root.post(path, { ...body, op_date, confirm: true })).status, 200)
    }
  }
  for (const [path, body] of doors) {
    t.match(await root.post(path, { ...body, op_date: future }), { status: 400, body: { code: 'date_in_future' } })
    t.equal((await root.post(path, { ...body, op_date: '2001-01-01' })).status, 200, 'a program brings its past along')
    t.equal((await operator.post(path, { ...body, op_date: '2001-01-01' })).status, 403)
  }
  const op_date = new Date().toISOString()
  const today = dayOf(new Date(), timeZone)
  const usual = await cashier.post(doors[0]![0], { amount: 10, op_date })
  t.equal(usual.status, 200, 'now')
  t.equal((await cashier.post(doors[0]![0], { amount: 10, op_date: today })).status, 200, 'today')

  const moved = `${base}/finops_crud/${usual.body.operation.op_id}/`
  t.match(await operator.post(moved, { op_date: future }), { status: 403, body: { code: 'date_not_allowed' } })
  t.match(await root.post(moved, { op_date: future }), { status: 400, body: { code: 'date_in_future' } })
  t.equal((await root.post(moved, { op_date: future, confirm: 1 })).status, 200)
  const { operation } = await detailOf(usual.body.operation.op_id)
  t.equal((await operator.post(moved, { op_date: operation.op_date, descr: 'x' })).status, 200, 'unchanged')

  const rest = '/rest_api/v2/FinanceOperations/'
  const posting = { account, op_type: 7, op_summa: 10_000_000_000, op_date: '2001-01-01' }
  t.equal((await operator.post(rest, posting)).status, 403, 'REST asks nobody: the right decides')
  t.equal((await operator.put(`${rest}${operation.op_id}/`, { op_date: '2001-01-01' })).status, 403)
  t.equal((await root.post(rest, posting)).status, 201)
})

t.test('the account was opened on the day of its oldest contract', async (t) => {
  const { account } = await client('Вера', { create_date: '2024-05-06T12:00:00' })
  const cashier = await office.staff('cashier-3', 'cashier', [1])
  const pay = (op_date: string) => cashier.post(`${base}/accounts_payment/${account}/`, { amount: 1, op_date })
  t.equal((await pay('2024-05-06')).status, 200)
  t.match(await pay('2024-05-05T23:59:59'), { status: 403, body: { code: 'date_not_allowed' } })
})
