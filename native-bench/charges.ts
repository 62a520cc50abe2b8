import { setTimeout as after } from 'node:timers/promises'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { RunningProgram } from '../test/support/program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../test/support/provider.ts'
import { CashDesk } from './cash-desk.ts'
import { alone, type Figure, figureAtMost, percentile } from './figures.ts'
import { RadiusAsker } from './radius-asker.ts'
import { secretsIn } from '../test/support/secrets.ts'

type Crowd = {
  readonly subscribers: number
  /** The share of those that cannot pay and are blocked by their charge, each with a Disconnect-Request to the NAS. */
  readonly debtors: number
}

const password = 'bench-of-charges'

/**
 * The tariff day: the whole program on a server of its own with fsync charges everybody for the month by
 * billing_worker, while a NAS asks for access a hundred times a second and a cash desk pays in ten times a second.
 * Figures are how long the charges take and how long the others wait meanwhile, beside the same with nothing else to do.
 */
export async function measureCharges({ quietMs, ...crowd }: Crowd & { readonly quietMs: number }): Promise<Figure[]> {
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
    await fill(crowd, database, secretsIn(program.dataDir).seal(linePassword))
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
    await charge(program, database)
    const seconds = (performance.now() - startedMs) / 1000
    const busy = { radius: asker.take(), payments: cashDesk.take() }
    await cashDesk.stop()
    asker.close()
    await nas.stop()

    const waits = (
      what: string,
      whileQuiet: readonly number[],
      whileBusy: readonly number[],
      atMost: readonly number[],
    ) =>
      [0.5, 0.99].map((share, at): Figure => {
        const bound = atMost[at]
        return {
          what: `${what} meanwhile, p${share * 100}`,
          unit: 'ms',
          ours: percentile(whileBusy, share),
          peer: 'quiet',
          theirs: percentile(whileQuiet, share),
          target: bound === undefined ? null : figureAtMost(bound),
        }
      })
    const name = crowd.subscribers.toLocaleString('en')
    return [
      alone(`${name} charged, every ${1 / crowd.debtors}th blocked by it`, 's', seconds, figureAtMost(8)),
      ...waits('receipt', quiet.payments.tookMs, busy.payments.tookMs, [15, 60]),
      ...waits('Access-Request → Access-Accept', quiet.radius, busy.radius, []),
      alone('receipts refused and repeated meanwhile', 'receipts', busy.payments.refused.length),
    ]
  } finally {
    await database.end()
    await program.stop()
    await server.stop()
    program.remove()
  }
}

async function fill({ subscribers, debtors }: Crowd, database: pg.Client, sealed: string): Promise<void> {
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
async function charge(program: RunningProgram, database: pg.Client): Promise<void> {
  const last = async () =>
    (
      await database.query(
        `SELECT id, ok, ended_at FROM job_runs WHERE name = 'billing_worker' ORDER BY id DESC LIMIT 1`,
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
    if (run?.id === before || !run?.ended_at) continue
    if (!run.ok) throw new Error('billing_worker failed; job_runs and the log of the program say why.')
    return
  }
}
