import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { alone, type Figure } from './figures.ts'
import { fillDictionaries, runCommand, writeFile } from './import.ts'
import { cpuMicroseconds } from './processes.ts'
import { fillUp } from './reports.ts'

/**
 * A backup of so many subscribers and operations by the command of the operator, its restore into another data folder, with
 * fsync, and its trial: how long, how large, and with how much CPU and memory.
 */
export async function measureBackup(of: {
  readonly subscribers: number
  readonly operations: number
}): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-backup-'))
  chmodSync(folder, 0o755)
  const [dataDir, restored] = [join(folder, 'data'), join(folder, 'restored')]
  const archive = join(folder, 'archive.tar')
  const server = await startPostgres({ dataDir, log: silentLog })
  try {
    await migrate({ url: server.url, log: silentLog })
    const database = new pg.Client({ connectionString: server.url })
    await database.connect()
    await fillDictionaries(database)
    const file = join(folder, 'subscribers.csv')
    await writeFile(file, of.subscribers)
    await runCommand(dataDir, ['import_subscribers', file, '--apply'])
    const before = cpuMicroseconds([process.pid])
    await fillUp(database, of.operations)
    const filledSeconds = (cpuMicroseconds([process.pid]) - before) / 1e6
    const { rows } = await database.query<{ bytes: number }>(
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    )
    await database.end()
    const made = await runCommand(dataDir, ['backup', archive])
    const back = await runCommand(restored, ['restore', archive])
    rmSync(restored, { recursive: true })
    // The operations are put in by SQL, and the proof of the ledger says so of each account.
    const tried = await runCommand(dataDir, ['backup', '--verify', archive], 1)
    const name = `${of.subscribers.toLocaleString('en')} subscribers, ${of.operations.toLocaleString('en')} operations`
    return [
      alone(`${name}: operations filled in, CPU`, 's', filledSeconds),
      alone(`${name}: database`, 'MiB', Math.round(rows[0]!.bytes / 2 ** 20)),
      alone(`${name}: archive`, 'MiB', Math.round((statSync(archive).size / 2 ** 20) * 10) / 10),
      ...[
        { what: 'backup', ran: made },
        { what: 'restore', ran: back },
        { what: 'trial', ran: tried },
      ].flatMap(({ what, ran }) => [
        alone(`${name}: ${what}`, 's', ran.seconds),
        alone(`${name}: ${what}, CPU with PostgreSQL`, 's', ran.cpuSeconds),
        alone(`${name}: ${what}, memory of the command`, 'MiB', ran.peakMib),
      ]),
    ]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
