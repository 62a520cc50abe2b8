import type { Door, Outage } from './door.ts'
import type { DoneFault } from './faults.ts'
import type { DoorName } from './stage.ts'

/** What came of a door that was shut when a fault ended. */
export type Recovery =
  /** It served again so long after the fault, and nothing else was wrong in between. */
  | { readonly kind: 'measured'; readonly afterMs: number }
  /** The next fault came so long after this one, and until then it was shut. */
  | { readonly kind: 'cutShort'; readonly afterMs: number }

/**
 * Faults overlap, and what one has done must not be counted against another. Null: the door was open when `fault`
 * ended, was shut before it began, or another fault was at work in the meantime.
 */
export function recoveryFrom(
  fault: DoneFault,
  door: Door,
  name: DoorName,
  faults: readonly DoneFault[],
): Recovery | null {
  const { fromMs, toMs } = fault
  const shut = canShut(fault, name) ? door.shutAt(toMs) : null
  if (shut === null || shut.failedMs < fromMs) return null
  const others = faults.filter((other) => other !== fault && canShut(other, name))
  if (others.some((other) => other.fromMs <= toMs && other.toMs >= Math.min(shut.fromMs, fromMs))) return null
  const afterMs = shut.toMs - toMs
  const nextMs = Math.min(...others.filter((other) => other.fromMs > toMs).map((other) => other.fromMs - toMs))
  return afterMs <= nextMs ? { kind: 'measured', afterMs } : { kind: 'cutShort', afterMs: nextMs }
}

/** Outages that lie where no fault was at work. */
export const causelessOutages = (door: Door, name: DoorName, faults: readonly DoneFault[]): Outage[] =>
  door.outages.filter(({ fromMs, toMs }) =>
    faults.every((fault) => !canShut(fault, name) || fault.toMs < fromMs || fault.fromMs > toMs),
  )

/** What happens to a NAS is felt by RADIUS only. */
const canShut = ({ fault }: DoneFault, name: DoorName): boolean => !('nas' in fault) || name.startsWith('radius')
