import type { Violation, Wait } from './book.ts'
import type { Outage } from './door.ts'

/**
 * Times without a fault in which the attacker rests, and times in which the program is his, in turn, so that whatever
 * else the machine has to do falls into both.
 */
export type Siege = { readonly rests: readonly Outage[]; readonly attacks: readonly Outage[] }

/** How much longer the attacker may keep somebody waiting: an operator who signs in, a NAS that accounts. */
const patienceMs = { operator: 2_000, accounting: 1_000 } as const

/**
 * What is waited for while the attacker rests is the doing of the load and of a busy machine, and so is what is waited
 * for in few of his times only: an attack that keeps somebody waiting does so whenever it is made.
 */
export function judgeWaits(waits: readonly Wait[], siege: Siege): Violation[] {
  return (['operator', 'accounting'] as const).flatMap((who) => {
    const { attackMs, restMs } = siegeWaits(waits, who, siege)
    if (attackMs <= restMs + patienceMs[who]) return []
    return [{ what: `the attacker has kept ${words[who]}`, record: { attackMs, restMs, ...siege } }]
  })
}

const words = { operator: 'an operator out', accounting: 'accounting waiting' } as const

/** The longest wait of half of his times at least, and the longest while he rested. */
export function siegeWaits(waits: readonly Wait[], who: Wait['who'], { rests, attacks }: Siege) {
  const ofAttacks = attacks.map((during) => longestWaitMs(waits, who, during)).sort((a, b) => b - a)
  return {
    attackMs: ofAttacks[Math.floor(ofAttacks.length / 2)] ?? 0,
    restMs: Math.max(0, ...rests.map((during) => longestWaitMs(waits, who, during))),
  }
}

/** Of every wait the part that lies within `during`. */
const longestWaitMs = (waits: readonly Wait[], who: Wait['who'], during: Outage): number =>
  Math.max(0, ...waits.filter((wait) => wait.who === who).map((wait) => commonMs(wait, during)))

const commonMs = (a: Outage, b: Outage): number => Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs)
