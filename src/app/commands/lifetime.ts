import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../platform/log.ts'
import { lockDataFolder, openDataFolder } from '../../platform/postgres/data-folder.ts'
import { startPostgres } from '../../platform/postgres/server.ts'
import type { Config } from '../config.ts'
import type { Program, ProgramOrder } from '../program.ts'
import { ServiceManager } from '../service-manager.ts'

type Order = Pick<ProgramOrder, 'config' | 'log' | 'databaseUrl' | 'ownerUrl'>
export type StartProgram = (order: Order) => Promise<Pick<Program, 'addresses' | 'notReady' | 'stop'>>

/** Contract section 2 gives 10 s from the signal to the end; half a second of it is a reserve. */
const stopMs = 9_500
/**
 * The part of that time that the program has. The embedded database has the rest: one that is stopped by force repairs
 * its files at the next start, and RADIUS waits for that.
 */
const programStopMs = 6_000
/** The time between the end of the database and that of the process, which takes a second on a busy machine. */
const forceMs = 1_200

/**
 * The life of a serving process: lock the data folder, database, program, one `ready` line, wait for a signal, and then
 * stop everything in reverse order. Resolves with the exit status. `manager` is told of each step.
 */
export async function serveUntilStopped(
  config: Config,
  log: Log,
  startProgram: StartProgram,
  manager = new ServiceManager(null, log),
): Promise<number> {
  const lock = lockDataFolder(openDataFolder(config.dataDir))
  const stop = new StopSignal(log)
  void stop.requested.then(() => manager.stopping('Stopping.'))
  try {
    manager.starting()
    const { dataDir, databaseUrl } = config
    const postgres = databaseUrl ? null : await startPostgres({ dataDir, log, signal: stop.aborted })
    try {
      const urls = postgres
        ? { databaseUrl: postgres.workingUrl, ownerUrl: postgres.url }
        : { databaseUrl: databaseUrl! }
      return await serve({ config, log, ...urls }, startProgram, { stop, manager })
    } finally {
      await postgres?.stop(stop.remainingMs() - forceMs)
    }
  } catch (error) {
    // The program was asked to stop while the database was starting.
    if (stop.aborted.aborted && (error as Error).name === 'AbortError') return 0
    throw error
  } finally {
    lock.release()
    if (stop.aborted.aborted) log.info('stopped', { tookMs: stopMs - stop.remainingMs() })
    stop.forget()
  }
}

type Life = { readonly stop: StopSignal; readonly manager: ServiceManager }

async function serve(order: Order, startProgram: StartProgram, { stop, manager }: Life): Promise<number> {
  const { log } = order
  const starting = startProgram(order)
  // When the stop comes first, a start that fails afterwards is not reported.
  const program = await Promise.race([starting, stop.requested.then(() => null)])
  if (program) {
    log.info('ready', program.addresses)
    const { http } = program.addresses
    manager.ready(http === undefined ? 'Serving.' : `Serving at ${http}.`, program.notReady)
    await stop.requested
  }
  const ended = starting.then((started) => started.stop()).then(() => 'ended' as const)
  const outcome = await Promise.race([
    program ? ended : ended.catch(() => 'ended' as const),
    pause(programStopMs, 'late' as const, { ref: false }),
  ])
  if (outcome === 'ended') return 0
  if (!program) {
    log.warn('The start was given up in the middle.')
    return 0
  }
  log.error(`The program has not stopped within ${programStopMs / 1000} s; what it was doing is cut off.`)
  return 1
}

/** SIGTERM, SIGINT or SIGHUP. A second one, or the end of the time limit, ends the process at once. */
class StopSignal {
  readonly requested: Promise<void>
  readonly #controller = new AbortController()
  readonly #log: Log
  readonly #resolve: () => void
  #at = 0
  #deadline: NodeJS.Timeout | undefined

  constructor(log: Log) {
    this.#log = log
    const { promise, resolve } = Promise.withResolvers<void>()
    this.requested = promise
    this.#resolve = resolve
    for (const name of signals) process.on(name, this.#take)
  }

  get aborted(): AbortSignal {
    return this.#controller.signal
  }

  remainingMs(): number {
    return this.aborted.aborted ? Math.max(0, Math.round(this.#at + stopMs - performance.now())) : stopMs
  }

  forget(): void {
    clearTimeout(this.#deadline)
    for (const name of signals) process.off(name, this.#take)
  }

  readonly #take = (name: NodeJS.Signals): void => {
    const now = performance.now()
    if (!this.aborted.aborted) {
      this.#at = now
      this.#log.info(`stopping on ${name}`)
      this.#deadline = setTimeout(() => this.#force('The time to stop is over'), stopMs)
      this.#controller.abort()
      this.#resolve()
      return
    }
    // Ctrl-C under npm arrives twice at once: from the terminal and passed on by npm.
    if (now - this.#at > 1_000) this.#force(`${name} again`)
  }

  #force(why: string): void {
    this.#log.error(`${why}: the process ends at once.`)
    process.exit(1)
  }
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
