import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { Secrets } from '../../src/platform/secrets/secrets.ts'
import { readKeySource } from '../../src/platform/storage/key-source.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { silentLog } from '../../src/platform/log.ts'
import { type PostgresServer, startPostgres } from '../../src/platform/postgres/server.ts'
import { newDataDir } from '../../test/support/data-folder.ts'
import { RunningProgram } from '../../test/support/program.ts'
import { ruble } from '../../test/support/provider.ts'
import { httpRequest } from '../at-rate.ts'
import { QuickNas } from '../quick-nas.ts'
import { passwordNumber, passwords, nasFirst, secret } from '../radius/subscribers.ts'
import { compileAddon, fill, postmasterPid } from '../radius/tollgate.ts'

/** Subscribers, of whom the second half is blocked by the operator. */
export type FleetOptions = { readonly open: number; readonly blocked: number }

const key = 'the key of every node of the bench'
const startMs = 120_000
/** Longer than a program takes to stop by itself. */
const stopMs = 15_000

/** Rejects when the work has not ended in time; what it has begun goes on until its processes are ended. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const waiting = new AbortController()
  const late = pause(ms, null, { signal: waiting.signal }).then(() => {
    throw new Error(`${what} did not end within ${ms / 1000} s.`)
  })
  try {
    return (await Promise.race([work, late])) as T
  } finally {
    waiting.abort()
    late.catch(() => {})
  }
}

/** Resolves when it is so. Rejects when it is not in time. */
export async function becomes(ms: number, what: string, is: () => Promise<boolean>, everyMs = 50): Promise<void> {
  const sinceMs = performance.now()
  while (!(await is())) {
    if (performance.now() - sinceMs > ms) throw new Error(`${what} within ${ms / 1000} s: in vain.`)
    await pause(everyMs)
  }
}

/** A program and the server that it works with. */
export type Served = { readonly program: RunningProgram; readonly postmaster: number }

/**
 * Nodes on one PostgreSQL with fsync, a NAS that acknowledges, and beside them, with the same subscribers, a program
 * that has its own PostgreSQL and knows nothing of nodes.
 */
export class Fleet {
  readonly nas: QuickNas
  readonly database: pg.Client
  readonly postmaster: number
  readonly options: FleetOptions
  readonly #server: PostgresServer
  readonly #folders: string[] = []
  readonly #programs = new Set<RunningProgram>()

  private constructor(options: FleetOptions, nas: QuickNas, server: PostgresServer, folder: string) {
    this.options = options
    this.nas = nas
    this.#server = server
    this.#folders.push(folder)
    this.postmaster = postmasterPid(folder)
    this.database = new pg.Client({ connectionString: server.url })
    this.database.on('error', () => {})
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    compileAddon()
    const nas = await QuickNas.start(nasFirst, secret, Number.POSITIVE_INFINITY)
    const folder = newDataDir()
    try {
      const server = await filledServer(folder, options, nas)
      const fleet = new Fleet(options, nas, server, folder)
      await fleet.database.connect()
      return fleet
    } catch (error) {
      nas.close()
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }

  /** A node of that name, ready; the connection that lasts has the name too, the others that of its number. */
  async join(name: string, env: NodeJS.ProcessEnv = {}): Promise<RunningProgram> {
    const url = `${this.#server.url}?application_name=${name}`
    return await this.#run({ DATABASE_URL: url, TOLLGATE_NODE: name, ...env }, newDataDir())
  }

  /** The program without nodes. */
  async alone(): Promise<Served> {
    const folder = newDataDir()
    this.#folders.push(folder)
    const server = await filledServer(folder, this.options, this.nas)
    await server.stop()
    const program = await this.#run({}, folder)
    return { program, postmaster: postmasterPid(folder) }
  }

  /** In good order; by force when it takes too long. */
  async leave(program: RunningProgram): Promise<void> {
    program.signal('SIGCONT')
    await within(stopMs, 'The stop of a program', program.stop()).catch(() => program.kill())
    program.remove()
    this.#programs.delete(program)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#programs].map((program) => this.leave(program)))
    await this.database.end().catch(() => {})
    await this.#server.stop()
    this.nas.close()
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true })
  }

  async #run(env: NodeJS.ProcessEnv, folder: string): Promise<RunningProgram> {
    const program = new RunningProgram({ TOLLGATE_SECRET_KEY: key, TOLLGATE_RADIUS_WORKERS: '2', ...env }, folder)
    // Else all nodes and the load generator share what one process of PostgreSQL may have for itself.
    program.ownSession = true
    this.#programs.add(program)
    await within(startMs, 'The start of a program', program.start())
    return program
  }
}

async function filledServer(folder: string, { open, blocked }: FleetOptions, nas: QuickNas): Promise<PostgresServer> {
  const server = await startPostgres({ dataDir: folder, log: silentLog, settings: { max_connections: '100' } })
  const database = new pg.Client({ connectionString: server.url })
  try {
    await migrate({ url: server.url, log: silentLog })
    await database.connect()
    const [sealing] = readKeySource({ dataDir: folder, secretKey: key, oldSecretKey: null }).keys
    await fill(database, new Secrets(sealing!), { users: open + blocked, nas: [nasFirst] })
    await database.query('UPDATE nas SET coa_port = $1', [nas.port])
    await database.query(
      'INSERT INTO abonents_block (abonent_id, b_admin) SELECT id, true FROM abonents WHERE id > $1 ON CONFLICT DO NOTHING',
      [open],
    )
    for (const table of ['abonents', 'users'])
      await database.query(`UPDATE ${table} SET enabled = false WHERE id > $1`, [open])
    await database.query('VACUUM ANALYZE')
    return server
  } catch (error) {
    await server.stop()
    throw error
  } finally {
    await database.end()
  }
}

/** Open subscribers from that one on: every hundredth is blocked by the fill. */
export const usersFrom = (first: number, count: number): number[] =>
  Array.from({ length: Math.ceil((count * 100) / 99) + 1 }, (_, n) => first + n)
    .filter((user) => user % 100 !== 0)
    .slice(0, count)

export const passwordOf = (user: number): string => passwords[passwordNumber(user)]!

/** A ruble for (7) or against (9) the account of a user, as an operator posts it. */
export const posting = ({ address, session }: RunningProgram, user: number, type: 7 | 9): Buffer =>
  httpRequest(
    `${address.http}/rest_api/v2/FinanceOperations/`,
    { 'X-Session-Hash': session, 'Content-Type': 'application/json' },
    JSON.stringify({ account: user, op_type: type, op_summa: ruble }),
  )
