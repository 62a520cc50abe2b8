import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Pool } from 'pg'
import type { Test } from 'tap'
import { runCommandLine } from '../../src/app/commands/command-line.ts'
import { commands } from '../../src/app/commands/list.ts'

export const isRoot = process.getuid?.() === 0

/** Passable for other users, because run by root the server is another one. */
export function emptyFolder(t: Pick<Test, 'teardown'>, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'tollgate-test-'))
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A process with its lines, of ours unless `program` is another; ended with the test if it still runs. */
export class Process {
  readonly child: ChildProcess
  readonly lines: string[] = []
  readonly ended: Promise<{ status: number | null; signal: NodeJS.Signals | null }>
  #waiting: (() => void)[] = []

  constructor(
    t: Pick<Test, 'teardown'>,
    args: readonly string[],
    options: SpawnOptions = {},
    program = process.execPath,
  ) {
    this.child = spawn(program, args, { stdio: 'pipe', ...options })
    this.ended = once(this.child, 'close').then(([status, signal]) => {
      this.#wake()
      return { status, signal }
    })
    for (const stream of [this.child.stdout!, this.child.stderr!])
      createInterface(stream).on('line', (line) => {
        this.lines.push(line)
        this.#wake()
      })
    t.teardown(async () => {
      this.child.kill('SIGKILL')
      await this.ended
    })
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** The first line, past or to come, that matches; throws when the process ends without one. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => pattern.test(line))
      if (found !== undefined) return found
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        await this.ended
        const late = this.lines.find((line) => pattern.test(line))
        if (late !== undefined) return late
        throw new Error(`ended without a line like ${pattern}:\n${this.lines.join('\n')}`)
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  get text(): string {
    return this.lines.join('\n')
  }
}

export const holdPostgres = (t: Test, dataDir: string, options: SpawnOptions = {}): Process =>
  new Process(t, ['test/app/fixtures/hold-postgres.ts', dataDir], options)

const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env

/**
 * What a program of ours is given of our environment: nothing that would set it up, and what spares it the compilation.
 */
export const bareEnv = { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS }

/** What a command line ended with: everything that it wrote, without the last end of line. */
export type Ended = { status: number | null; text: string }

/** Runs a command line of ours in a process, as an operator does. */
export async function runAsProcess(t: Test, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const command = new Process(t, ['src/main.ts', ...args], { env: { ...bareEnv, ...env } })
  const { status } = await command.ended
  return { status, text: command.text }
}

/** The same in the process of the test, at a fraction of the cost: for all that is neither killed nor reads its input. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const written: string[] = []
  const take = (text: string) => {
    written.push(text)
  }
  const status = await runCommandLine(commands, args, { env, stdout: take, stderr: take })
  return { status, text: written.join('').replace(/\n$/, '') }
}

/** Without setpriv on the path nobody tells the server that its starter is gone. */
export const withoutSetpriv: SpawnOptions = { env: { ...bareEnv, PATH: '/nowhere' } }

const pools = new Map<string, Pool>()

/**
 * The connection is kept for the next query: some wait for a row and ask often, and a new one costs more than fifty
 * queries. Others come where it is in use.
 */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return (await poolOf(url).query(sql)).rows
}

function poolOf(url: string): Pool {
  const known = pools.get(url)
  if (known) return known
  const pool = new Pool({ connectionString: url, idleTimeoutMillis: 1_000, allowExitOnIdle: true })
  // Servers and databases of tests go without asking.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  pools.set(url, pool)
  return pool
}

export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
