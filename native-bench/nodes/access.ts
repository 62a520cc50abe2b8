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
const warmUp = { perSecond: 500, seconds: 4 }

/**
 * From A's answer to an expense or a receipt until B refuses or accepts whom it was about, at so many a second on the
 * machine that also makes the load. Beside it the same question asked at A itself.
 */
export async function measureAccess(pair: Pair, rates: readonly AccessRate[]): Promise<Figure[]> {
  for (const type of [9, 7] as const) await waitsOf(pair.a, pair.b, type, warmUp)
  const figures: Figure[] = []
  for (const rate of rates) {
    const { perSecond } = rate
    const [own, other] = [{ 9: [], 7: [] } as Waits, { 9: [], 7: [] } as Waits]
    let never = 0
    for (const [asked, into] of [
      [pair.a, own],
      [pair.b, other],
    ] as const)
      for (const type of [9, 7] as const) {
        const waits = await waitsOf(pair.a, asked, type, rate)
        into[type] = waits.filter((ms) => ms !== null)
        never += waits.length - into[type].length
      }
    for (const type of [9, 7] as const) {
      const what = `${perSecond}/s: ${names[type]} at A answered → Access-${answers[type]} at B`
      const of = (share: number, target: Figure['target']): Figure => ({
        what: `${what}, p${share * 100}`,
        unit: 'ms',
        ours: percentile(other[type], share),
        peer: 'asked at A itself',
        theirs: percentile(own[type], share),
        target: target ?? null,
      })
      figures.push(of(0.5, perSecond === p50Ms.perSecond ? figureAtMost(p50Ms.atMost) : null))
      figures.push(of(0.99, figureAtMost(rate.p99Ms)))
    }
    figures.push(alone(`${perSecond}/s: not answered or not followed`, 'postings', never, figureAtMost(0)))
  }
  return figures
}

type Waits = Record<7 | 9, number[]>
const names = { 9: 'block', 7: 'payment' } as const
const answers = { 9: 'Reject', 7: 'Accept' } as const

/** Milliseconds after the answer; null: the posting had none, or the access did not change within ten seconds. */
async function waitsOf(
  a: RunningProgram,
  asked: RunningProgram,
  type: 7 | 9,
  { perSecond, seconds }: Pick<AccessRate, 'perSecond' | 'seconds'>,
): Promise<(number | null)[]> {
  const deeds = usersFrom(usersBegin, perSecond * seconds).map(
    (user): Deed => ({
      request: posting(a, user, type),
      asks: { login: `user${user}`, password: passwordOf(user), isAccepted: type === 7 },
    }),
  )
  const { http } = a.address
  const doors = {
    httpPort: Number(new URL(http).port),
    authPort: asked.address.authPort,
    nas: { ip: nasFirst, secret },
    againMs,
  }
  return (await atRate(doors, deeds, perSecond)).map(({ answered, changed }) =>
    answered === null || changed === null ? null : changed - answered,
  )
}
