import t, { type Test } from 'tap'
import { silentLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/storage/database.ts'
import { openProgram } from '../support/opened-program.ts'
import type { Json } from '../support/program.ts'
import { type Client, linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { until } from '../support/until.ts'

/** Every row of the state tables 3.1, 3.2 and 3.3 of the specification, through the doors its trigger names. */
const systemPassword = 'tell-nobody-of-this'

async function startFixture(t: Test) {
  const program = await openProgram(t, { TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword })
  const database = await openDatabase({
    url: program.databaseUrl!,
    log: silentLog,
    pool: { general: 2, ledger: 1 },
  })
  const cut: string[] = []
  const nas = await simulateNas(program, '127.0.0.51', (login) => cut.push(login))
  t.teardown(async () => {
    await nas.stop()
    await database.close()
  })
  const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
    (await database.pool.query(text, values)).rows
  const system = async (path: string, body: unknown = {}): Promise<Json> => {
    const response = await fetch(`${program.address.http}/system_api/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-System-Password': systemPassword },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  /** A form of the web admin: success is a redirect. A program that is busy is asked again, as by `rest`. */
  const press = async (path: string, body: Record<string, unknown> = {}): Promise<{ status: number; body: Json }> => {
    const response = await fetch(program.address.http + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'X-Session-Hash': program.session, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status === 503) return press(path, body)
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : null }
  }
  const rest = program.rest.bind(program)
  return {
    program,
    nas,
    cut,
    sql,
    system,
    press,
    rest,
    job: (name: string) => system(`jobs/${name}/run/`),
    pay: (client: Client, rubles: number) =>
      rest('POST', '/rest_api/v2/FinanceOperations/', {
        account: client.account,
        op_type: rubles < 0 ? 9 : 7,
        op_summa: Math.abs(rubles) * ruble,
      }),
    state: async ({ subscriber }: Client): Promise<Json> =>
      (
        await sql(
          `SELECT abonent.enabled, coalesce(b_negbal, false) AS b_negbal, coalesce(b_admin, false) AS b_admin,
            coalesce(b_own, false) AS b_own, block.abonent_id IS NOT NULL AS record, ostatok::text, promise_pay::text,
            promise_date_end IS NOT NULL AS promised,
            (SELECT bool_and(enabled) FROM users WHERE abonent_id = abonent.id) AS logins,
            (SELECT count(*)::int FROM users_uslugas WHERE abonent_id = abonent.id) AS links
          FROM abonents AS abonent JOIN admin_accounts AS account ON account.id = account_id
            LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id WHERE abonent.id = $1`,
          [subscriber],
        )
      )[0],
    audits: async (table: string, client: Client): Promise<Json[]> =>
      sql(
        `SELECT action, diff FROM audit_operations WHERE table_name = $1
          AND (object_id = $2 OR diff->>'abonent_id' = $2) ORDER BY id`,
        [table, String(client.subscriber)],
      ),
    operations: (client: Client): Promise<Json[]> =>
      sql(
        `SELECT op_id, op_type_id::int AS type, (op_summa / 10000000000)::int AS rubles, storno, usluga_id::int AS usluga,
          related_operation_id AS of FROM finance_operations WHERE account_id = $1 ORDER BY chain_seq`,
        [client.account],
      ),
    answer: async ({ login }: Client) => (await nas.signIn(login, linePassword, '02-00-00-00-00-01')).kind,
  }
}
type Fixture = Awaited<ReturnType<typeof startFixture>>

const units = (rubles: number) => String(BigInt(rubles) * 10_000_000_000n)

/** Contracts of a year, so that the policy of age lets them pass. */
async function clients(fixture: Fixture, count: number): Promise<Client[]> {
  const signed = await signUp(fixture.program, count)
  for (const { subscriber } of signed) {
    await fixture.rest('PUT', `/rest_api/v2/Abonents/${subscriber}/`, {
      create_date: '2025-01-01',
      sms: `+7900000${String(subscriber).padStart(4, '0')}`,
    })
  }
  return signed
}

const sms = (fixture: Fixture, { subscriber }: Client, text: string) =>
  fixture.system('sms/', { phone: `+7900000${String(subscriber).padStart(4, '0')}`, text })

const restPromise = ({ subscriber }: Client) => `/rest_api/v2/promise_pay/${subscriber}/`

/** Moves the end of a promise into the past, as if the days had gone by. */
const letDaysPass = (fixture: Fixture, { subscriber }: Client) =>
  fixture.sql(`UPDATE abonents SET promise_date_end = now() - interval '1 minute' WHERE id = $1`, [subscriber])

t.test('3.1 promise payment', async (t) => {
  const fixture = await startFixture(t)
  const all = await clients(fixture, 9)
  let next = 0
  /** One who owes 100 rubles. */
  const debtor = async () => {
    const client = all[next++]!
    await fixture.pay(client, -100)
    t.match(await fixture.state(client), { enabled: false, b_negbal: true })
    return client
  }
  const over = { promised: false, promise_pay: null, links: 0 }

  await t.test('none → active: activation by the client (SMS command), eligibility policies pass', async (t) => {
    const client = await debtor()
    t.match((await sms(fixture, client, 'ОП')).status, 'ok')
    t.match((await sms(fixture, client, 'ДА')).status, 'ok')
    t.match(await fixture.state(client), {
      enabled: true,
      b_negbal: false,
      record: false,
      logins: true,
      ostatok: units(500),
      promise_pay: units(600),
      promised: true,
      links: 1,
    })
    t.match(await fixture.operations(client), [
      { rubles: -100 },
      { type: 31, rubles: 600, usluga: 30353, storno: false },
    ])
    t.match(await fixture.audits('USERS_USLUGA', client), [{ action: 'activate', diff: { limit: '600.00' } }])
    const [link] = await fixture.sql(
      `SELECT end_time BETWEEN now() + interval '119 hours' AND now() + interval '121 hours' AS days, "limit"::text FROM users_uslugas
        WHERE abonent_id = $1`,
      [client.subscriber],
    )
    t.same(link, { days: true, limit: units(600) })
    t.equal(await fixture.answer(client), 'accepted')
    const [{ times }] = await fixture.sql(
      `SELECT count(*)::int AS times FROM outbox WHERE kind = 'disconnect' AND subscriber_id = $1`,
      [client.subscriber],
    )
    t.equal(times, 2, 'a Disconnect of the block, and one of the activation')
  })

  await t.test('none → active: activation by an operator takes the fee as an operation of its own', async (t) => {
    const client = await debtor()
    const made = await fixture.press(`/admin/Abonents/promise_pay/${client.subscriber}/`)
    t.match(made, { status: 200, body: { ok: true, fee: '90.00' } })
    t.match(await fixture.operations(client), [{ rubles: -100 }, { type: 31, rubles: 600 }, { type: 9, rubles: -90 }])
    t.match(await fixture.state(client), { enabled: true, ostatok: units(410) })
    t.match(await fixture.audits('USERS_USLUGA', client), [{ diff: { limit: '600.00', fee: '90.00' } }])
  })

  await t.test('none → active: POST /rest_api/v2/promise_pay/<ABONENT_ID>/ answers 201', async (t) => {
    const client = await debtor()
    const made = await fixture.rest('POST', restPromise(client), { limit: 150, postpay: true })
    t.match(made, { status: 201, body: { status: 'ok', type: 'postpay', usluga_id: -3, limit: '150.00' } })
    t.match(await fixture.state(client), { enabled: true, ostatok: units(50) })
  })

  await t.test('active → none: a payment after which the returned limit leaves the balance >= 0', async (t) => {
    const client = await debtor()
    await fixture.rest('POST', restPromise(client), { limit: 150 })
    await fixture.pay(client, 60)
    t.match(await fixture.state(client), { promised: true, ostatok: units(110) }, '60 do not cover a debt of 100')
    await fixture.pay(client, 40)
    t.match(await fixture.state(client), { ...over, enabled: true, ostatok: units(0) })
    const [, promised, , returned] = await fixture.operations(client)
    t.match(returned, { type: 31, rubles: -150, storno: true, of: promised.op_id })
    t.match((await fixture.audits('USERS_USLUGA', client)).at(-1), { action: 'end', diff: { reason: 'payment' } })
  })

  await t.test('active → active: the same payment with LK_PROMISE_PAY_AUTO_CLOSE_ON_PAYMENT off', async (t) => {
    const client = await debtor()
    await fixture.press('/admin/settings/system/', { LK_PROMISE_PAY_AUTO_CLOSE_ON_PAYMENT: false })
    await fixture.rest('POST', restPromise(client), { limit: 150 })
    await fixture.pay(client, 500)
    t.match(await fixture.state(client), { promised: true, ostatok: units(550) })
    await fixture.press('/admin/settings/system/', { LK_PROMISE_PAY_AUTO_CLOSE_ON_PAYMENT: true })
  })

  await t.test(
    'active → none: check_expired_promises after promise_date_end, block() when the balance is negative',
    async (t) => {
      const client = await debtor()
      await fixture.rest('POST', restPromise(client), { limit: 150 })
      t.equal(await fixture.answer(client), 'accepted')
      await fixture.job('check_expired_promises')
      t.match(await fixture.state(client), { promised: true }, 'not before its end')
      await letDaysPass(fixture, client)
      t.match(await fixture.job('check_expired_promises'), { status: 'ok' })
      t.match(await fixture.state(client), { ...over, enabled: false, b_negbal: true, ostatok: units(-100) })
      t.match((await fixture.audits('USERS_USLUGA', client)).at(-1), { action: 'end', diff: { reason: 'expired' } })
      t.match((await fixture.audits('ABONENTS_BLOCK', client)).at(-1), { action: 'block' })
      t.equal(await fixture.answer(client), 'rejected')
    },
  )

  await t.test('active → none: an operator deletes the promise UsersUsluga', async (t) => {
    const client = await debtor()
    const { body } = await fixture.rest('POST', restPromise(client), { limit: 150 })
    const gone = await fixture.press(`/admin/Abonents/users_usluga_crud/${body.promise_id}/`, { _delete: 1 })
    t.match(gone, { status: 200, body: { ok: true } })
    t.match(await fixture.state(client), { ...over, b_negbal: true, ostatok: units(-100) })
    t.match(
      (await fixture.audits('USERS_USLUGA', client)).filter(({ action }) => action === 'end'),
      [{ diff: { reason: 'deleted' } }],
    )
  })

  await t.test('active → none: an operator toggles UsersUsluga.enabled from true to false', async (t) => {
    const client = await debtor()
    const { body } = await fixture.rest('POST', restPromise(client), { limit: 150 })
    const off = await fixture.press(`/admin/Abonents/users_usluga_crud/${body.promise_id}/`, { enabled: false })
    t.match(off, { status: 200, body: { ok: true } })
    t.match(await fixture.state(client), { ...over, b_negbal: true, ostatok: units(-100) })
    t.match(
      (await fixture.audits('USERS_USLUGA', client)).filter(({ action }) => action === 'end'),
      [{ diff: { reason: 'disabled' } }],
    )
  })

  await t.test('active → none: DELETE /rest_api/v2/promise_pay/<ABONENT_ID>/ answers 200', async (t) => {
    const client = await debtor()
    await fixture.rest('POST', restPromise(client), { postpay: true })
    t.match(await fixture.rest('DELETE', `${restPromise(client)}?postpay=1`), { status: 200, body: { status: 'ok' } })
    t.match(await fixture.state(client), { ...over, b_negbal: true, ostatok: units(-100) })
  })
})

t.test('3.2 blocking', async (t) => {
  const fixture = await startFixture(t)
  const all = await clients(fixture, 10)
  let next = 0
  const client = () => all[next++]!
  const open = { enabled: true, record: false, logins: true, b_negbal: false, b_admin: false, b_own: false }
  /** The row as somebody in psql would leave it. */
  const setBalance = ({ account }: Client, rubles: number) =>
    fixture.sql(
      'UPDATE admin_accounts SET ostatok = $2::int8, debit = greatest($2::int8, 0), credit = greatest(-$2::int8, 0) WHERE id = $1',
      [account, units(rubles)],
    )

  await t.test('no block → b_negbal: process_blocks, OSTATOK < LIMIT and not UNLIMITED', async (t) => {
    const [poor, free] = [client(), client()]
    await fixture.rest('PUT', `/rest_api/v2/AdminAccounts/${free.account}/`, { unlimited: true })
    await Promise.all([setBalance(poor, -1), setBalance(free, -1)])
    t.match(await fixture.job('process_blocks'), { status: 'ok' })
    t.match(await fixture.state(poor), { b_negbal: true, enabled: false, logins: false, record: true })
    t.match(await fixture.state(free), open, 'an unlimited account is left alone')
  })

  await t.test('no block → b_negbal at once: an account payment action drives the balance negative', async (t) => {
    const one = client()
    t.equal(await fixture.answer(one), 'accepted')
    await fixture.pay(one, -1)
    t.match(await fixture.state(one), { b_negbal: true, enabled: false, logins: false })
    t.match((await fixture.audits('ABONENTS_BLOCK', one)).at(-1), {
      action: 'block',
      diff: { b_negbal: [false, true] },
    })
    t.equal(await fixture.answer(one), 'rejected')
    await t.resolves(
      until(() => fixture.cut.includes(one.login)),
      'the session was cut',
    )
  })

  await t.test('no block → b_admin: an operator presses Block; b_admin cleared: Unblock', async (t) => {
    const one = client()
    t.equal((await fixture.press(`/admin/abonents/block/${one.subscriber}/`)).status, 302)
    t.match(await fixture.state(one), { b_admin: true, enabled: false, logins: false })
    t.equal((await fixture.press(`/admin/abonents/unblock/${one.subscriber}/`)).status, 302)
    t.match(await fixture.state(one), open)
  })

  await t.test('any → b_negbal: the expiry of a promise payment, balance still negative', async (t) => {
    const one = client()
    await fixture.pay(one, -100)
    await fixture.rest('POST', restPromise(one), { limit: 150 })
    await fixture.press(`/admin/abonents/block/${one.subscriber}/`)
    await letDaysPass(fixture, one)
    await fixture.job('check_expired_promises')
    t.match(await fixture.state(one), { b_negbal: true, b_admin: true, enabled: false })
  })

  await t.test('b_negbal cleared: process_blocks, balance restored', async (t) => {
    const one = client()
    await fixture.pay(one, -10)
    await setBalance(one, 10)
    await fixture.job('process_blocks')
    t.match(await fixture.state(one), open)
  })

  await t.test('b_negbal cleared at once: an account payment action, balance >= 0', async (t) => {
    const one = client()
    await fixture.pay(one, -10)
    await fixture.pay(one, 9)
    t.match(await fixture.state(one), { b_negbal: true, enabled: false })
    await fixture.pay(one, 1)
    t.match(await fixture.state(one), { ...open, ostatok: '0' })
  })

  await t.test('b_own set: SMS command ВЫКЛ; cleared: ВКЛ', async (t) => {
    const one = client()
    await sms(fixture, one, 'ВЫКЛ')
    t.match(await fixture.state(one), { b_own: true, enabled: false, logins: false })
    await sms(fixture, one, 'ВКЛ')
    t.match(await fixture.state(one), open)
  })

  await t.test('all flags false → no record, Abonents.enabled = true only when no other flag remains', async (t) => {
    const one = client()
    await fixture.pay(one, -10)
    await fixture.press(`/admin/abonents/block/${one.subscriber}/`)
    await fixture.pay(one, 10)
    t.match(await fixture.state(one), { b_negbal: false, b_admin: true, enabled: false, record: true })
    await fixture.press(`/admin/abonents/unblock/${one.subscriber}/`)
    t.match(await fixture.state(one), open)
  })

  await t.test('a block record together with enabled = true is repaired by process_blocks', async (t) => {
    const one = client()
    await fixture.press(`/admin/abonents/block/${one.subscriber}/`)
    await fixture.sql('UPDATE abonents SET enabled = true WHERE id = $1', [one.subscriber])
    await fixture.job('process_blocks')
    t.match(await fixture.state(one), { b_admin: true, enabled: false, record: true })
  })
})

t.test('3.3 reversal', async (t) => {
  const fixture = await startFixture(t)
  const [one] = await clients(fixture, 1)
  const client = one!
  const storno = () => fixture.press(`/admin/Abonents/accounts_storno/${client.account}/`)

  await t.test('normal operation → storno: accounts_storno on the last operation of the account', async (t) => {
    await fixture.pay(client, 100)
    t.match(await storno(), { status: 200, body: { ok: true } })
    const [original, reversal] = await fixture.operations(client)
    t.match(original, { rubles: 100, storno: true })
    t.match(reversal, { type: original.type, rubles: -100, storno: true, of: original.op_id })
    t.match(await fixture.state(client), { ostatok: '0' })
    const audited = await fixture.sql(
      `SELECT table_name FROM audit_operations WHERE action = 'storno' ORDER BY table_name`,
    )
    t.strictSame(
      audited.map(({ table_name }) => table_name),
      ['ADMIN_ACCOUNTS', 'FINANCE_OPERATIONS'],
    )
  })

  await t.test('reversed → rejected: an operation cannot be reversed twice', async (t) => {
    t.match(await storno(), { status: 400, body: { ok: false } })
    t.equal((await fixture.operations(client)).length, 2)
  })
})
