import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { changesNetwork, chosenFiles, hasBrowser, isAlone } from './runner/chosen-files.ts'
import { rememberedSeconds, rememberSeconds } from './runner/durations.ts'
import { makeMigratedFolder, startSharedServer } from './runner/migrated-folder.ts'
import { closingWords, type RunReport, together } from './runner/report.ts'
import { runRoom } from './runner/room-process.ts'
import { browsersFor, Rooms } from './runner/rooms.ts'
import { scratchFolder } from './runner/scratch.ts'
import { SpareDatabases } from './runner/spare-databases.ts'
import { migratedTemplate } from './runner/template.ts'
import { currentConsole } from './support/built-console.ts'

/**
 * `npm test`: the console where it is older than its source, a migrated data folder to copy, one PostgreSQL for the
 * whole run on such a copy, a migrated database to clone from, then every test file; those named, where
 * `npm test -- test/domain/money.test.ts` names files or folders, and those that a change reaches with
 * `npm test -- --changed`. A process runs many files, one after the other. What failed is said again at the end, and
 * which files took long; the last line is `N passed, N failed`.
 */
const preloads = ['stripped-types.js', 'cheap-passwords.js'].map(
  (name) => `--import ${new URL(`./runner/${name}`, import.meta.url).href}`,
)
// Of this process too, because it starts the server.
process.env.TMPDIR = scratchFolder()
const environment = {
  ...process.env,
  // Tests that start the program by `node` get the Node they run on.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
  // The processes of the run and the programs that they start load the same modules.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'),
  // Of the programs that they start: a worker costs a tenth of a second of CPU, and more of them have tests of their own.
  TOLLGATE_RADIUS_WORKERS: '1',
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --disable-warning=ExperimentalWarning ${preloads.join(' ')}`,
}

/** Two more than there are cores, because tests also wait: with one more, a tenth of both cores was idle. */
const processes = availableParallelism() + 2

// A terminal's Ctrl-C reaches the tests as well; they end, and then we do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

const { files, left } = chosenFiles(process.argv.slice(2))
currentConsole()
const shared = openShared()
try {
  const report = await run(files)
  await (await shared).close()
  rememberSeconds(report.times)
  process.exitCode = report.failed > 0 ? 1 : 0
  for (const line of [...closingWords(report), ...left]) say(line)
  say(`${report.passed} passed, ${report.failed} failed`)
} catch (error) {
  await (await shared).close()
  throw error
}

/** What the processes of a run share: the server with clones that wait, and the data folder that tests copy. */
async function openShared(): Promise<{ url: string; close(): Promise<void> }> {
  await makeMigratedFolder()
  const server = process.env.TOLLGATE_TEST_POSTGRES ? null : await startSharedServer()
  try {
    const url = server?.url ?? process.env.TOLLGATE_TEST_POSTGRES!
    const spares = await SpareDatabases.open(url, await migratedTemplate(url, server ? 'tollgate' : 'template0'))
    return { url, close: () => spares.close().finally(() => server?.stop()) }
  } catch (error) {
    await server?.stop()
    throw error
  }
}

async function run(files: readonly string[]): Promise<RunReport> {
  const remembered = rememberedSeconds()
  const secondsOf = (file: string) => remembered[file]
  const browsers = browsersFor(availableParallelism())
  const rooms = new Rooms(files, { isAlone, changesNetwork, hasBrowser, secondsOf, browsers })
  const reports: RunReport[] = []
  const work = async () => {
    for (;;) {
      // Files that want a process for themselves need no database, so they run while the others wait for the server.
      const env = rooms.isNextAlone ? environment : { ...environment, TOLLGATE_TEST_POSTGRES: (await shared).url }
      const room = rooms.open()
      if (room === null) return
      reports.push(await runRoom(room, env, (lines) => say(lines.join('\n'))))
    }
  }
  await Promise.all(Array.from({ length: processes }, work))
  return together(reports)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
