import { alone, type Figure, ratioAtLeast, ratioAtMost, type Target } from '../figures.ts'
import { startFloor } from './floor.ts'
import { startFreeRadius } from './freeradius.ts'
import type { LoadOptions, Measured } from './load.ts'
import { mustAnswerAlike } from './probe.ts'
import { beside, inTurn, type Question, type RoundOptions, type Rounds } from './rounds.ts'
import { blockedEvery, nasAddresses, wrongEvery } from './subscribers.ts'
import { type Server, startTollgate } from './tollgate.ts'

const users = 10_000
const nas = nasAddresses(1)
/** Requests a second that every side carries. */
const openRate = 5_000

/** Sign-ins of random subscribers, some of them blocked, some with a wrong password. */
const signIns = (method: LoadOptions['method'], more: Partial<Question> = {}): Question => ({
  method,
  nas: nas[0]!,
  users,
  'blocked-every': blockedEvery,
  'wrong-every': wrongEvery,
  ...more,
})

/**
 * Sign-ins with 10,000 users beside FreeRADIUS with its default threads and in a single one, and beside a bare C loop.
 * Processor time and rate are of the closed loop with 128 requests under way; there a latency would be nothing but
 * these by the rate, so latencies are of the open loop.
 */
export async function measureRadius(options: RoundOptions): Promise<Figure[]> {
  const servers: Server[] = []
  const started = async (server: Promise<Server>): Promise<Server> => {
    servers.push(await server)
    return server
  }
  try {
    const floor = await started(startFloor())
    const pool = await started(startFreeRadius({ users, nas }, { threads: 'pool' }))
    const single = await started(startFreeRadius({ users, nas }, { threads: 'single' }))
    const tollgate = await started(startTollgate({ users, nas }, 2))
    const sides = { tollgate, pool, single }
    await mustAnswerAlike({ ...sides, floor }, nas[0]!, 4711)
    const pap = await inTurn({ ...sides, floor }, signIns('pap'), options)
    const chap = await inTurn(sides, signIns('chap'), options)
    const msChap = await inTurn(sides, signIns('mschapv2'), options)
    const repeated = await inTurn(sides, signIns('pap', { repeats: 9 }), options)
    const atRate = await inTurn(sides, signIns('pap', { rate: openRate }), options)
    return [
      ...costs('PAP sign-in', pap, [0.4, 0.55]),
      beside('PAP sign-in', 'µs CPU', 'bare C loop', pap.tollgate, pap.floor, ({ cpu }) => cpu, ratioAtMost(1.3)),
      ...rates('PAP sign-ins', pap, ratioAtLeast(1)),
      ...costs('CHAP sign-in', chap, [1, 1]),
      ...rates('CHAP sign-ins', chap),
      ...costs('MS-CHAPv2 sign-in', msChap, [1, 1]),
      ...rates('MS-CHAPv2 sign-ins', msChap),
      ...costs('PAP, nine of ten requests repeated', repeated),
      ...rates('PAP, nine of ten requests repeated', repeated),
      ...costs(`PAP sign-in at ${openRate} a second`, atRate, [1, 0.6]),
      ...sideBySide(`PAP sign-in at ${openRate} a second, p50`, 'µs', atRate, ({ latency }) => latency.p50),
      ...sideBySide(`PAP sign-in at ${openRate} a second, p99`, 'µs', atRate, ({ latency }) => latency.p99),
      alone(`PAP sign-ins lost at ${openRate} a second`, 'requests', atRate.tollgate.median.lost),
    ]
  } finally {
    for (const server of servers) await server.stop()
  }
}

type Sides = { tollgate: Rounds; pool: Rounds; single: Rounds }

/** `atMost`: what our share of FreeRADIUS's default and of its single thread may be. */
function costs(what: string, found: Sides, atMost?: [pool: number, single: number]): Figure[] {
  const targets = atMost?.map(ratioAtMost)
  return sideBySide(what, 'µs CPU', found, ({ cpu }) => cpu, targets)
}

const rates = (what: string, found: Sides, target?: Target): Figure[] =>
  sideBySide(what, '/s', found, ({ rate }) => rate, target && [target, target])

function sideBySide(
  what: string,
  unit: string,
  { tollgate, pool, single }: Sides,
  of: (one: Measured) => number,
  targets: readonly Target[] = [],
): Figure[] {
  return [
    beside(what, unit, 'FreeRADIUS', tollgate, pool, of, targets[0]),
    beside(what, unit, 'FreeRADIUS -s', tollgate, single, of, targets[1]),
  ]
}
