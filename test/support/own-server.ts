import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'

// Used by npm run chaos too, so nothing here imports tap.

export type OwnServer = Awaited<ReturnType<typeof ownServer>>

/** A server of a test's own, to be stopped and frozen. It keeps its address over a stop. */
export async function ownServer(t: { teardown(deed: () => unknown): unknown }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-server-'))
  // Run by root, the server is another user and must get in.
  chmodSync(dataDir, 0o711)
  const start = () => startPostgres({ dataDir, log: silentLog, settings: { fsync: 'off' } })
  let running = await start()
  const pid = () => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  /** The server is one process for each connection; all of them stand still. */
  const signal = (name: NodeJS.Signals) => {
    for (const one of [pid(), ...childrenOf(pid())]) signalIfThere(one, name)
  }
  t.teardown(async () => {
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    url: running.url,
    stop: () => running.stop(),
    start: async () => {
      running = await start()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    /** All its processes at once, as when the machine runs out of memory. It comes back by itself. */
    crash: () => signal('SIGKILL'),
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** A process of a connection may end between the look at the list and the signal. */
export function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
