import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { findPostgresBinaries, type PostgresBinaries } from './binaries.ts'
import {
  type Cluster,
  clusterPath,
  lastLines,
  openCluster,
  type PostgresKey,
  readKeyIfAny,
  rememberPort,
} from './cluster.ts'
import { type DataFolder, openDataFolder, StartRefusal } from './data-folder.ts'
import { findPostmaster, type Postmaster, urlOf, waitForAccess } from './postmaster.ts'
import { endProcess, freePort, type ProcessEnd, sendSignal, startProcess } from './process.ts'
import { isAlive, lockHolder, takeLock } from './process-lock.ts'
import { workingUrlOf } from './working-role.ts'

export type PostgresServer = {
  /**
   * Of the role that owns the database and migrates it, a superuser. It stays the same while we run, also when the
   * server had to be started again.
   */
  readonly url: string
  /** The same of the role that the program works as, see working-role.ts. */
  readonly workingUrl: string
  /**
   * Stops the server if this process owns it; a guest only stops watching. The last one and a half seconds of
   * `withinMs` are reserved for stopping it by force. May be called again.
   */
  stop(withinMs?: number): Promise<void>
}

export type PostgresOptions = {
  dataDir: string
  log: Log
  /** More settings, for tests. */
  settings?: Readonly<Record<string, string>>
  /**
   * Aborted when we are about to stop: a start in progress is given up, and a server that ends now is not started
   * again, because systemd signals it together with us. stop() must still be called.
   */
  signal?: AbortSignal
  /** The server cannot come back under its url, so this process must start anew. Default: the error is thrown. */
  onLost?: (error: Error) => void
  /** Other ones than npm has installed. */
  binaries?: PostgresBinaries
}

const stopMs = 7_000
const guestWaitMs = 60_000
const leftoverWaitMs = 15_000
const healPauseMinMs = 100
const healPauseMaxMs = 10_000

/**
 * The PostgreSQL of the data folder: found running, or started. Throws StartRefusal with a sentence for the operator.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const server = new SupervisedServer(
    options,
    openDataFolder(options.dataDir),
    options.binaries ?? findPostgresBinaries(),
  )
  await server.start()
  return server
}

/**
 * A server on an empty folder that is gone after stop(), for the schema check and tests. Not safe against power loss.
 */
export async function startTemporaryPostgres(
  log: Log,
  more: PostgresOptions['settings'] = {},
): Promise<PostgresServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-'))
  // When root runs this, the server runs as another user, who needs access to the folder.
  chmodSync(dataDir, 0o711)
  const clear = () => {
    process.off('exit', clear)
    rmSync(dataDir, { recursive: true, force: true })
  }
  process.on('exit', clear)
  try {
    const server = await startPostgres({ dataDir, log, settings: { ...more, fsync: 'off', full_page_writes: 'off' } })
    const { url, workingUrl } = server
    return { url, workingUrl, stop: (withinMs) => server.stop(withinMs).finally(clear) }
  } catch (error) {
    clear()
    throw error
  }
}

/**
 * States:   starting ─► running ⇄ healing ─► stopped
 *
 * How it gets to running: the process that holds the lock `postgres.owner` owns the server. It starts one, or adopts
 * the one that outlived a killed owner, and stops it in the end. Any other process is a guest: it waits until the
 * server is ready and uses it. When the server ends, owner and guests reach for it again in the same way, so a guest
 * becomes the owner if the owner has gone.
 */
class SupervisedServer implements PostgresServer {
  readonly #options: PostgresOptions
  readonly #log: Log
  readonly #folder: DataFolder
  readonly #binaries: PostgresBinaries
  readonly #ending = new AbortController()
  #ownership: { release(): void } | null = null
  #postmaster: Postmaster | null = null
  #key: PostgresKey | null = null
  #port: number | null = null
  #unwatch: () => void = () => {}
  #healing: Promise<void> = Promise.resolve()
  #stopped: Promise<void> | null = null

  constructor(options: PostgresOptions, folder: DataFolder, binaries: PostgresBinaries) {
    this.#options = options
    this.#log = options.log
    this.#folder = folder
    this.#binaries = binaries
  }

