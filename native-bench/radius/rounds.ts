import { type Figure, percentile, type Target } from '../figures.ts'
import { type LoadOptions, type LoadResult, load, type Measured, measured } from './load.ts'
import type { Server } from './tollgate.ts'

/** Ours is compiled while it runs. */
const compilingSeconds = 3

/** `all` has the warm-up too. */
export type Rounds = { readonly median: Measured; readonly all: readonly LoadResult[] }

/** How a server is asked, but for its port. */
export type Question = Omit<LoadOptions, 'port'>

/** `warmUpSeconds`: of the round that is not counted. */
export type RoundOptions = { rounds: number; seconds: number; warmUpSeconds?: number }

/**
 * Asks servers that run at the same time in turn, in rounds, so that what disturbs the machine disturbs each: the
 * median round of each by processor time, after one that is not counted.
 */
export async function inTurn<Name extends string>(
  servers: Record<Name, Server>,
  question: Question | ((name: Name) => Question),
  { rounds, seconds, warmUpSeconds = compilingSeconds }: RoundOptions,
): Promise<Record<Name, Rounds>> {
  const all = Object.entries(servers) as [Name, Server][]
  const optionsOf = (name: Name, { authPort, acctPort }: Server): LoadOptions => {
    const options = typeof question === 'function' ? question(name) : question
    return { ...options, port: options.method === 'accounting' ? acctPort : authPort, seconds }
  }
  const counted = new Map(all.map(([name]) => [name, [] as Measured[]]))
  const warmUps = new Map<Name, LoadResult>()
  for (const [name, server] of all)
    warmUps.set(name, await load({ ...optionsOf(name, server), seconds: warmUpSeconds }))
  for (let round = 0; round < rounds; round++) {
    for (const [name, server] of all) counted.get(name)!.push(await measured(server.pids, optionsOf(name, server)))
  }
  const roundsOf = (name: Name): Rounds => ({
    median: medianOf(counted.get(name)!),
    all: [warmUps.get(name)!, ...counted.get(name)!],
  })
  return Object.fromEntries(all.map(([name]) => [name, roundsOf(name)])) as Record<Name, Rounds>
}

function medianOf(measurements: readonly Measured[]): Measured {
  const middle = percentile(
    measurements.map(({ cpu }) => cpu),
    0.5,
  )
  return measurements.find(({ cpu }) => cpu === middle)!
}

/** The same of two servers that were asked in turn. */
export const beside = (
  what: string,
  unit: string,
  peer: string,
  ours: Rounds,
  theirs: Rounds,
  of: (one: Measured) => number,
  target: Target | null = null,
): Figure => ({ what, unit, ours: of(ours.median), peer, theirs: of(theirs.median), target })
