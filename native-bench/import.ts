import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { migrate } from '../src/platform/storage/migrate.ts'

/**
 * `node native-bench/import.ts [--lines 1000000]`: writes a file of so many subscribers, then checks it, imports it,
 * kills the import half-way, imports again and a last time, each as a process of its own on a data folder of its own.
 * Prints time and peak memory of each; verify_ledger has the last word.
 */
const { values } = parseArgs({ options: { lines: { type: 'string', default: '1000000' } } })
const lines = Number(values.lines)
const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-import-'))
chmodSync(dataDir, 0o755)
const file = join(dataDir, 'subscribers.csv')

await writeFile()
const server = await startPostgres({ dataDir, log: silentLog })
try {
  await migrate({ url: server.url, log: silentLog })
  const database = new pg.Client({ connectionString: server.url })
  await database.connect()
  await database.query(
    `INSERT INTO tarifs (name, price, speed_mbit) SELECT 'Home ' || n, 5000000000000, n FROM generate_series(100, 109) AS n`,
  )
  await database.query(
    `INSERT INTO abonent_folders (name, organization_id) SELECT 'District ' || n, 1 FROM generate_series(0, 49) AS n`,
  )
  await database.end()
  say(`${lines} lines, ${(statSync(file).size / 1e6).toFixed(0)} MB`)
  await measured('check', ['import_subscribers', file])
  await measured('import, killed half-way', ['import_subscribers', file, '--apply'], 0.5)
  await measured('import of the rest', ['import_subscribers', file, '--apply'])
  await measured('import again', ['import_subscribers', file, '--apply'])
  await measured('verify_ledger', ['verify_ledger'])
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function writeFile(): Promise<void> {
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

/** Killed, where `until` says so, at that share of the lines. */
async function measured(what: string, args: readonly string[], until?: number): Promise<void> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, ['src/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TOLLGATE_DATA_DIR: dataDir },
  })
  let last = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    say(`    ${line}`)
    const share = /^importing: .*\((\d+) %\)/.exec(line)?.[1]
    if (until !== undefined && share !== undefined && Number(share) >= until * 100) child.kill('SIGKILL')
  })
  const peak = watchMemory(child)
  const [code, signal] = await once(child, 'close')
  const seconds = (performance.now() - startedMs) / 1000
  say(`${what}: ${seconds.toFixed(1)} s, peak ${peak()} MB, ${signal ?? `status ${code}`}: ${last}`)
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

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
