import type { NasId } from '../../../domain/ids.ts'
import type { NasEntry } from '../../../domain/nas.ts'
import type { AccountingRecord } from './accounting-record.ts'

type Known = { expected: boolean; learned: boolean | null; isAuto: boolean; hoursMax: number }

/** A session of a NAS without Interim-Updates is believed for this long, unless the NAS record says otherwise. */
const sessionHoursDefault = 168
const hourMs = 3_600_000

/**
 * Which NAS send Interim-Updates, so that silence means that a session is lost. On `auto` it is learned: a NAS sends
 * them once it has sent one for a session that has lasted for an interval. One that a NAS sends right after the Start,
 * to report an address, says nothing about the next ones.
 */
export class NasInterims {
  readonly #intervalSeconds: () => number
  readonly #learned: (nas: NasId, sendsInterims: boolean) => void
  #known = new Map<number, Known>()

  constructor(intervalSeconds: () => number, learned: (nas: NasId, sendsInterims: boolean) => void) {
    this.#intervalSeconds = intervalSeconds
    this.#learned = learned
  }

  /** The records have changed. A record that was saved has forgotten what had been learned. */
  setNas(list: readonly NasEntry[]): void {
    this.#known = new Map(list.map((nas) => [nas.id, knownOf(nas)]))
  }

  /** True for a NAS without a record too: nobody has said that it is silent. */
  areExpectedOf(nas: NasId): boolean {
    return this.#known.get(nas)?.expected ?? true
  }

  /** Whether it is learned that the NAS sends Interim-Updates; false where the operator has said whether it does. */
  areLearnedOf(nas: NasId): boolean {
    return this.#known.get(nas)?.isAuto ?? false
  }

  /** What has been learned; null: nothing yet. */
  learnedOf(nas: NasId): boolean | null {
    return this.#known.get(nas)?.learned ?? null
  }

  /** How long a session may last about which its NAS reports nothing. */
  silenceMsMaxOf(nas: NasId): number {
    return (this.#known.get(nas)?.hoursMax ?? sessionHoursDefault) * hourMs
  }

  /** Whether a packet may teach something, which is to be told by `hear`. Usually nothing is left to learn. */
  isOpen({ nasId, status }: AccountingRecord): boolean {
    const learned = this.#known.get(nasId)?.learned
    return (learned === null && status === 'stop') || (learned !== true && status === 'interim')
  }

  /** An Interim-Update or a Stop of a session that has lasted for `ageSeconds`. */
  hear({ nasId, status }: AccountingRecord, ageSeconds: number): void {
    const known = this.#known.get(nasId)
    if (!known) return
    const sendsInterims = status === 'interim'
    // A session that ended without one says something only if it lasted clearly longer than the interval.
    const intervals = sendsInterims ? 1 : 2
    if (ageSeconds < intervals * this.#intervalSeconds() - roundingSeconds) return
    known.learned = sendsInterims
    if (known.isAuto) known.expected = sendsInterims
    this.#learned(nasId, sendsInterims)
  }
}

/** A NAS counts in whole seconds. */
const roundingSeconds = 2

function knownOf({
  interims = 'auto',
  learnedInterims = null,
  sessionHoursMax = sessionHoursDefault,
}: NasEntry): Known {
  const isAuto = interims === 'auto'
  return {
    expected: isAuto ? learnedInterims === true : interims === 'yes',
    learned: learnedInterims,
    isAuto,
    hoursMax: sessionHoursMax,
  }
}
