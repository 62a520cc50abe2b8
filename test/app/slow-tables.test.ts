import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { testDatabaseUrl } from '../support/database.ts'
import { OpenedProgram } from '../support/opened-program.ts'
import { until } from '../support/until.ts'

/** Less than the program has when it serves, and enough for each of its other statements on a busy machine. */
const queryMs = 2_000

t.test('a start waits for large tables longer than the limit of a query', async (t) => {
  const url = await testDatabaseUrl(t)
  const program = new OpenedProgram({ DATABASE_URL: url })
  program.limits = { connectionTimeoutMillis: 30_000, query_timeout: queryMs }
  t.teardown(async () => {
    await program.stop()
    program.remove()
  })
  // Logins are read with the live sessions first, and then counted.
  const readers = { users: 2, notifications: 1, radius_ended_sessions: 1 }
  const locks = await Promise.all(Object.entries(readers).map(([table, times]) => locked(t, url, table, times)))
  const houses = async () => {
    await program.launch()
    await program.parts.houses.load()
  }
  await Promise.all([houses(), ...locks.map((lock) => lock.releaseLate())])
  t.equal(program.parts.notReady(), null)
})

/** A table that nobody can read until who wants to has waited longer than the limit; so many of them, one after another. */
async function locked(t: Test, url: string, table: string, times: number): Promise<{ releaseLate(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  const lock = `BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`
  const isWanted = async () => {
    const { rows } = await client.query(`SELECT FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`)
    return rows.length > 0
  }
  await client.query(lock)
  const releaseLate = async () => {
    for (let left = times; left > 0; left--) {
      await until(isWanted)
      await pause(queryMs + 200)
      await client.query(left > 1 ? `ROLLBACK; ${lock}` : 'ROLLBACK')
    }
  }
  return { releaseLate }
}
