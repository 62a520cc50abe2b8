import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { cpuMicroseconds } from '../processes.ts'
import { toolPath } from './tools.ts'

/** How a server is asked; radius-load/options.h says more of each. */
export type LoadOptions = {
  port: number
  method: 'pap' | 'chap' | 'mschapv2' | 'accounting'
  secret?: string
  nas?: string
  'nas-count'?: number
  sockets?: number
  users?: number
  order?: 'random' | 'turn'
  'blocked-every'?: number
  'wrong-every'?: number
  outstanding?: number
  /** Requests a second, whether or not those before are answered. */
  rate?: number
  seconds?: number
  requests?: number
  timeout?: number
  tries?: number
  repeats?: number
  sessions?: number
  interims?: number
  seed?: number
}

/** Latencies are microseconds. `wrong` is the sum of what follows it down to unequalRepeats. */
export type LoadResult = {
  sent: number
  answered: number
  accepted: number
  rejected: number
  /** Accounting: acknowledged starts, updates and stops. */
  started: number
  updated: number
  stopped: number
  wrong: number
  undeservedAccepts: number
  undeservedRejects: number
  forged: number
  unsigned: number
  malformed: number
  unequalRepeats: number
  retransmitted: number
  /** Answers to requests that were answered or given up before. */
  late: number
  lost: number
  seconds: number
  /** Answers a second. */
  rate: number
  /** Of processor time of the generator, for each request. */
  ownMicroseconds: number
  latency: { p50: number; p90: number; p99: number; p999: number; max: number }
}

export async function load(options: LoadOptions): Promise<LoadResult> {
  const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const { stdout } = await promisify(execFile)(toolPath('radius-load'), words)
  return JSON.parse(stdout) as LoadResult
}

/** `cpu`: microseconds of the server's processes for each answer. */
export type Measured = LoadResult & { cpu: number }

/** The load and what it cost these processes. Throws when an answer was wrong: such a server is not fast. */
export async function measured(pids: readonly number[], options: LoadOptions): Promise<Measured> {
  const before = cpuMicroseconds(pids)
  const result = await load(options)
  const cpu = (cpuMicroseconds(pids) - before) / result.answered
  if (result.wrong > 0 || result.answered === 0)
    throw new Error(`Wrong answers on port ${options.port}: ${JSON.stringify(result)}`)
  return { ...result, cpu }
}
