import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { refusalText } from '../../src/platform/http/errors.ts'
import { newDataDir } from './data-folder.ts'
import { fetch, publishProgram } from './published.ts'
import { until } from './until.ts'

/** Whatever came back; the test says what it expects. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field
export type Json = any

export type LogLine = { level: string; message: string } & Record<string, unknown>

/** The whole program on free loopback ports, and its administrator. Where it runs is for those below to say. */
export abstract class TestProgram {
  readonly dataDir: string
  readonly log: LogLine[] = []
  readonly env: NodeJS.ProcessEnv
  address = { http: '', authPort: 0, acctPort: 0, metrics: '' }
  session = ''
  #charges: Promise<void> | null = null
  /** How often it was asked again. */
  #repeats = 0

  /** Whether its source is the one that is tested, and not that of the release before. */
  get isOfThisRelease(): boolean {
    return true
  }

  constructor(env: NodeJS.ProcessEnv = {}, dataDir = newDataDir()) {
    this.dataDir = dataDir
    this.env = {
      TOLLGATE_DATA_DIR: dataDir,
      TOLLGATE_NODE: `test-${randomUUID()}`,
      TOLLGATE_HTTP_PORT: '0',
      TOLLGATE_RADIUS_HOST: '127.0.0.1',
      TOLLGATE_RADIUS_AUTH_PORT: '0',
      TOLLGATE_RADIUS_ACCT_PORT: '0',
      TOLLGATE_METRICS_PORT: '0',
      TOLLGATE_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
      TOLLGATE_ADMIN_PASSWORD: adminPassword,
      ...env,
    }
  }

  /** The server it was told to use; null for its own. */
  get databaseUrl(): string | null {
    return this.env.DATABASE_URL ?? null
  }

  /** Resolves when the program is ready. Rejects when it ends before. */
  abstract launch(): Promise<void>

  /** Ends the program as an operator does. */
  abstract stop(): Promise<unknown>

  /** Resolves when the program is ready, and signs the administrator in. */
  async start(): Promise<this> {
    await this.launch()
    await this.signIn()
    return this
  }

  /** A database that is slow on a busy machine is answered with 503, and asked again. */
  async signIn(): Promise<void> {
    const url = `${this.address.http}/admin/?api=1&username=admin&password=${adminPassword}&format=json`
    let signIn = await fetch(url)
    while (signIn.status === 503) signIn = await fetch(url)
    this.session = ((await signIn.json()) as { hash: string }).hash
    const readDocument = async () => {
      const headers = { 'X-Session-Hash': this.session }
      return (await globalThis.fetch(`${this.address.http}/admin/api/openapi.json`, { headers })).json()
    }
    await publishProgram(this.address.http, readDocument, this)
  }

