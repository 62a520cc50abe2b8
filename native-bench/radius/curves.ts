import { alone, type Figure, ratioAtMost } from '../figures.ts'
import { residentKib } from '../processes.ts'
import type { Measured } from './load.ts'
import { beside, inTurn, type Question, type RoundOptions } from './rounds.ts'
import { blockedEvery, type Crowd, nasAddresses, wrongEvery } from './subscribers.ts'
import { startTollgate, type Tollgate } from './tollgate.ts'

/** One point of a curve: a Tollgate that differs from the others of its curve, or is asked differently, in one thing. */
type Point = Crowd & { readonly name: string; readonly workers: number; readonly inFlight: InFlight }

/** How many requests are under way. */
type InFlight = { readonly signIns: number; readonly accounting: number }

const signIn = ({ users, nas, inFlight }: Point): Question => ({
  method: 'pap',
  users,
  nas: nas[0]!,
  'nas-count': nas.length,
  'blocked-every': blockedEvery,
  'wrong-every': wrongEvery,
  outstanding: inFlight.signIns,
})

/** Twice as many sessions as requests, so that a session is always there to go on. */
const accounting = ({ users, nas, inFlight }: Point): Question => ({
  method: 'accounting',
  users,
  nas: nas[0]!,
  'nas-count': nas.length,
  outstanding: inFlight.accounting,
  sessions: 2 * inFlight.accounting,
})

/** The same for one NAS and for hundreds. */
const ordinary: InFlight = { signIns: 128, accounting: 512 }
const few: Omit<Point, 'name'> = { users: 10_000, nas: nasAddresses(1), workers: 2, inFlight: ordinary }
const subscriberPoints = [10_000, 100_000, 1_000_000].map(
  (users): Point => ({ ...few, users, name: `${users.toLocaleString('en')} subscribers` }),
)
const nasPoints = [1, 50, 500].map((count): Point => ({ ...few, nas: nasAddresses(count), name: `${count} NAS` }))
const workerPoints = [2, 1].map(
  (workers): Point => ({ ...few, workers, name: `${workers} worker${workers > 1 ? 's' : ''}` }),
)
const inFlightPoints = [1, 16, 64, 256, 1024].map(
  (count): Point => ({ ...few, inFlight: { signIns: count, accounting: count }, name: `${count} in flight` }),
)

/** Sign-ins of random logins among a million, beside the same program with ten thousand. */
export async function measureMillion(options: RoundOptions): Promise<Figure[]> {
  return withPoints([subscriberPoints[0]!, subscriberPoints[2]!], (servers) =>
    compare('PAP sign-in', servers, signIn, options, ratioAtMost(1.25)),
  )
}

/**
 * How figures grow with subscribers (a short look leaves the million out), NAS, workers and requests in flight; each
 * beside the first point of its curve.
 */
export async function measureCurves(options: RoundOptions & { isShort: boolean }): Promise<Figure[]> {
  const figures = await withPoints(
    options.isShort ? subscriberPoints.slice(0, 2) : subscriberPoints,
    async (servers) => [
      ...(await compare('PAP sign-in', servers, signIn, options)),
      ...servers.map(({ point, server }) => alone(`start to ready, ${point.name}`, 's', server.startSeconds)),
      ...servers.map(({ point, server }) =>
        alone(`whole process, ${point.name}`, 'MiB', residentKib(server.program.pid) / 1024),
      ),
    ],
  )
  for (const points of [nasPoints, workerPoints, inFlightPoints]) {
    const found = await withPoints(points, async (servers) => [
      ...(await compare('PAP sign-in', servers, signIn, options)),
      ...(await compare('accounting', servers, accounting, options)),
    ])
    figures.push(...found)
  }
  return figures
}

type Running = { readonly point: Point; readonly server: Tollgate }

async function withPoints<T>(
  points: readonly Point[],
  measure: (servers: readonly Running[]) => Promise<T>,
): Promise<T> {
  const servers: Running[] = []
  try {
    for (const point of points) servers.push({ point, server: await startTollgate(point, point.workers) })
    return await measure(servers)
  } finally {
    for (const { server } of servers) await server.stop()
  }
}

async function compare(
  what: string,
  servers: readonly Running[],
  question: (point: Point) => Question,
  options: RoundOptions,
  target: Figure['target'] = null,
): Promise<Figure[]> {
  const byName = Object.fromEntries(servers.map(({ point, server }) => [point.name, server]))
  const pointOf = (name: string) => servers.find(({ point }) => point.name === name)!.point
  const found = await inTurn(byName, (name) => question(pointOf(name)), options)
  const [first, ...others] = servers.map(({ point: { name } }) => name)
  const figures = (unit: string, of: (one: Measured) => number, bound: Figure['target'] = null) =>
    others.map((name) => beside(`${what}, ${name}`, unit, first!, found[name]!, found[first!]!, of, bound))
  return [
    ...figures('µs CPU', ({ cpu }) => cpu, target),
    ...figures('/s', ({ rate }) => rate),
    ...figures('µs p99', ({ latency }) => latency.p99),
  ]
}