  get url(): string {
    return urlOf(this.#key!, this.#port!)
  }

  get workingUrl(): string {
    return workingUrlOf(this.url)
  }

  async start(): Promise<void> {
    const { signal } = this.#options
    if (signal?.aborted) this.#ending.abort()
    signal?.addEventListener('abort', this.#giveUp)
    process.on('exit', this.#onExit)
    try {
      await this.#reachServer()
    } catch (error) {
      this.#letGo()
      throw error
    }
  }

  stop(withinMs = stopMs): Promise<void> {
    this.#stopped ??= this.#stop(withinMs)
    return this.#stopped
  }

  async #stop(withinMs: number): Promise<void> {
    this.#ending.abort()
    await this.#healing
    this.#unwatch()
    if (this.#ownership && this.#postmaster) await endProcess(this.#postmaster.pid, withinMs, this.#log)
    this.#letGo()
  }

  readonly #giveUp = () => this.#ending.abort()

  /** Where there is no setpriv, only this process can stop the server when it ends. */
  readonly #onExit = () => {
    if (this.#ownership && this.#postmaster) sendSignal(this.#postmaster.pid, 'SIGINT')
    this.#letGo()
  }

  #letGo(): void {
    process.off('exit', this.#onExit)
    this.#options.signal?.removeEventListener('abort', this.#giveUp)
    this.#ownership?.release()
    this.#ownership = null
    this.#postmaster = null
  }

  async #reachServer(): Promise<void> {
    const ownerLock = this.#folder.file('postgres.owner')
    for (;;) {
      if (this.#ownership === null) {
        const attempt = takeLock(ownerLock)
        if (attempt.kind === 'taken') this.#ownership = attempt
      }
      const found = this.#ownership ? await this.#own() : await this.#visit(ownerLock)
      if (found === null) continue
      if (this.#port !== null && this.#port !== found.port) throw new ServerMoved(this.#port, found.port)
      this.#postmaster = found
      this.#port = found.port
      return
    }
  }

  /** As owner: adopt what runs, else start. */
  async #own(): Promise<Postmaster> {
    const { signal } = this.#ending
    const cluster = await openCluster(this.#folder, this.#binaries, this.#log)
    this.#key = cluster.key
    for (;;) {
      const running = await findPostmaster(cluster.path, this.#log, signal)
      if (running === null) return await this.#startServer(cluster)
      if (!(await waitForAccess(cluster.path, cluster.key, running.port, () => isAlive(running.pid), signal))) continue
      this.#log.info('PostgreSQL was still running and is used again', running)
      this.#watchPid(running.pid)
      return running
    }
  }

  /** As guest: wait for the owner's server. Null when the owner has gone. */
  async #visit(ownerLock: string): Promise<Postmaster | null> {
    const { signal } = this.#ending
    const giveUpAt = performance.now() + guestWaitMs
    while (performance.now() < giveUpAt) {
      const key = readKeyIfAny(this.#folder)
      const path = clusterPath(this.#folder)
      const running = key && (await findPostmaster(path, this.#log, signal))
      if (running && (await waitForAccess(path, key, running.port, () => isAlive(running.pid), signal))) {
        this.#key = key
        this.#log.debug('the PostgreSQL of another process is used', running)
        this.#watchPid(running.pid)
        return running
      }
      if (lockHolder(ownerLock) === null) return null
      await pause(50, undefined, { signal })
    }
    throw new StartRefusal(
      `Process ${lockHolder(ownerLock)} runs the PostgreSQL of ${this.#folder.path}, but it did not become ready within ${guestWaitMs / 1000} s. Look into ${this.#folder.file('postgres.log')}.`,
    )
  }

  async #startServer(cluster: Cluster): Promise<Postmaster> {
    const giveUpAt = performance.now() + leftoverWaitMs
    const { signal } = this.#ending
    // The port stays the same while we run. The next owner prefers the last port, so that earlier guests find the
    // server again.
    let port = this.#port ?? (await freePort(cluster.key.port))
    for (;;) {
      const attempt = await startProcess({
        folder: this.#folder,
        cluster,
        binaries: this.#binaries,
        port,
        moreSettings: this.#options.settings ?? {},
        log: this.#log,
        signal,
      })
      if (attempt.kind === 'ready') {
        this.#key = rememberPort(this.#folder, cluster.key, port)
        this.#watchProcess(attempt.end)
        return attempt.postmaster
      }
      if (/Address already in use/.test(attempt.text) && this.#port === null) port = await freePort(0)
      // Backends of a server killed hard need a moment to notice that they are orphans.
      else if (!/already exists|pre-existing shared memory/.test(attempt.text) || performance.now() > giveUpAt)
        throw new StartRefusal(
          `PostgreSQL did not start on ${cluster.path}. It says:\n${lastLines(attempt.text, 8)}\nMore is in ${this.#folder.file('postgres.log')}.`,
        )
      await pause(200, undefined, { signal })
    }
  }

  #watchProcess(end: ProcessEnd): void {
    this.#unwatch = () => {
      end.onEnd = () => {}
    }
    end.onEnd = (how) => this.#heal(how)
    if (end.how !== null) this.#heal(end.how)
  }

  #watchPid(pid: number): void {
    const timer = setInterval(() => {
      if (isAlive(pid)) return
      clearInterval(timer)
      this.#heal(`process ${pid} is no more`)
    }, 200)
    timer.unref()
    this.#unwatch = () => clearInterval(timer)
  }

  /** The server has ended although nobody here asked it to. */
  #heal(how: string): void {
    if (this.#ending.signal.aborted) return
    this.#postmaster = null
    this.#healing = this.#reachAgain(how)
  }

  async #reachAgain(how: string): Promise<void> {
    const began = performance.now()
    const { signal } = this.#ending
    // systemd signals us before the server, but Node may take the end of the server first. By the next turn of the
    // event loop it has taken every signal that was sent before this end.
    await turn()
    if (signal.aborted) return
    this.#log.error(`PostgreSQL has ended (${how}); it is started again`)
    for (let waitMs = healPauseMinMs; !signal.aborted; waitMs = Math.min(waitMs * 2, healPauseMaxMs)) {
      try {
        await this.#reachServer()
        this.#log.info('PostgreSQL is back', { tookMs: Math.round(performance.now() - began) })
        return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ServerMoved) return this.#lose(error)
        this.#log.error(`PostgreSQL could not be reached; next attempt in ${waitMs} ms`, { error })
        await pause(waitMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  #lose(error: Error): void {
    this.#unwatch()
    setImmediate(() => {
      if (!this.#options.onLost) throw error
      this.#options.onLost(error)
    })
  }
}

/** Another process started the server on another port, and our connections cannot follow. */
class ServerMoved extends Error {
  constructor(before: number, now: number) {
    super(`The PostgreSQL of the data folder moved from port ${before} to ${now}; start Tollgate again.`)
  }
}
