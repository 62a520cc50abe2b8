import type pg from 'pg'
import { atRate, type Deed } from '../at-rate.ts'
import { alone, type Figure, percentile, ratioAtMost } from '../figures.ts'
import { ownCpuMicroseconds, withDescendants } from '../processes.ts'
import { nodeConnections } from '../../src/platform/storage/connection.ts'
import { nasFirst, secret } from '../radius/subscribers.ts'
import type { RunningProgram } from '../../test/support/program.ts'
import { type Fleet, posting, type Served, usersFrom } from './fleet.ts'
import { unaskedPerSecond } from './unasked.ts'

export type CommitCostOptions = { readonly rounds: number; readonly seconds: number }

/** So few that commits are hardly shared, and each has a wake-up of its own. */
const perSecond = 200

/** Microseconds, since the start or a commit. */
type Cost = { readonly node: number; readonly server: number; readonly follower: number; readonly following: number }

/**
 * What a credit costs a node that others follow, beside the same in a program without nodes: processor time of the
 * program and of PostgreSQL, in turn, without what they spend when nobody asks them for anything, which is told by
 * itself. What the follower costs, its own connections to PostgreSQL included, is told by itself as well: it is a price
 * of having a second node and not one of the commit.
 */
export async function measureCommitCost(
  fleet: Fleet,
  { a, b, sole }: { readonly a: RunningProgram; readonly b: RunningProgram; readonly sole: Served },
  { rounds, seconds }: CommitCostOptions,
): Promise<Figure[]> {
  const users = usersFrom(1, perSecond * seconds)
  const credits = (program: RunningProgram): Deed[] =>
    users.map((user) => ({ request: posting(program, user, 7), asks: null }))
  const costs = { nodes: [] as Cost[], alone: [] as Cost[] }
  const shared = new ServerWork(fleet.postmaster, { database: fleet.database, name: 'b' })
  const own = new ServerWork(sole.postmaster)
  const spentOnNodes = async (): Promise<Cost> => {
    const { all, ofName } = await shared.look()
    // What is not done for the follower is the commit's.
    return {
      node: ownCpuMicroseconds(a.pid),
      server: all - ofName,
      follower: ownCpuMicroseconds(b.pid),
      following: ofName,
    }
  }
  const spentAlone = async (): Promise<Cost> => {
    const node = ownCpuMicroseconds(sole.program.pid)
    return { node, server: (await own.look()).all, follower: 0, following: 0 }
  }
  let idle = { nodes: nothing, alone: nothing }
  // The first rounds are of programs that compile.
  for (let round = -2; round < rounds; round++) {
    if (round === 0) {
      const [nodes, alone] = await Promise.all([unaskedPerSecond(spentOnNodes), unaskedPerSecond(spentAlone)])
      idle = { nodes, alone }
    }
    const atNode = await costOf(a, credits(a), spentOnNodes, idle.nodes)
    const atSole = await costOf(sole.program, credits(sole.program), spentAlone, idle.alone)
    if (round < 0) continue
    costs.nodes.push(atNode)
    costs.alone.push(atSole)
  }
  const median = (of: readonly Cost[], what: keyof Cost) =>
    percentile(
      of.map((cost) => cost[what]),
      0.5,
    )
  const beside = (what: string, part: 'node' | 'server', target: number): Figure => ({
    what,
    unit: 'µs CPU',
    ours: median(costs.nodes, part),
    peer: 'one program without nodes',
    theirs: median(costs.alone, part),
    target: ratioAtMost(target),
  })
  return [
    beside('a commit that another node follows: PostgreSQL', 'server', 1.05),
    beside('a commit that another node follows: the program', 'node', 1.03),
    alone('following a commit: PostgreSQL', 'µs CPU', median(costs.nodes, 'following')),
    alone('following a commit: the program', 'µs CPU', median(costs.nodes, 'follower')),
    ...(['node', 'server'] as const).map((part) => ({
      what: `nothing to do: ${part === 'node' ? 'the program' : 'PostgreSQL'}`,
      unit: 'ms CPU a second',
      ours: idle.nodes[part] / 1_000,
      peer: 'one program without nodes',
      theirs: idle.alone[part] / 1_000,
    })),
  ]
}

const nothing: Cost = { node: 0, server: 0, follower: 0, following: 0 }
const parts = ['node', 'server', 'follower', 'following'] as const
const eachOf = (of: (part: keyof Cost) => number): Cost =>
  Object.fromEntries(parts.map((part) => [part, of(part)])) as Cost

async function costOf(
  program: RunningProgram,
  deeds: readonly Deed[],
  spent: () => Promise<Cost>,
  idle: Cost,
): Promise<Cost> {
  const { authPort, http } = program.address
  const doors = { httpPort: Number(new URL(http).port), authPort, nas: { ip: nasFirst, secret } }
  const before = await spent()
  const sinceMs = performance.now()
  const waits = await atRate(doors, deeds, perSecond)
  const after = await spent()
  const seconds = (performance.now() - sinceMs) / 1_000
  const lost = waits.filter(({ answered }) => answered === null).length
  if (lost > 0) throw new Error(`${lost} of ${deeds.length} credits were not answered.`)
  return eachOf((part) => (after[part] - before[part] - idle[part] * seconds) / deeds.length)
}

/** What the processes of a server have done so far, for everybody and for a node of that name. */
class ServerWork {
  readonly #postmaster: number
  readonly #of: { readonly database: pg.Client; readonly name: string } | null
  readonly #seen = new Map<number, number>()
  #all = 0
  #ofName = 0

  constructor(postmaster: number, of: { readonly database: pg.Client; readonly name: string } | null = null) {
    this.#postmaster = postmaster
    this.#of = of
  }

  /** Microseconds, but for what a process has done between the last look and its end: connections come and go. */
  async look(): Promise<{ readonly all: number; readonly ofName: number }> {
    const named = await this.#backends()
    for (const pid of withDescendants(this.#postmaster)) {
      const now = ownCpuMicroseconds(pid)
      const spent = now - (this.#seen.get(pid) ?? 0)
      this.#seen.set(pid, now)
      this.#all += spent
      if (named.has(pid)) this.#ofName += spent
    }
    return { all: this.#all, ofName: this.#ofName }
  }

  async #backends(): Promise<ReadonlySet<number>> {
    if (!this.#of) return new Set()
    const { database, name } = this.#of
    const numbers = await database.query<{ number: number }>('SELECT number FROM nodes WHERE name = $1', [name])
    const names = [name, ...numbers.rows.map(({ number }) => nodeConnections(number))]
    const text = 'SELECT pid FROM pg_stat_activity WHERE application_name = ANY ($1)'
    const { rows } = await database.query<{ pid: number }>(text, [names])
    return new Set(rows.map(({ pid }) => pid))
  }
}
