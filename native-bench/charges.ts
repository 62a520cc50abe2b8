import { setTimeout as after } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { newDataDir, RunningProgram } from '../test/support/program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../test/support/provider.ts'
import { CashDesk } from './cash-desk.ts'
import { percentile } from './figures.ts'
import { RadiusAsker } from './radius-asker.ts'
import { secretsIn } from '../test/support/secrets.ts'

/**
 * The tariff day: `node native-bench/charges.ts [--subscribers 100000] [--debtors 0.1]`.
 *
 * The whole program on a server of its own with fsync charges everybody for the month by billing_worker, while a NAS
 * asks for access a hundred times a second and a cash desk pays in ten times a second. Told is how long the charges
 * take, how many a second, and how long the others wait meanwhile, beside the same with nothing else to do. `--debtors`
 * is the share of those that cannot pay and are blocked by their charge, each with a Disconnect-Request to the NAS.
 */
const { values } = parseArgs({
  options: { subscribers: { type: 'string', default: '100000' }, debtors: { type: 'string', default: '0.1' } },
})
const subscribers = Number(values.subscribers)
const debtors = Number(values.debtors)
const quietMs = 10_000
const password = 'bench-of-charges'

const dataDir = newDataDir()
const server = await startPostgres({ dataDir, log: silentLog })
const program = new RunningProgram({ DATABASE_URL: server.url, TOLLGATE_SETTING_SYSTEM_API_PASSWORD: password })
const database = new pg.Client({ connectionString: server.url })
try {
  await Promise.all([program.start(), database.connect()])
  const nas = await simulateNas(program, '127.0.0.41')
  const [client] = await signUp(program, 1)
  // The account that is asked for and paid to is not charged; the others come while the program is down.
  await program.rest('PUT', `/rest_api/v2/Abonents/${client!.subscriber}/`, { tarif: null })
  await program.stop()
  await fill()
  await program.start()

  const asker = await RadiusAsker.open('testing123', '127.0.0.41')
  asker.start(program.address.authPort, client!.login, linePassword, 10)
  const cashDesk = new CashDesk(program, client!.account)
  await after(1_000)
  asker.take()
  cashDesk.take()
  await after(quietMs)
  const quiet = { radius: asker.take(), payments: cashDesk.take() }

  const startedMs = performance.now()
  const result = await charge()
  const seconds = (performance.now() - startedMs) / 1000
  const busy = { radius: asker.take(), payments: cashDesk.take() }
  await cashDesk.stop()
  asker.close()
  await nas.stop()

  const shown = (samples: readonly number[]) =>
    `${percentile(samples, 0.5).toFixed(2)} / ${percentile(samples, 0.99).toFixed(2)} ms of ${samples.length}`
  for (const line of [
    `${subscribers} subscribers, ${debtors * 100} % of them blocked by their charge`,
    `charged: ${seconds.toFixed(1)} s, ${Math.round(subscribers / seconds)} /s: ${JSON.stringify(result)}`,
    '| p50 / p99 | quiet | while charging |',
    '| --- | --- | --- |',
    `| Access-Request → Access-Accept | ${shown(quiet.radius)} | ${shown(busy.radius)} |`,
    `| POST of a receipt → 201 | ${shown(quiet.payments.tookMs)} | ${shown(busy.payments.tookMs)} |`,
    `receipts refused and repeated: ${quiet.payments.refused.length}, ${busy.payments.refused.length} ${busy.payments.refused[0] ?? ''}`,
  ])
    process.stdout.write(`${line}\n`)
} finally {
  await database.end()
  await program.stop()
  await server.stop()
  program.remove()
}
process.exit(0)

async function fill(): Promise<void> {
  const sealed = secretsIn(program.dataDir).seal(linePassword)
  const [poor, rich] = [100 * ruble, 1_000 * ruble]
  // Ids far from those that the program makes. No trigger: what the counters miss is of no use here.
  await database.query('SET session_replication_role = replica')
  await database.query(`INSERT INTO admin_accounts (id, ostatok, debit)
    SELECT id, money, money FROM (SELECT 1000000 + n AS id, CASE WHEN n <= ${subscribers * debtors} THEN ${poor}::int8 ELSE ${rich}::int8 END AS money
      FROM generate_series(1, ${subscribers}) AS n) AS made`)
  await database.query(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id, create_date)
    SELECT 1000000 + n, 'subscriber ' || n, 'b' || n, 1000000 + n, 1, 1, '2020-01-01' FROM generate_series(1, ${subscribers}) AS n`)
  await database.query(`INSERT INTO users (abonent_id, login, password)
    SELECT 1000000 + n, 'bench' || n, '${sealed}' FROM generate_series(1, ${subscribers}) AS n`)
  await database.query('SET session_replication_role = DEFAULT')
  await database.query('VACUUM ANALYZE')
}

/** Runs the worker by hand and waits for the record of its run, which outlives any connection. */
async function charge(): Promise<unknown> {
  const last = async () =>
    (
      await database.query(
        `SELECT id, ok, ended_at, result FROM job_runs WHERE name = 'billing_worker' ORDER BY id DESC LIMIT 1`,
      )
    ).rows[0]
  const before = (await last())?.id
  const run = fetch(`${program.address.http}/system_api/jobs/billing_worker/run/`, {
    method: 'POST',
    headers: { 'X-System-Password': password },
  })
  run.catch(() => {})
  for (;;) {
    await after(50)
    const run = await last()
    if (run?.id !== before && run?.ended_at) return run.result
  }
}
