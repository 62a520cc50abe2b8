import type { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import { silentLog } from '../../../src/platform/log.ts'
import { type Change, watchChanges, watchedTables } from '../../../src/platform/storage/changes.ts'
import { asUnavailable, type Database, openDatabase } from '../../../src/platform/storage/database.ts'
import { AdminAccount } from '../../../src/platform/storage/entities/accounts.ts'
import { migrate } from '../../../src/platform/storage/migrate.ts'
import { persisting } from '../../../src/platform/storage/transactions.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { patientLimits, SharedDatabase } from '../../support/database.ts'
import { ownServer } from '../../support/postgres.ts'
import { inEachTurn } from '../../support/turns.ts'
import { until } from '../../support/until.ts'

const shared = await SharedDatabase.open(t)

const patienceMs = 5_000

/** Everything that reaches the server: both pools, MikroORM, and a client taken by hand. */
const questions = (database: Database): [string, () => Promise<unknown>][] => [
  ['pool', () => database.pool.query('SELECT 1')],
  ['ledger', () => database.ledger.query('SELECT 1')],
  ['manager', () => persisting({ database, timeZone: () => 'UTC' }, (_, manager) => manager.count(AdminAccount))],
  ['client', async () => (await database.pool.connect()).release()],
]

async function refusals(database: Database): Promise<unknown[]> {
  const asked = questions(database).flatMap(([name, ask]) => Array.from({ length: 6 }, () => [name, ask] as const))
  const answers = await Promise.allSettled(asked.map(([, ask]) => ask()))
  return answers.map((answer) => (answer.status === 'rejected' ? asUnavailable(answer.reason) : null))
}

/** On a machine that does much else a connection may take longer than anybody waits for it. */
async function allAnswer(t: Test, database: Database, when: string): Promise<void> {
  for (const [name, ask] of questions(database)) {
    await until(() =>
      ask().then(
        () => true,
        (error) => {
          if (!asUnavailable(error)) throw error
          return false
        },
      ),
    )
    t.pass(`${name} answers ${when}`)
  }
}

const once = (register: (listener: () => void) => () => void) =>
  new Promise<void>((resolve) => {
    const end = register(() => {
      end()
      resolve()
    })
  })

async function withOwnServer(t: Parameters<typeof ownServer>[0]) {
  const server = await ownServer(t)
  await migrate({ url: server.url, log: silentLog })
  const database = await openDatabase({ url: server.url, log: silentLog, pool: { general: 3, ledger: 2 } })
  t.teardown(() => database.close())
  return { server, database }
}

t.test('a stopped server is reported as unavailable within 5 s, and everything recovers by itself', async (t) => {
  const { server, database } = await withOwnServer(t)
  const changes: Change[] = []
  watchChanges(database, (change) => changes.push(change))
  const down = once(database.onDown)
  await server.stop()
  await down
  t.equal(database.isUp(), false)
  for (const refusal of await refusals(database)) t.match(refusal, { reason: 'database' })

  const up = once(database.onUp)
  await server.start()
  await up
  t.equal(database.isUp(), true)
  await allAnswer(t, database, 'again')
  t.same(
    changes.map(({ table, ids }) => [table, ids]),
    watchedTables.map((table) => [table, '*']),
    'what was missed is told as any row of every table',
  )
  const heard = new Promise<Change>((resolve) => watchChanges(database, resolve))
  await database.pool.query('INSERT INTO admin_accounts (id) VALUES (7)')
  t.same(await heard, { table: 'admin_accounts', ids: [7] }, 'notices are heard again')
})

t.test('a frozen server is reported as unavailable within 5 s', async (t) => {
  const { server, database } = await withOwnServer(t)
  await allAnswer(t, database, 'before')
  const down = once(database.onDown)
  server.freeze()
  const beganAt = performance.now()
  for (const refusal of await refusals(database)) t.match(refusal, { reason: 'database' })
  t.comment(`the last answer came after ${Math.round(performance.now() - beganAt)} ms; promised: ${patienceMs}`)
  await down
  const up = once(database.onUp)
  server.thaw()
  await up
  await allAnswer(t, database, 'again')
})

t.test('a start waits for a connection longer than those who ask a program that serves', async (t) => {
  await shared.anew()
  const limits = { connectionTimeoutMillis: 100, query_timeout: 60_000 }
  const pool = { general: 1, ledger: 1 }
  const database = await openDatabase({ url: shared.url, log: silentLog, limits, pool, isStarting: true })
  t.teardown(() => database.close())
  const held = await database.pool.connect()
  const waiting = database.pool.query('SELECT 1 AS one')
  await database.ledger.query('SELECT pg_sleep(0.3)')
  held.release()
  t.match((await waiting).rows, [{ one: 1 }])

  database.serves()
  const again = await database.pool.connect()
  await t.rejects(database.pool.query('SELECT 1'), { message: 'timeout exceeded when trying to connect' })
  again.release()
})

t.test('an error of the statement itself is not unavailability', async (t) => {
  const database = await shared.anew()
  const error = await database.pool.query('SELECT 1/0').catch((error) => error)
  t.equal(asUnavailable(error), null)
  t.equal(asUnavailable(null), null)
  t.equal(asUnavailable(new Error('Connection is what this is about')), null)
  const already = new Unavailable('mailboxFull', 'x')
  t.equal(asUnavailable(already), already)
})

t.test('a query that the server cancels, or has no connection for, is reported as unavailable', async (t) => {
  const database = await shared.anew()
  const client = await database.pool.connect()
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  client.on('error', () => {})
  const ended = client.query('SELECT pg_sleep(60)').catch((error) => error)
  await database.ledger.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  t.match(asUnavailable(await ended), { reason: 'database' })
  client.release(true)
  t.match(asUnavailable(Object.assign(new Error('sorry, too many clients already'), { code: '53300' })), {
    reason: 'database',
  })
})

t.test('statements of accounting are planned once, also where the plan for a few rows seems cheaper', async (t) => {
  const database = await shared.anew()
  const client = await database.accounting.connect()
  for (let asked = 0; asked < 3; asked++)
    await client.query({ name: 'one', text: 'SELECT id FROM users WHERE id = ANY ($1::int8[])', values: [[asked]] })
  const { rows } = await client.query(
    `SELECT generic_plans::int4 AS generic, custom_plans::int4 AS custom, current_setting('tollgate.writer') AS writer
     FROM pg_prepared_statements WHERE name = 'one'`,
  )
  client.release()
  t.same(rows, [{ generic: 3, custom: 0, writer: 'on' }])
})

t.test('money and ids arrive without loss', async (t) => {
  const database = await shared.anew()
  const most = 9_223_372_036_854_775_807n
  await database.ledger.query('INSERT INTO admin_accounts (id, ostatok, debit) VALUES (1, $1, $1)', [most])
  const { rows } = await database.pool.query('SELECT id, ostatok FROM admin_accounts')
  t.same(rows, [{ id: '1', ostatok: String(most) }])
  const account = await persisting({ database, timeZone: () => 'UTC' }, (_, manager) =>
    manager.findOneOrFail(AdminAccount, 1),
  )
  t.equal(account.id, 1)
  t.equal(account.ostatok, most)
  t.equal(account.warn, null)
})

t.test('a date stays the day it is', async (t) => {
  const database = await shared.anew()
  const { rows } = await database.pool.query(`SELECT '1990-02-28'::date AS birth_date`)
  t.same(rows, [{ birth_date: '1990-02-28' }])
})

t.test('a large answer is read in turns with everything else', async (t) => {
  await shared.anew()
  const options = { log: silentLog, limits: patientLimits, pool: { general: 1, ledger: 1 } }
  const database = await openDatabase({ url: shared.url, ...options })
  t.teardown(() => database.close())
  const client = await database.pool.connect()
  let [inTurn, most] = [0, 0]
  const { connection } = client as unknown as { connection: EventEmitter }
  const count = () => {
    inTurn++
  }
  connection.on('dataRow', count)
  const next = () => {
    most = Math.max(most, inTurn)
    inTurn = 0
  }
  const { rows } = await inEachTurn(next, () => client.query(`SELECT repeat('x', 100) FROM generate_series(1, 40000)`))
  connection.off('dataRow', count)
  client.release()
  t.equal(rows.length, 40_000)
  // A thousand, and what has come with the last of them.
  t.ok(most < 2_000, `${most} rows at most before anybody else has a turn`)
})
