import type { Violation, Wait } from './book.ts'
import type { Outage } from './door.ts'

/**
 * Two times without a fault, one after the other: in the first the attacker rests, in the second the program is his.
 * Only the load is there in both.
 */
export type Siege = { readonly rest: Outage; readonly attack: Outage }

/** How much longer the attacker may keep somebody waiting: an operator who signs in, a NAS that accounts. */
const patienceMs = { operator: 2_000, accounting: 1_000 } as const

/** What is waited for while the attacker rests is the doing of the load and of a busy machine, not his. */
export function judgeWaits(waits: readonly Wait[], siege: Siege): Violation[] {
  return (['operator', 'accounting'] as const).flatMap((who) => {
    const attackMs = longestWaitMs(waits, who, siege.attack)
    const restMs = longestWaitMs(waits, who, siege.rest)
    if (attackMs <= restMs + patienceMs[who]) return []
    return [{ what: `the attacker has kept ${words[who]}`, record: { attackMs, restMs } }]
  })
}

const words = { operator: 'an operator out', accounting: 'accounting waiting' } as const

/** Of every wait the part that lies within `during`. */
export const longestWaitMs = (waits: readonly Wait[], who: Wait['who'], during: Outage): number =>
  Math.max(0, ...waits.filter((wait) => wait.who === who).map((wait) => commonMs(wait, during)))

const commonMs = (a: Outage, b: Outage): number => Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs)
