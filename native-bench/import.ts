import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { alone, type Figure, figureAtMost } from './figures.ts'
import { cpuMicroseconds } from './processes.ts'

/**
 * Imports a file of so many subscribers by the command of the operator on a data folder of its own, with fsync: checked
 * without writing, imported, and imported again, when nothing is left to do. verify_ledger has the last word.
 */
export async function measureImport({ lines }: { readonly lines: number }): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-import-'))
  chmodSync(dataDir, 0o755)
  const file = join(dataDir, 'subscribers.csv')
  await writeFile(file, lines)
  const server = await startPostgres({ dataDir, log: silentLog })
  try {
    await migrate({ url: server.url, log: silentLog })
    const database = new pg.Client({ connectionString: server.url })
    await database.connect()
    await fillDictionaries(database)
    await database.end()
    const run = (...args: readonly string[]) => runCommand(dataDir, args)
    const checked = await run('import_subscribers', file)
    const imported = await run('import_subscribers', file, '--apply')
    const again = await run('import_subscribers', file, '--apply')
    const verified = await run('verify_ledger')
    const name = `import of ${lines.toLocaleString('en')} lines`
    return [
      alone(name, 's', imported.seconds, figureAtMost(120)),
      alone(`${name}: memory of the command`, 'MiB', imported.peakMib),
      alone(`${name}: checked without writing`, 's', checked.seconds),
      alone(`${name}: again, nothing left to do`, 's', again.seconds),
      alone(`${name}: verify_ledger`, 's', verified.seconds),
    ]
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A file of so many subscribers, as an operator would import it. */
export async function writeFile(file: string, lines: number): Promise<void> {
  const out = createWriteStream(file)
  out.write('contract_number;name;login;password;ip;mac;tarif;balance;limit;email;phone;folder\r\n')
  for (let n = 1; n <= lines; n++) {
    const hex = n.toString(16).padStart(6, '0')
    const mac = `02:00:00:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`
    const ip = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
    const balance = ((n * 7919) % 200_000) / 100 - 200
    const text = `${String(n).padStart(8, '0')};"Иванов Иван, ${n}";user${n};pass-${n * 31};${ip};${mac};Home ${100 + (n % 10)};${balance.toFixed(2).replace('.', ',')};0;user${n}@example.org;+7916${String(n).padStart(7, '0')};District ${n % 50}\r\n`
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}

/** Tariffs and folders that the subscribers of the file are of. */
export async function fillDictionaries(database: pg.Client): Promise<void> {
  await database.query(
    `INSERT INTO tarifs (name, price, speed_mbit) SELECT 'Home ' || n, 5000000000000, n FROM generate_series(100, 109) AS n`,
  )
  await database.query(
    `INSERT INTO abonent_folders (name, organization_id) SELECT 'District ' || n, 1 FROM generate_series(0, 49) AS n`,
  )
}

/**
 * Throws when the command ends by another status than it should, with what it said last. `cpuSeconds` is that of the command and of PostgreSQL, of which
 * nothing else may be asked meanwhile: of all that descends from this process.
 */
export async function runCommand(
  dataDir: string,
  args: readonly string[],
  status = 0,
): Promise<{ readonly seconds: number; readonly cpuSeconds: number; readonly peakMib: number }> {
  const [startedMs, cpuBefore] = [performance.now(), cpuMicroseconds([process.pid])]
  const child = spawn(process.execPath, ['src/main.ts', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TOLLGATE_DATA_DIR: dataDir },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  const peak = watchMemory(child)
  const [code, signal] = await once(child, 'close')
  if (code !== status) throw new Error(`${args[0]} ended by ${signal ?? `status ${code}`}: ${said}`)
  const cpuSeconds = (cpuMicroseconds([process.pid]) - cpuBefore) / 1e6
  return { seconds: (performance.now() - startedMs) / 1000, cpuSeconds, peakMib: peak() }
}

/** The most memory the process has had, as Linux counts it. */
function watchMemory({ pid }: ChildProcess): () => number {
  let peak = 0
  const timer = setInterval(() => {
    try {
      // One that has ended and is not waited for has no memory any more.
      peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? peak)
    } catch {
      clearInterval(timer)
    }
  }, 100)
  return () => {
    clearInterval(timer)
    return Math.round(peak / 1024)
  }
}
