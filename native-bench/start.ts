import { setTimeout as pause } from 'node:timers/promises'
import { alone, type Figure, figureAtMost } from './figures.ts'
import { memoryOf, treeBytes } from './processes.ts'
import { nasAddresses } from './radius/subscribers.ts'
import { startTollgate, type Tollgate } from './radius/tollgate.ts'

export type StartOptions = { subscribers: number; sessions: number }

const gib = 2 ** 30

/**
 * The program with as many subscribers as it is made for, each with an account and a login, and a share of them with a
 * live session: how long it takes from the start of the process to `ready`, what it holds in memory then, and the same
 * after a kill -9.
 */
export async function measureStart({ subscribers, sessions }: StartOptions): Promise<Figure[]> {
  const crowd = { users: subscribers, nas: nasAddresses(20) }
  const tollgate = await startTollgate(crowd, 2)
  try {
    await tollgate.program.stop()
    await begin(tollgate, sessions)
    const first = await started(tollgate)
    await tollgate.program.kill()
    const again = await started(tollgate)
    const of = `${subscribers.toLocaleString('en')} subscribers`
    return [
      alone(`${of}: start to ready`, 's', first.seconds, figureAtMost(8)),
      alone(`${of}: start to ready after kill -9`, 's', again.seconds, figureAtMost(8)),
      alone(`${of}: whole process`, 'GiB', first.now / gib, figureAtMost(0.8)),
      alone(`${of}: whole process at most`, 'GiB', first.peak / gib),
      alone(`${of}: PostgreSQL beside it`, 'GiB', first.postgres / gib),
      alone(`${of}: access table each`, 'KiB', first.tableBytes / subscribers / 1024, figureAtMost(0.5)),
    ]
  } finally {
    await tollgate.stop()
  }
}

/** Live sessions of the first subscribers, over all NAS. */
async function begin({ database }: Tollgate, sessions: number): Promise<void> {
  await database.query(`INSERT INTO radius_sessions (login, user_id, abonent_id, organization_id, nas_id, nas_ip, acct_session_id, framed_ip, mac,
      calling_station_id, started_at, updated_at, session_time, input_octets, output_octets)
    SELECT 'user' || n, n, n, 1, 1 + n % 20, '127.0.0.101', to_hex(n), inet '10.0.0.0' + n, '02:00:00:00:00:01', '02-00-00-00-00-01',
      now() - interval '1 hour', now(), 3600, n * 1000, n * 9000 FROM generate_series(1, ${sessions}) AS n`)
  await database.query('VACUUM ANALYZE radius_sessions')
}

async function started({ program, database, pids }: Tollgate) {
  // What stopped leaves its files to be written.
  await database.query('CHECKPOINT')
  const startedMs = performance.now()
  await program.launch()
  const seconds = (performance.now() - startedMs) / 1000
  await program.signIn()
  // What only the loading needed is given back within seconds.
  await pause(settleMs)
  const metrics = await (await fetch(program.address.metrics)).text()
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1])
  const { now, peak } = memoryOf(program.pid)
  return { seconds, now, peak, postgres: treeBytes(pids[1]!), tableBytes: metric('tollgate_access_table_bytes') }
}

const settleMs = 5_000
