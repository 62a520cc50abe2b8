import t from 'tap'
import { silentLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { testDatabaseUrl, testPool } from '../support/database.ts'
import { violations } from '../support/invariants.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { RunningProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

/** More than the two thousand that the charges read at once. */
const subscribers = 2_100

t.test(
  'killed in the middle of the charges, the program charges the others after its restart, and nobody twice',
  async (t) => {
    const url = await testDatabaseUrl(t)
    await migrate({ url, log: silentLog })
    const pool = testPool(t, url, 3)
    await pool.query(`
    INSERT INTO tarifs (id, name, price) VALUES (1, 'Home', 6000000000000);
    INSERT INTO admin_accounts (id, ostatok, debit) SELECT n, 5000000000000 + n % 2 * 5000000000000, 5000000000000 + n % 2 * 5000000000000
      FROM generate_series(1, ${subscribers}) AS n;
    INSERT INTO finance_operations (op_summa, op_type_id, account_id, organization_id)
      SELECT ostatok, 7, id, 1 FROM admin_accounts;
    INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id, create_date)
      SELECT n, 'subscriber ' || n, n::text, n, 1, 1, '2020-01-01' FROM generate_series(1, ${subscribers}) AS n;
    INSERT INTO users (abonent_id, login, password) SELECT n, 'login' || n, '' FROM generate_series(1, ${subscribers}) AS n`)
    const charged = async (): Promise<number> =>
      (await pool.query(`SELECT count(*)::int AS count FROM finance_operations WHERE op_type_id = 32`)).rows[0].count
    const program = new RunningProgram({ DATABASE_URL: url })
    t.teardown(async () => {
      await program.stop()
      program.remove()
    })

    // The first run begins with the program, and cannot come to its end: the last account is in use.
    const held = await pool.connect()
    await held.query(`BEGIN; SELECT FROM admin_accounts WHERE id = ${subscribers} FOR UPDATE`)
    let failure: unknown = null
    const started = program.start().catch((error: unknown) => {
      failure = error
    })
    await until(async () => {
      if (failure) throw failure
      return (await charged()) >= 200
    })
    await program.kill()
    await started
    await held.query('COMMIT')
    held.release()
    const before = await charged()
    t.ok(before < subscribers, `${before} were charged`)

    const [{ broken }] = (await pool.query(`SELECT max(id) AS broken FROM job_runs WHERE name = 'billing_worker'`)).rows
    await reopenProgram(t, program)
    const isOver = `SELECT FROM job_runs WHERE name = 'billing_worker' AND ok AND id > $1`
    await until(async () => (await pool.query(isOver, [broken])).rowCount === 1)
    const { rows } =
      await pool.query(`SELECT count(*)::int AS times, count(DISTINCT abonent_id)::int AS subscribers, min(op_summa), max(op_summa)
    FROM finance_operations WHERE op_type_id = 32`)
    t.match(rows, [{ times: subscribers, subscribers, min: '-6000000000000', max: '-6000000000000' }])
    t.same(await violations(pool, 'settled'), [])
    const { rows: blocked } = await pool.query('SELECT count(*)::int AS count FROM abonents_block WHERE b_negbal')
    t.same(blocked, [{ count: subscribers / 2 }], 'half of them cannot pay it')
  },
)
