import t from 'tap'
import { Payments } from '../../src/billing/payments/payments.ts'
import type { StartedPayment } from '../../src/billing/payments/start.ts'
import { type SubscriberId, subscriberId } from '../../src/domain/ids.ts'
import { type Money, parseRubles } from '../../src/domain/money.ts'
import { silentLog } from '../../src/platform/log.ts'
import { catalog, type SettingName } from '../../src/platform/settings/catalog.ts'
import { testDatabaseUrl, testPool } from '../support/database.ts'
import { freeTcpPort, startGateway } from '../support/gateways.ts'
import { localHttp } from '../support/local-http.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { RunningProgram } from '../support/program.ts'
import { signUp } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { until } from '../support/until.ts'

const clientsMax = 12
const creditedBeforeTheKill = 3
const shop = { id: '100500', key: 'test_key_of_the_storm' }

/** What the client's browser does: the gateway's page, its button, and back. */
async function pay(started: StartedPayment): Promise<void> {
  if (started.kind !== 'redirect' && started.kind !== 'formPost') throw new Error(`Not started: ${started.kind}`)
  const form = (fields: Readonly<Record<string, string>>) =>
    ({ method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' }) as const
  const page =
    started.kind === 'redirect'
      ? started.url
      : ((await fetch(started.action, form(started.fields))).headers.get('location') ?? '')
  const { status } = await fetch(page, form({ act: 'pay' }))
  if (status !== 302) throw new Error(`The gateway answers ${status}.`)
}

t.test('killed in a storm of notices, ten of each and forged ones, every order is credited exactly once', async (t) => {
  const url = await testDatabaseUrl(t)
  const port = await freeTcpPort()
  const program = await new RunningProgram({ DATABASE_URL: url, TOLLGATE_HTTP_PORT: String(port) }).start()
  t.teardown(async () => {
    await program.stop()
    program.remove()
  })
  const webhook = `http://127.0.0.1:${port}/lk/payments/webhook/`
  const behaviour = { webhook, ...shop, repeats: '10', forged: '4', retries: '500', 'retry-ms': '300' }
  const a = await startGateway(t, 'a', { ...behaviour, password: shop.key })
  const b = await startGateway(t, 'b', { ...behaviour, 'wrong-order': '' })
  const values: Partial<Record<SettingName, string>> = {
    LK_GWA_API_URL: a.api ?? '',
    LK_GWA_FORM_URL: a.form,
    LK_GWA_SHOP_ID: shop.id,
    LK_GWA_SCID: '57',
    LK_GWA_SECRET_KEY: shop.key,
    LK_GWB_FORM_URL: b.form,
    LK_GWB_MERCHANT_ID: shop.id,
    LK_GWB_SECRET_KEY: shop.key,
  }
  t.match(await program.rest('POST', '/admin/settings/payment/', values), { status: 200, body: { ok: true } })

  const pool = testPool(t, url, 4)
  const nobody = {
    ask: () => Promise.reject(new Error('Here nothing is credited.')),
    beginReading: () => () => {},
  }
  const paymentsWith = (set: typeof values) =>
    new Payments({
      pool,
      accounts: nobody,
      settings: { get: ((name: SettingName) => set[name] ?? catalog[name].default) as never },
      publicUrl: () => 'https://billing.example',
      clock: new SteadyClock(),
      log: silentLog,
      http: localHttp,
    })
  const payments = paymentsWith(values)
  // The key decides the protocol; callbacks of both are proved by the same one.
  const httpPayments = paymentsWith({ ...values, LK_GWA_SECRET_KEY: 'a shopPassword' })
  const starts = [
    (subscriber: SubscriberId, amount: Money) => payments.startPayment(subscriber, amount, 'gwa'),
    (subscriber: SubscriberId, amount: Money) => payments.startPayment(subscriber, amount, 'gwb'),
    (subscriber: SubscriberId, amount: Money) => httpPayments.startPayment(subscriber, amount, 'gwa'),
  ] as const
  const clients = await signUp(program, clientsMax)
  const orders = await Promise.all(
    clients.map(({ subscriber }, n) =>
      starts[n % starts.length]!(subscriberId(subscriber), parseRubles(`${100 + n}.37`)!),
    ),
  )

  const paying = Promise.all(orders.map(pay))
  const credited = async () => {
    const { rows } = await pool.query('SELECT count(*)::int4 AS count FROM finance_operations')
    return rows[0].count as number
  }
  await until(async () => (await credited()) >= creditedBeforeTheKill)
  await program.kill()
  await reopenProgram(t, program)
  await paying

  const { rows } = await pool.query(
    `SELECT orders.subscriber_id, orders.protocol, orders.state, orders.amount, account.ostatok, account.debit,
        (SELECT count(*)::int4 FROM finance_operations WHERE abonent_id = orders.subscriber_id) AS operations
      FROM payment_orders AS orders JOIN abonents ON abonents.id = orders.subscriber_id
        JOIN admin_accounts AS account ON account.id = abonents.account_id`,
  )
  t.equal(rows.length, clientsMax)
  t.same(new Set(rows.map(({ protocol }) => protocol)), new Set(['rest', 'form', 'http']))
  for (const row of rows) {
    t.match(
      row,
      { state: 'paid', operations: 1, ostatok: row.amount, debit: row.amount },
      `subscriber ${row.subscriber_id}`,
    )
  }
  const problems = await pool.query('SELECT DISTINCT reason FROM payment_problems')
  t.same(problems.rows, [{ reason: 'badSignature' }], 'only the forged ones were refused')
})
