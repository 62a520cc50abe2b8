import { alone, type Figure, ratioAtLeast, ratioAtMost } from '../figures.ts'
import { startFloor } from './floor.ts'
import { startFreeRadius } from './freeradius.ts'
import type { LoadOptions, Measured } from './load.ts'
import { mustAnswerAlike } from './probe.ts'
import { inTurn, type RoundOptions, type Rounds } from './rounds.ts'
import { blockedEvery, nasAddresses, wrongEvery } from './subscribers.ts'
import { type Server, startTollgate } from './tollgate.ts'

const users = 10_000
const methods = ['pap', 'chap', 'mschapv2'] as const
const names = { pap: 'PAP', chap: 'CHAP', mschapv2: 'MS-CHAPv2' } as const

/** How the servers are asked: sign-ins of random subscribers, some of them blocked, some with a wrong password. */
export const question = {
  nas: nasAddresses(1)[0]!,
  users,
  'blocked-every': blockedEvery,
  'wrong-every': wrongEvery,
} satisfies Partial<LoadOptions>

/**
 * Sign-ins with 10,000 users beside FreeRADIUS. All servers run at once and are asked in turn, in rounds, so that what disturbs the
 * machine disturbs each; the median round counts. Rates and latencies are of the closed loop with 128 requests under way.
 */
export async function measureRadius(options: RoundOptions): Promise<Figure[]> {
  const crowd = { users, nas: nasAddresses(1) }
  const servers: Record<string, Server> = {}
  try {
    servers.floor = await startFloor()
    servers.pool = await startFreeRadius(crowd, { threads: 'pool' })
    servers.single = await startFreeRadius(crowd, { threads: 'single' })
    servers.tollgate = await startTollgate(crowd, 2)
    const { floor, pool, single, tollgate } = servers
    const ports = { floor: floor.authPort, pool: pool.authPort, single: single.authPort, tollgate: tollgate.authPort }
    await mustAnswerAlike(ports, question.nas, 4711)
    const figures: Figure[] = []
    for (const method of methods) {
      const asked = { ...question, method }
      const peers = { tollgate, pool, single }
      const found = await inTurn(peers, asked, options)
      const bare = method === 'pap' ? (await inTurn({ floor }, asked, options)).floor.median : null
      figures.push(...figuresOf(names[method], found, bare))
    }
    const repeated = await inTurn({ tollgate, pool, single }, { ...question, method: 'pap', repeats: 9 }, options)
    figures.push(...repeatFigures(repeated))
    return figures
  } finally {
    for (const server of Object.values(servers)) await server.stop()
  }
}

type Asked = 'tollgate' | 'pool' | 'single'

function figuresOf(what: string, found: Record<Asked, Rounds>, floor: Measured | null): Figure[] {
  const { tollgate, pool, single } = mediansOf(found)
  const isPap = floor !== null
  const beside = (peer: string, theirs: Measured) => {
    const against = (unit: string, of: (one: Measured) => number, target: Figure['target'] = null): Figure => ({
      what,
      unit,
      ours: of(tollgate),
      peer,
      theirs: of(theirs),
      target,
    })
    return against
  }
  const toPool = beside('FreeRADIUS', pool)
  const toSingle = beside('FreeRADIUS -s', single)
  const cpu = ({ cpu }: Measured) => cpu
  const rate = ({ rate }: Measured) => rate
  return [
    { ...toPool('µs CPU', cpu, ratioAtMost(isPap ? 0.4 : 1)), what: `${what} sign-in` },
    { ...toSingle('µs CPU', cpu, ratioAtMost(isPap ? 0.55 : 1)), what: `${what} sign-in` },
    ...(floor ? [{ ...beside('bare C loop', floor)('µs CPU', cpu), what: `${what} sign-in` }] : []),
    { ...toPool('/s', rate, isPap ? ratioAtLeast(1) : null), what: `${what} sign-ins` },
    { ...toSingle('/s', rate, isPap ? ratioAtLeast(1) : null), what: `${what} sign-ins` },
    { ...toPool('µs', ({ latency }) => latency.p50), what: `${what} sign-in, p50` },
    { ...toPool('µs', ({ latency }) => latency.p99), what: `${what} sign-in, p99` },
    alone(`${what} sign-ins lost`, 'requests', tollgate.lost),
  ]
}

const mediansOf = <Name extends string>(found: Record<Name, Rounds>) =>
  Object.fromEntries(Object.entries<Rounds>(found).map(([name, { median }]) => [name, median])) as Record<
    Name,
    Measured
  >

function repeatFigures(found: Record<Asked, Rounds>): Figure[] {
  const { tollgate, pool, single } = mediansOf(found)
  const figure = (unit: string, peer: string, theirs: number, ours: number): Figure => ({
    what: 'PAP, nine of ten requests repeated',
    unit,
    ours,
    peer,
    theirs,
  })
  return [
    figure('µs CPU', 'FreeRADIUS', pool.cpu, tollgate.cpu),
    figure('µs CPU', 'FreeRADIUS -s', single.cpu, tollgate.cpu),
    figure('/s', 'FreeRADIUS', pool.rate, tollgate.rate),
  ]
}
