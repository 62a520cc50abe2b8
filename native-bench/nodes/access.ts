import { setTimeout as pause } from 'node:timers/promises'
import type { RunningProgram } from '../../test/support/program.ts'
import { atRate, type Deed } from '../at-rate.ts'
import { alone, type Figure, figureAtMost, percentile } from '../figures.ts'
import { nasFirst, secret } from '../radius/subscribers.ts'
import { passwordOf, posting, usersFrom } from './fleet.ts'

export type AccessRate = { readonly perSecond: number; readonly seconds: number; readonly p99Ms: number }
type Pair = { readonly a: RunningProgram; readonly b: RunningProgram }

const p50Ms = { perSecond: 200, atMost: 3 }
/** Between two questions of the NAS while the answer is still the former one. */
const againMs = 1
/** Nobody else posts to these accounts, so an expense always blocks and a receipt always opens. */
const usersBegin = 5_001
const warmUp = { perSecond: 300, seconds: 5 }
/** What a program has taken and not answered in time it ends meanwhile. */
const settleMs = 5_000

/**
 * From A's answer to an expense or a receipt until B refuses or accepts whom it was about, at so many a second on the
 * machine that also makes the load. Beside it the same question asked at A itself. Who was not answered or whose access
 * did not change is counted and left out from then on, because nobody knows what is still to come of it.
 */
export async function measureAccess({ a, b }: Pair, rates: readonly AccessRate[]): Promise<Figure[]> {
  let users = usersFrom(
    usersBegin,
    Math.max(...[warmUp, ...rates].map(({ perSecond, seconds }) => perSecond * seconds)),
  )
  const figures: Figure[] = []
  const both = async (asked: RunningProgram, { perSecond, seconds }: Pick<AccessRate, 'perSecond' | 'seconds'>) => {
    let some = users.slice(0, perSecond * seconds)
    const waits: Record<7 | 9, number[]> = { 9: [], 7: [] }
    for (const type of [9, 7] as const) {
      const each = await waitsOf(a, asked, type, { users: some, perSecond })
      waits[type] = each.filter((ms) => ms !== null)
      const lost = new Set(some.filter((_, n) => each[n] === null))
      some = some.filter((user) => !lost.has(user))
      users = users.filter((user) => !lost.has(user))
      if (lost.size > 0) await pause(settleMs)
    }
    return waits
  }
  await both(b, warmUp)
  for (const rate of rates) {
    const before = users.length
    const [own, other] = [await both(a, rate), await both(b, rate)]
    for (const type of [9, 7] as const) {
      const of = (share: number, target: Figure['target'] = null): Figure => ({
        what: `${rate.perSecond}/s: ${names[type]} at A answered → Access-${answers[type]} at B, p${share * 100}`,
        unit: 'ms',
        ours: percentile(other[type], share),
        peer: 'asked at A itself',
        theirs: percentile(own[type], share),
        target,
      })
      figures.push(of(0.5, rate.perSecond === p50Ms.perSecond ? figureAtMost(p50Ms.atMost) : null))
      figures.push(of(0.99, figureAtMost(rate.p99Ms)))
    }
    const lost = before - users.length
    figures.push(alone(`${rate.perSecond}/s: not answered or not followed`, 'postings', lost, figureAtMost(0)))
  }
  return figures
}

const names = { 9: 'block', 7: 'payment' } as const
const answers = { 9: 'Reject', 7: 'Accept' } as const

/** Milliseconds after the answer; null: the posting had none, or the access did not change within ten seconds. */
async function waitsOf(
  a: RunningProgram,
  asked: RunningProgram,
  type: 7 | 9,
  { users, perSecond }: { readonly users: readonly number[]; readonly perSecond: number },
): Promise<(number | null)[]> {
  const deeds = users.map(
    (user): Deed => ({
      request: posting(a, user, type),
      asks: { login: `user${user}`, password: passwordOf(user), isAccepted: type === 7 },
    }),
  )
  const doors = {
    httpPort: Number(new URL(a.address.http).port),
    authPort: asked.address.authPort,
    nas: { ip: nasFirst, secret },
    againMs,
  }
  return (await atRate(doors, deeds, perSecond)).map(({ answered, changed }) =>
    answered === null || changed === null ? null : changed - answered,
  )
}
