import t from 'tap'
import type { SubscriberId } from '../../src/domain/ids.ts'
import { openProgram } from '../support/opened-program.ts'
import { ownServer } from '../support/own-server.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { until } from '../support/until.ts'
import { Watcher } from '../support/watcher.ts'

t.test('a server that has lost commits is believed in everything', async (t) => {
  const server = await ownServer(t)
  const program = await openProgram(t, { DATABASE_URL: server.url, TOLLGATE_SECRET_KEY: 'the key of the program' })
  const nas = await simulateNas(program, '127.0.0.34')
  t.teardown(() => nas.stop())
  const [client] = await signUp(program, 1)
  const { login, account, subscriber } = client!
  const isUp = () => program.parts.database.isUp()
  const signIn = async () => (await nas.signIn(login, linePassword, login)).kind
  const move = (op_type: number, rubles: number) =>
    program.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type, op_summa: rubles * ruble })
  t.equal((await move(7, 10)).status, 201)
  await server.stop()
  server.keep()
  await server.start()
  await until(isUp)

  const { pool } = program.parts.database
  const idsBy = async (asked: 'nextval' | 'pg_sequence_last_value'): Promise<number[]> => {
    const text = `SELECT ${asked}(name::regclass) AS id FROM reserved_sequences ORDER BY name`
    return (await pool.query<{ id: string }>(text)).rows.map(({ id }) => Number(id))
  }
  const lostIds = await idsBy('nextval')
  for (const rubles of [1, 2, 3, 200]) t.equal((await move(9, rubles)).status, 201)
  await until(async () => (await signIn()) === 'rejected')
  const version = () => program.parts.access.table.findByName(login)!.accountVersion
  const lost = version()
  const watcher = await new Watcher(program.address.http, program.session).open(['blocks'])
  const cut = t.rejects(
    watcher.next(() => false),
    { message: 'The socket closed with 1012 service restart.' },
  )
  const { rows } = await pool.query('SELECT pg_current_wal_insert_lsn()::text AS lsn')
  t.match(rows, [{ lsn: String }])
  // The server is asked every second where it stands.
  const asked = performance.now()
  await until(() => performance.now() - asked > 1_200)
  await server.stop()
  await until(() => !isUp())
  server.goBack()
  await server.start()
  await until(isUp)

  // Nobody gets an id that somebody has had from the server before.
  await until(async () => (await idsBy('pg_sequence_last_value')).every((id, at) => id > lostIds[at]!))
  await until(async () => (await signIn()) === 'accepted')
  t.ok(version() < lost, 'what the tables say now is older than what was known')
  await cut
  const status = await program.parts.subscribers.status(subscriber as SubscriberId)
  t.equal(status?.account.balance, 10n * BigInt(ruble))
  t.equal((await move(9, 100)).status, 201)
  await until(async () => (await signIn()) === 'rejected')
})
