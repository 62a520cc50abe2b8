import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { silentLog } from '../src/platform/log.ts'
import { startTemporaryPostgres } from '../src/platform/postgres/server.ts'
import { RunReader, type RunReport } from './support/run-report.ts'
import { migratedTemplate } from './support/template.ts'

/**
 * `npm test`: one PostgreSQL for the whole run, a migrated database to clone from, then every test file; those
 * named, where `npm test -- test/domain/money.test.ts` names some. What failed is said again at the end, and which files took
 * long; the last line is `N passed, N failed`.
 */
const environment = {
  ...process.env,
  // Tests that start the program by `node` get the Node they run on.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
  // Two hundred files and the programs that they start load the same modules.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'),
}

const named = process.argv.slice(2)

// A terminal's Ctrl-C reaches the tests as well; they end, and then we do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

const { files, left } = named.length > 0 ? { files: named, left: [] } : chosenFiles()
const server = process.env.TOLLGATE_TEST_POSTGRES ? null : await startTemporaryPostgres(silentLog)
try {
  const url = server?.url ?? process.env.TOLLGATE_TEST_POSTGRES!
  await migratedTemplate(url)
  const report = await run(files, { TOLLGATE_TEST_POSTGRES: url })
  process.exitCode = report.failed > 0 ? 1 : 0
  await server?.stop()
  for (const line of [...closingWords(report), ...left]) say(line)
  say(`${report.passed} passed, ${report.failed} failed`)
} catch (error) {
  await server?.stop()
  throw error
}

/** All tests; those against programs of others only where these are installed. */
function chosenFiles(): { files: string[]; left: string[] } {
  const peers = globSync('test/peers/*.peer.ts').sort()
  const left: string[] = []
  const present = peers.filter((file) => {
    const missing = neededBy(file).filter(({ program }) => !isInstalled(program))
    for (const { program, from } of missing) left.push(`Left out: ${file} needs ${program} (apt install ${from}).`)
    return missing.length === 0
  })
  // Those with programs of others take long, and what takes long at the end would run alone.
  return { files: [...present, ...globSync('test/**/*.test.ts').sort()], left }
}

/** A peer test says in a comment of its own line what it needs: `needs radclient from freeradius-utils`, or the path of a file. */
function neededBy(file: string): { program: string; from: string }[] {
  const found = readFileSync(file, 'utf8').matchAll(/^\/\/ needs (\S+) from (\S+)$/gm)
  return [...found].map(([, program, from]) => ({ program: program!, from: from! }))
}

function isInstalled(program: string): boolean {
  // Servers live in folders that are not on everybody's path.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => existsSync(resolve(folder, program)))
}

function run(files: readonly string[], more: Record<string, string>): Promise<RunReport> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support', 'files.ts'), ...files], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...environment, ...more },
  })
  const reader = new RunReader()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    process.stdout.write(chunk)
    reader.read(chunk)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(reader.report(code ?? 1)))
  })
}

/** Kept short: a reader of a long log sees its last lines first. */
function closingWords({ failures, slowest }: RunReport): string[] {
  const seconds = slowest.slice(0, 10).map(({ file, seconds }) => `${seconds.toFixed(1)} s ${file}`)
  return [
    ...(seconds.length > 1 ? [`Slowest: ${seconds.join(', ')}`] : []),
    ...failures.slice(0, 20).flatMap(({ title, detail }) => [`Failed: ${title}`, ...detail]),
    ...(failures.length > 20 ? [`Failed too: ${failures.length - 20} more, see above.`] : []),
  ]
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
