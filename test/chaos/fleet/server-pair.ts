import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { silentLog } from '../../../src/platform/log.ts'
import { type PostgresServer, startPostgres } from '../../../src/platform/postgres/server.ts'
import { migratedDataDir } from '../../support/data-folder.ts'
import { freeTcpPort } from '../../support/free-port.ts'
import { signalServer } from '../../support/own-server.ts'
import { shortly } from '../door.ts'
import type { Loss } from '../losses.ts'
import { Wire } from './wire.ts'

/** Whether an answered commit is on the standby too. */
export type Replication = 'synchronous' | 'asynchronous'

type Server = { readonly dataDir: string; readonly running: PostgresServer; readonly port: number }

const settings = {
  fsync: 'off',
  max_connections: '120',
  wal_level: 'replica',
  // A standby that is made anew asks for what was written meanwhile.
  wal_keep_size: '512MB',
}
const attachMs = 30_000

/**
 * A PostgreSQL and its standby, and what replaces one of them when it is gone: as Patroni would do it, by the hand of
 * the test.
 */
export class ServerPair {
  readonly #replication: Replication
  /** Where the standby listens to the primary. */
  readonly #line: Wire
  /** A way to the primary, whichever that is. */
  readonly #front: Wire
  /** Since when accounting waits in spools, by `performance.now()`; Infinity: none does. */
  spooledSince: () => number = () => Number.POSITIVE_INFINITY
  /** Called when a server is gone whose standby had not heard of everything. */
  onLoss: (loss: Loss) => void = () => {}
  #primary: Server
  #standby: Server | null = null

  private constructor(replication: Replication, primary: Server, [line, front]: readonly [Wire, Wire]) {
    this.#replication = replication
    this.#primary = primary
    this.#line = line
    this.#front = front
  }

  static async start(replication: Replication): Promise<ServerPair> {
    const primary = await startServer(migratedDataDir(), {})
    const wire = async () => Wire.open(await freeTcpPort(), () => pair.port)
    const pair: ServerPair = new ServerPair(replication, primary, [await wire(), await wire()])
    await pair.#raiseStandby()
    return pair
  }

  /** Where the truth is now. */
  get port(): number {
    return this.#primary.port
  }

  /** The address of the owner of the database, wherever that is. */
  get url(): string {
    return this.urlAt(this.#front.port)
  }

  /** The address of the owner at `port`, which may be a way to the primary. */
  urlAt(port: number): string {
    const url = new URL(this.#primary.running.url)
    url.port = String(port)
    return url.href
  }

  freeze(): void {
    signalServer(this.#pid, 'SIGSTOP')
  }

  thaw(): void {
    signalServer(this.#pid, 'SIGCONT')
  }

  /** All its processes at once. It comes back by itself. */
  crash(): void {
    signalServer(this.#pid, 'SIGKILL')
  }

  /** Resolves when it answers again. */
  async back(): Promise<void> {
    const isBack = () =>
      ask(this.#primary.running.url, 'SELECT').then(
        () => true,
        () => false,
      )
    while (!(await isBack())) await shortly(50)
  }

  /**
   * The machine of the primary is gone for good, and the standby takes its place. An asynchronous one has heard nothing
   * for `behindMs` by then. A new standby is made of the new primary.
   */
  async promote(behindMs: number): Promise<void> {
    const [sinceMs, spooledSinceMs] = [performance.now(), this.spooledSince()]
    if (this.#replication === 'asynchronous') {
      await this.#untilReceived()
      this.#line.cut()
      await shortly(behindMs)
    }
    const [former, next] = [this.#primary, this.#standby!]
    const pids = signalServer(this.#pid, 'SIGSTOP')
    if (this.#replication === 'asynchronous') this.onLoss({ sinceMs, spooledSinceMs, untilMs: performance.now() })
    await ask(next.running.url, 'SELECT pg_promote(true, 30)')
    this.#primary = next
    this.#standby = null
    this.#line.mend()
    const stopped = former.running.stop()
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await stopped
    rmSync(former.dataDir, { recursive: true, force: true })
    await this.#raiseStandby()
  }

  async stop(): Promise<void> {
    for (const server of [this.#standby, this.#primary]) {
      await server?.running.stop()
      if (server) rmSync(server.dataDir, { recursive: true, force: true })
    }
    await this.#line.close()
    await this.#front.close()
  }

  get #pid(): number {
    return Number(readFileSync(join(this.#primary.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  }

  /** What the primary has written by now, its standby has. */
  async #untilReceived(): Promise<void> {
    const [row] = await read<{ written: string }>(this.#primary.running.url, 'SELECT pg_current_wal_lsn() AS written')
    const text = `SELECT FROM pg_stat_wal_receiver WHERE flushed_lsn >= '${row!.written}'`
    while ((await ask(this.#standby!.running.url, text)) === 0) await shortly(20)
  }

  async #raiseStandby(): Promise<void> {
    const { running, dataDir } = this.#primary
    const copy = await copyOf(running.url, dataDir)
    const { username, password } = new URL(running.url)
    const conninfo = `host=127.0.0.1 port=${this.#line.port} user=${username} password=${decodeURIComponent(password)} application_name=standby`
    this.#standby = await startServer(copy, { primary_conninfo: conninfo })
    const isSynchronous = this.#replication === 'synchronous'
    if (isSynchronous) await ask(running.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await ask(running.url, 'SELECT pg_reload_conf()')
    const state = isSynchronous ? 'sync' : 'async'
    const text = `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${state}'`
    const sinceMs = performance.now()
    while ((await ask(running.url, text)) === 0) {
      if (performance.now() - sinceMs > attachMs) throw new Error('The standby does not follow the primary.')
      await shortly(50)
    }
  }
}

async function startServer(dataDir: string, more: Readonly<Record<string, string>>): Promise<Server> {
  const running = await startPostgres({ dataDir, log: silentLog, settings: { ...settings, ...more } })
  return { dataDir, running, port: Number(new URL(running.url).port) }
}

/** A data folder that follows this one, which is in use. */
async function copyOf(url: string, dataDir: string): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-standby-'))
  chmodSync(copy, 0o755)
  const cluster = join(copy, 'postgres')
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`)
    // Files may go while they are copied, which is what the label is for.
    const quiet = { stdio: 'ignore' } as const
    try {
      execFileSync('cp', ['-a', '--reflink=auto', `${dataDir}/.`, copy], quiet)
    } catch (error) {
      if ((error as { status?: number }).status !== 1) throw error
    }
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(cluster, name), { force: true })
    for (const name of ['postgres.owner', 'serve.lock']) rmSync(join(copy, name), { force: true })
    const { uid, gid } = statSync(cluster)
    for (const [name, text] of [
      ['backup_label', rows[0]!.labelfile],
      ['standby.signal', ''],
      ['postgresql.auto.conf', ''],
    ] as const) {
      writeFileSync(join(cluster, name), text, { mode: 0o600 })
      chownSync(join(cluster, name), uid, gid)
    }
  } finally {
    await client.end()
  }
  return copy
}

/** How many rows came. */
const ask = async (url: string, text: string): Promise<number> => (await read(url, text)).length

async function read<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
