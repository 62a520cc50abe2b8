import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { migratedDataDir, newDataDir } from './data-folder.ts'

// Used by npm run chaos too, so nothing here imports tap.

export type OwnServer = Awaited<ReturnType<typeof ownServer>>

/**
 * A server of a test's own, to be stopped and frozen. It keeps its address over a stop. Its database is migrated;
 * `migrated: false` makes it empty.
 */
export async function ownServer(t: { teardown(deed: () => unknown): unknown }, { migrated = true } = {}) {
  const dataDir = migrated ? migratedDataDir() : newDataDir()
  const start = () => startPostgres({ dataDir, log: silentLog, settings: { fsync: 'off' } })
  let running = await start()
  const pid = () => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  const signal = (name: NodeJS.Signals) => {
    signalServer(pid(), name)
  }
  t.teardown(async () => {
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    dataDir,
    url: running.url,
    stop: () => running.stop(),
    start: async () => {
      running = await start()
    },
    /** Of one that is stopped: its files, as a copy of a machine has them. */
    keep: () => cpSync(join(dataDir, 'postgres'), join(dataDir, 'kept'), { recursive: true }),
    /** Of one that is stopped: it has lost what it did since `keep`. */
    goBack: () => {
      rmSync(join(dataDir, 'postgres'), { recursive: true })
      cpSync(join(dataDir, 'kept'), join(dataDir, 'postgres'), { recursive: true })
      chmodSync(join(dataDir, 'postgres'), 0o700)
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    /** All its processes at once, as when the machine runs out of memory. It comes back by itself. */
    crash: () => signal('SIGKILL'),
  }
}

/**
 * A server is one process for each connection, and all of them get the signal; answers their pids. The first one stands
 * still while they are listed, so that it makes no more.
 */
export function signalServer(pid: number, name: NodeJS.Signals): number[] {
  signalIfThere(pid, 'SIGSTOP')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  const all = [pid, ...children]
  for (const one of all) signalIfThere(one, name)
  return all
}

/** A process of a connection may end between the look at the list and the signal. */
export function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
