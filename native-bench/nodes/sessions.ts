import { setTimeout as pause } from 'node:timers/promises'
import { SimulatedNas, type SimulatedSession } from '../../src/demo/simulated-nas.ts'
import type { RunningProgram } from '../../test/support/program.ts'
import { ruble } from '../../test/support/provider.ts'
import { type Frame, Watcher } from '../../test/support/watcher.ts'
import { AccessClient } from '../access-client.ts'
import { alone, type Figure, figureAtMost, percentile } from '../figures.ts'
import { nasFirst, secret } from '../radius/subscribers.ts'
import { passwordOf, usersFrom, within } from './fleet.ts'

type Pair = { readonly a: RunningProgram; readonly b: RunningProgram }

const usersBegin = 15_001
const countedMs = 30
/** The other node may show what has happened so much later than the own one. */
const laterMs = 20
const patienceMs = 30_000

/**
 * What the other node knows of a session, one after another: from B's answer to the Start until A refuses a second one,
 * and from the Start to the frame at the pages of both. The same for a block at A.
 */
export async function measureSessions({ a, b }: Pair, rounds: number): Promise<Figure[]> {
  const server = { host: '127.0.0.1', authPort: b.address.authPort, acctPort: b.address.acctPort }
  const nas = new SimulatedNas({ ip: nasFirst, secret, coaPort: 0, server, onDisconnected: () => {} })
  const second = await AccessClient.open(a.address.authPort, secret, nasFirst)
  const topics = ['sessions', 'blocks']
  const [atA, atB] = await Promise.all(
    [a, b].map(({ address, session }) => new Watcher(address.http, session).open(topics)),
  )
  try {
    await nas.start()
    const moments = new Moments()
    for (const user of usersFrom(usersBegin, rounds)) {
      const session = sessionOf(user)
      const isStarted = (frame: Frame) => frame.type === 'session.started' && frame.session.login === session.login
      const sentMs = performance.now()
      const frames = [
        moments.note('frame at A', sentMs, atA!.next(isStarted)),
        moments.note('frame at B', sentMs, atB!.next(isStarted)),
      ]
      if (!(await nas.account('start', session))) throw new Error('A Start was not answered.')
      const counted = moments.note('counted', performance.now(), refused(second, user))
      await within(patienceMs, 'A session', Promise.all([...frames, counted]))
      await nas.account('stop', session)
    }
    await block(a, { atA: atA!, atB: atB! }, rounds, moments)
    return [
      alone('Start at B answered → refused at A, p50', 'ms', moments.of('counted', 0.5)),
      alone('Start at B answered → refused at A, p99', 'ms', moments.of('counted', 0.99), figureAtMost(countedMs)),
      ...later('Start at B → live frame at A', moments, 'frame at A', 'frame at B', 'at B itself'),
      ...later('block at A → live frame at B', moments, 'block at B', 'block at A', 'at A itself'),
    ]
  } finally {
    atA!.close()
    atB!.close()
    second.close()
    await nas.stop()
  }
}

function later(what: string, moments: Moments, other: Moment, own: Moment, peer: string): Figure[] {
  return [0.5, 0.99].map((share) => ({
    what: `${what}, p${share * 100}`,
    unit: 'ms',
    ours: moments.of(other, share),
    peer,
    theirs: moments.of(own, share),
    target: share === 0.99 ? figureAtMost(Math.round(moments.of(own, share) + laterMs)) : null,
  }))
}

/** One account is blocked and opened again and again. */
async function block(
  a: RunningProgram,
  { atA, atB }: Record<'atA' | 'atB', Watcher>,
  rounds: number,
  moments: Moments,
) {
  const [account] = usersFrom(usersBegin, 1)
  const post = (op_type: 7 | 9) =>
    a.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type, op_summa: ruble })
  const isBlocked = (frame: Frame) => frame.type === 'block.changed' && frame.b_negbal === true
  for (let round = 0; round < rounds; round++) {
    const sentMs = performance.now()
    const frames = [
      moments.note('block at A', sentMs, atA.next(isBlocked)),
      moments.note('block at B', sentMs, atB.next(isBlocked)),
    ]
    await within(patienceMs, 'A block', Promise.all([post(9), ...frames]))
    await post(7)
  }
}

/** Until A takes one session too many for what it is. */
async function refused(second: AccessClient, user: number): Promise<void> {
  const sinceMs = performance.now()
  while ((await second.ask(`user${user}`, passwordOf(user))) && performance.now() - sinceMs < patienceMs) await pause(1)
}

const sessionOf = (user: number): SimulatedSession => ({
  login: `user${user}`,
  sessionId: `bench-${user}`,
  ip: null,
  className: null,
  station: '02-00-00-00-00-01',
  startedAtMs: Date.now(),
  inputOctets: 0,
  outputOctets: 0,
})

type Moment = 'counted' | 'frame at A' | 'frame at B' | 'block at A' | 'block at B'

class Moments {
  readonly #samples = new Map<Moment, number[]>()

  async note(what: Moment, sinceMs: number, seen: Promise<unknown>): Promise<void> {
    await seen
    const samples = this.#samples.get(what) ?? []
    samples.push(performance.now() - sinceMs)
    this.#samples.set(what, samples)
  }

  of(what: Moment, share: number): number {
    return percentile(this.#samples.get(what) ?? [], share)
  }
}
