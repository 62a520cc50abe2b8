import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { PostgresBinaries } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import type { DataFolder } from './data-folder.ts'
import { type Postmaster, readPidFile, waitForAccess } from './postmaster.ts'
import { isAlive } from './process-lock.ts'
import { launchAs } from './user.ts'

/** They are given on the command line, so that a new version of Tollgate changes them for old clusters too. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  // Segments of the write-ahead log are recycled, because creating one delays every commit by about 60 ms.
  min_wal_size: '512MB',
  // Statements are planned for the tables as they were at the last analysis. The sooner their growth is noticed, the
  // sooner an index is used.
  autovacuum_naptime: '10s',
  // Compiling our short statements would cost more than running them.
  jit: 'off',
  random_page_cost: '1.1',
  // Whoever asks works too. With two workers on two cores the program waited 20 to 50 ms for a core when its timers
  // were due, and no statement was done sooner.
  max_parallel_workers_per_gather: String(Math.min(availableParallelism() - 1, 2)),
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // A refused statement may hold personal data; its error text is enough.
  log_min_error_statement: 'panic',
}

const immediateStopMs = 1_000
const killMs = 500
const repeatMessageMs = 5_000
const logBytesMax = 8 * 1024 * 1024

export type StartAttempt =
  | { kind: 'ready'; postmaster: Postmaster; end: ProcessEnd }
  /** The text is the last output of PostgreSQL. */
  | { kind: 'failed'; text: string }

export type StartOrder = {
  folder: DataFolder
  cluster: Cluster
  binaries: PostgresBinaries
  port: number
  moreSettings: Readonly<Record<string, string>>
  log: Log
  signal: AbortSignal
}

/** Starts the server and waits until it takes our connections, however long it repairs its files after a crash. */
export async function startProcess(order: StartOrder): Promise<StartAttempt> {
  const { cluster, port, log, signal } = order
  const began = performance.now()
  const output = openLog(order.folder.file('postgres.log'))
  const launch = await launchAs(cluster.runAs, join(order.binaries.folder, 'bin', 'postgres'), [
    ...['-D', cluster.path],
    ...Object.entries({ ...settings, ...order.moreSettings, port }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
  ])
  const child = spawn(launch.command, launch.args, { ...launch.options, stdio: ['ignore', output.fd, output.fd] })
  closeSync(output.fd)
  const end = new ProcessEnd()
  child.once('error', (error) => end.report(error.message))
  child.once('exit', (code, name) => end.report(name ? `signal ${name}` : `exit status ${code}`))
  // The server alone must not keep a finished command alive.
  child.unref()
  let loggedAt = began
  while (end.how === null) {
    if (signal.aborted) child.kill('SIGINT')
    const file = readPidFile(cluster.path)
    if (file?.pid === child.pid && file?.status === 'ready' && !signal.aborted) {
      try {
        if (!(await waitForAccess(cluster.path, cluster.key, port, () => end.how === null, signal))) continue
      } catch (error) {
        await endProcess(file.pid, 5_000, log)
        throw error
      }
      log.info('PostgreSQL started', { pid: file.pid, port, tookMs: Math.round(performance.now() - began) })
      return { kind: 'ready', postmaster: { pid: file.pid, port }, end }
    }
    if (performance.now() - loggedAt > repeatMessageMs) {
      loggedAt = performance.now()
      log.info('PostgreSQL is still starting; after a crash it first repairs its files')
    }
    await pause(10)
  }
  return { kind: 'failed', text: readFileSync(output.path).subarray(output.start).toString().trim() || end.how }
}

/** The end of a process, reported once to everybody who listens at that time. */
export class ProcessEnd {
  how: string | null = null
  onEnd: (how: string) => void = () => {}

  report(how: string): void {
    if (this.how !== null) return
    this.how = how
    this.onEnd(how)
  }
}

/**
 * First a fast shutdown, which ends open transactions and closes the files cleanly. Then an immediate one, after which
 * the next start repairs the files from the log. At last SIGKILL for a server that is frozen, with the same repair. The
 * last `immediateStopMs + killMs` of the time are reserved for the second and third way.
 */
export async function endProcess(pid: number, withinMs: number, log: Log): Promise<void> {
  const fastStopMs = Math.max(withinMs - immediateStopMs - killMs, 200)
  sendSignal(pid, 'SIGINT')
  if (await endsWithin([pid], fastStopMs)) return
  log.warn(`PostgreSQL has not stopped within ${fastStopMs} ms; it is told to stop at once`)
  sendSignal(pid, 'SIGQUIT')
  if (await endsWithin([pid], immediateStopMs)) return
  log.warn(`PostgreSQL (process ${pid}) does not react; it is killed, and the next start repairs its files`)
  // The backends are sessions of their own. They end when they notice that the postmaster is gone, which frozen ones
  // cannot.
  const all = [pid, ...childrenOf(pid)]
  for (const one of all) sendSignal(one, 'SIGKILL')
  if (await endsWithin(all, killMs)) return
  log.error(`PostgreSQL (process ${pid}) does not end; it is left alone, and the next start will find it`)
}

/** The wanted port if nobody listens there, otherwise a free one chosen by the system. */
export async function freePort(wanted: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.once('error', (error) => (wanted === 0 ? reject(error) : resolve(freePort(0))))
  probe.listen(wanted, '127.0.0.1', () => {
    const { port } = probe.address() as { port: number }
    probe.close(() => resolve(port))
  })
  return await promise
}

export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

/** On Linux; elsewhere none. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

async function endsWithin(pids: readonly number[], ms: number): Promise<boolean> {
  for (const giveUpAt = performance.now() + ms; pids.some(isAlive); await pause(20))
    if (performance.now() > giveUpAt) return false
  return true
}

function openLog(path: string): { fd: number; path: string; start: number } {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(path, `${path}.1`)
  const fd = openSync(path, 'a', 0o600)
  return { fd, path, start: fstatSync(fd).size }
}