  /**
   * One request of the signed-in administrator; JSON both ways. A program that has stood still for seconds, as on a busy
   * machine, begins nothing that waited meanwhile, and is asked again.
   */
  async rest(method: string, path: string, body?: unknown, headers = {}): Promise<{ status: number; body: Json }> {
    const response = await fetch(this.address.http + path, {
      method,
      headers: { 'X-Session-Hash': this.session, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status === 503 && text.includes(refusalText.busy)) {
      this.#repeats++
      return this.rest(method, path, body, headers)
    }
    return { status: response.status, body: text ? JSON.parse(text) : null }
  }

  /** The staff user who may sign in by SOAP. */
  async makeCashDesk(): Promise<void> {
    const { status, body } = await this.rest('POST', '/admin/dictionary/staff_crud/', cashDesk)
    if (status !== 200) throw new Error(JSON.stringify(body))
  }

  /**
   * Resolves when the charges have ended with which a program begins that has never run. They would block a subscriber
   * of now, who has no money yet.
   */
  #charged(): Promise<void> {
    this.#charges ??= until(async () => {
      const jobs: Json[] = (await this.rest('GET', '/admin/jobs/')).body.jobs ?? []
      return jobs.some(({ name, last }) => name === 'billing_worker' && last?.ok)
    })
    return this.#charges
  }

  /** Makes a record of this model by REST, and resolves with it. A database that is slow is asked again, as by `signIn`. */
  async create(model: string, record: object): Promise<Json> {
    if (model === 'Tarif') await this.#charged()
    // Of money that was not answered in time nobody knows whether it has moved.
    const once = model === 'FinanceOperations' ? { 'Idempotency-Key': randomUUID() } : {}
    const ask = () => this.rest('POST', `/rest_api/v2/${model}/`, record, once)
    const before = this.#repeats
    let answer = await ask()
    for (; answer.status === 503; this.#repeats++) answer = await ask()
    const { status, body } = answer
    if (status === 201) return body
    const found = this.#repeats > before ? await this.#found(model, record) : undefined
    if (found === undefined) throw new Error(`${model} was refused: ${JSON.stringify(body)}`)
    return found
  }

  /** A record that was made, although the database was too slow for the answer to tell of it. */
  async #found(model: string, record: object): Promise<Json> {
    const named = Object.entries(record).filter(([name]) => ['contract_number', 'login', 'name'].includes(name))
    const { body } = await this.rest('GET', `/rest_api/v2/${model}/?${new URLSearchParams(Object.fromEntries(named))}`)
    return body.results?.[0]
  }

  /** A subscriber, who is answered, with a login of the same name. Its password is `word`. */
  async createLogin(login: string, tariff: { readonly id: number }, more: object = {}): Promise<Json> {
    const abonent = await this.create('Abonents', { name: login, contract_number: login, tarif: tariff.id })
    await this.create('Users', { abonent: abonent.id, login, password: 'word', ...more })
    return abonent
  }

  /** Asks the System API, whose password the test has set to `systemPassword`. */
  async system(path: string, body: object): Promise<Json> {
    const response = await fetch(`${this.address.http}/system_api/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-System-Password': systemPassword },
      body: JSON.stringify(body),
    })
    return await response.json()
  }

  remove(): void {
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  /** `addresses` are those of the line `ready`. */
  protected reached(addresses: Readonly<Record<string, unknown>>): void {
    this.address = {
      http: String(addresses.http),
      authPort: Number(addresses.radius_auth_port),
      acctPort: Number(addresses.radius_acct_port),
      metrics: String(addresses.metrics),
    }
  }

  protected take(line: string): void {
    try {
      this.log.push(JSON.parse(line) as LogLine)
    } catch {
      this.log.push({ level: 'raw', message: line })
    }
  }
}

/**
 * A process of its own, as an operator starts it: it can be killed, and has its own PostgreSQL where it is given none.
 */
export class RunningProgram extends TestProgram {
  /**
   * Set before the start: the process gets a session of its own, as every service of systemd has one. Where no control
   * group says otherwise, the kernel (autogroup) shares processors between sessions and not between processes.
   */
  ownSession = false
  readonly #folder: string
  #process: ChildProcess | null = null
  #watchers: (() => void)[] = []

  /** `folder` has the source; it may be that of another release. */
  constructor(env: NodeJS.ProcessEnv = {}, dataDir?: string, folder = '.') {
    super({ ...chargesFarOff(), ...env }, dataDir)
    this.#folder = folder
  }

  override get isOfThisRelease(): boolean {
    return this.#folder === '.'
  }

  /** Of the process; 0 while there is none. */
  get pid(): number {
    return this.#process?.pid ?? 0
  }

  override async launch(): Promise<void> {
    // Another release need not run on every Node that this one runs on, and does on the one that npm installed.
    const node = this.isOfThisRelease ? process.execPath : join(this.#folder, 'node_modules', '.bin', 'node')
    const child = spawn(node, ['src/main.ts', 'serve'], {
      cwd: this.#folder,
      detached: this.ownSession,
      stdio: ['ignore', 'ignore', 'pipe'],
      // The address of the server is of the test run, not of the program, which would warn of it.
      env: { ...process.env, TOLLGATE_TEST_POSTGRES: undefined, ...this.env },
    })
    this.#process = child
    this.log.length = 0
    createInterface({ input: child.stderr! }).on('line', (line) => this.take(line))
    this.reached(await this.#logged((line) => line.message === 'ready', child))
  }

  /** A line of the log since the last start, past or to come. Rejects when the program ends before it. */
  logged(is: (line: LogLine) => boolean): Promise<LogLine> {
    return this.#logged(is, this.#process!)
  }

  /** The exit code. */
  override async stop(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  /** Ends it as a power cut does. Its PostgreSQL has to cope. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name)
  }

  protected override take(line: string): void {
    super.take(line)
    for (const look of this.#watchers) look()
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    // Until its last lines have been read.
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
    return child.exitCode
  }

  #logged(is: (line: LogLine) => boolean, child: ChildProcess): Promise<LogLine> {
    return new Promise((resolve, reject) => {
      let seen = 0
      const finish = () => {
        this.#watchers = this.#watchers.filter((other) => other !== look)
        child.off('close', fail)
      }
      const look = () => {
        for (; seen < this.log.length; seen++) {
          const line = this.log[seen]!
          if (!is(line)) continue
          finish()
          resolve(line)
          return
        }
      }
      const fail = () => {
        finish()
        reject(
          new Error(
            `The program ended: ${this.log
              .map((line) => JSON.stringify(line))
              .slice(-5)
              .join('\n')}`,
          ),
        )
      }
      this.#watchers.push(look)
      // Not `exit`: what it said last may still be on its way.
      child.on('close', fail)
      look()
    })
  }
}

/** The charges of a night that a test falls into would block subscribers who have no money: they are half a day away. */
export function chargesFarOff(): NodeJS.ProcessEnv {
  const clock = { timeZone: 'Europe/Moscow', hourCycle: 'h23', hour: '2-digit', minute: '2-digit' } as const
  const time = new Intl.DateTimeFormat('en', clock).format(Date.now() + 12 * 3_600_000)
  return { TOLLGATE_SETTING_JOB_TIME_BILLING_WORKER: time }
}

/** Of the System API, where a test opens it. */
export const systemPassword = 'tell-nobody-of-this'

export const adminPassword = 'correct-horse-battery'

/** Who signs in by SOAP. */
export const cashDesk = { username: 'desk', password: 'long enough', role: 'cashier' } as const
