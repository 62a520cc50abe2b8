import { Dice } from '../../src/demo/dice.ts'

const minuteMs = 60_000

/** What is done to the program and to what it stands on. Times are milliseconds from the beginning of the load. */
export type Fault = { readonly atMs: number; readonly forMs: number } & (
  | { readonly kind: 'postgresStopped' | 'postgresFrozen' | 'postgresCrashed' | 'diskFull' }
  /** `forMs` is how long nobody starts it again; `alone`: with the database there. */
  | { readonly kind: 'killed'; readonly alone: boolean }
  /** Sends nothing and hears nothing, while its sessions go on. */
  | { readonly kind: 'nasSilent'; readonly nas: number }
  /** Forgets its sessions without a Stop, and says Accounting-On. */
  | { readonly kind: 'nasRebooted'; readonly nas: number }
  /** Per cent of packets, both ways. */
  | { readonly kind: 'network'; readonly nas: number; readonly lost: number; readonly doubled: number }
  /** The wall clock of the program is from then on so far from the real one. */
  | { readonly kind: 'clock'; readonly shiftMs: number }
)

export type Plan = {
  readonly seed: number
  readonly loadMs: number
  /** The program's clock against the real one at the beginning: just before a month's end in Moscow. */
  readonly firstShiftMs: number
  readonly faults: readonly Fault[]
  /** From here on the program is not killed, so that its memory can be followed. */
  readonly settledAtMs: number
  /** NAS that never answer a Disconnect, by index. */
  readonly deafNas: readonly number[]
}

type Kind = Fault['kind']

/** Two faults of the same resource do not meet; faults of different ones do. */
export function resourceOf({ kind, nas = 0, alone = false }: { kind: Kind; nas?: number; alone?: boolean }): string {
  if (kind.startsWith('postgres') || kind === 'diskFull' || alone) return 'database'
  return kind === 'killed' || kind === 'clock' ? kind : `nas ${nas}`
}

const everyKind: readonly Kind[] = [
  'postgresStopped',
  'killed',
  'diskFull',
  'nasSilent',
  'clock',
  'postgresFrozen',
  'network',
  'clock',
  'postgresCrashed',
  'nasRebooted',
]

/** Pure: the same arguments give the same plan, but for the distance of `now` to the month's end. */
export function planOf(seed: number, loadMs: number, nasCount: number, now = new Date()): Plan {
  const dice = diceOf(seed, 'plan')
  const isLong = loadMs >= minuteMs
  const settledAtMs = isLong ? Math.round(loadMs * 0.5) : loadMs
  const firstShiftMs = monthEndAfter(now) - now.getTime() - between(dice, 2, 30) * minuteMs
  const clockTo = clockWalk(dice, firstShiftMs)
  const [longest, pauseMin, pauseMax, restMs] = isLong ? [8_000, 600, 4_500, 4_000] : [1_200, 300, 1_200, 1_500]
  const busyUntil = new Map<string, number>()
  const faults: Fault[] = []
  let pile: Kind[] = []
  const lastEndMs = loadMs - (isLong ? 3_000 : 500)
  for (let atMs = loadMs / 12; atMs < lastEndMs; atMs += between(dice, pauseMin, pauseMax)) {
    if (pile.length === 0) pile = shuffled(dice, everyKind)
    const kind = pile.pop()!
    const nas = dice.below(nasCount)
    const alone = kind === 'killed' && chance(dice, 60)
    const resource = resourceOf({ kind, nas, alone })
    const startMs = Math.round(Math.max(atMs, busyUntil.get(resource) ?? 0))
    const forMs = Math.min(between(dice, longest / 6, longest), lastEndMs - startMs)
    if (forMs <= 0 || (kind === 'killed' && startMs + forMs > settledAtMs)) continue
    busyUntil.set(resource, startMs + forMs + restMs)
    const when = { atMs: startMs, forMs: Math.round(forMs) }
    if (kind === 'clock') faults.push({ kind, shiftMs: clockTo(), ...when, forMs: 0 })
    else if (kind === 'network')
      faults.push({ kind, nas, lost: between(dice, 5, 40), doubled: between(dice, 5, 40), ...when })
    else if (kind === 'nasSilent' || kind === 'nasRebooted') faults.push({ kind, nas, ...when })
    else if (kind === 'killed') faults.push({ kind, alone, ...when })
    else faults.push({ kind, ...when })
  }
  faults.sort((a, b) => a.atMs - b.atMs)
  const deafNas = dice.below(3) === 0 ? [nasCount - 1] : []
  return { seed, loadMs, firstShiftMs, faults, settledAtMs, deafNas }
}

/** First over the month's end, then back and forth by minutes up to a day. */
function clockWalk(dice: Dice, firstShiftMs: number): () => number {
  let shiftMs = firstShiftMs
  let turns = 0
  return () => {
    turns++
    const far = dice.below(2) === 0 ? between(dice, 1, 55) : between(dice, 56, 24 * 60)
    const isForward = turns === 1 || (turns > 2 && dice.below(2) === 0)
    shiftMs += (turns === 1 ? between(dice, 36, 24 * 60) : isForward ? far : -far) * minuteMs
    return shiftMs
  }
}

/** Midnight of Moscow (UTC+3) that begins the next month. */
function monthEndAfter(now: Date): number {
  const moscow = new Date(now.getTime() + 3 * 60 * minuteMs)
  return Date.UTC(moscow.getUTCFullYear(), moscow.getUTCMonth() + 1, 1) - 3 * 60 * minuteMs
}

/** Dice of one part of the run: what others throw does not change its own. */
export function diceOf(seed: number, part: string): Dice {
  let state = seed | 0
  for (const sign of part) state = Math.imul(state ^ sign.charCodeAt(0), 0x9e3779b1) ^ (state >>> 15)
  const dice = new Dice(state || 1)
  // The first throws of neighbouring seeds are alike.
  for (let thrown = 0; thrown < 16; thrown++) dice.below(2)
  return dice
}

/** A whole number from `min` to `max`. */
export const between = (dice: Dice, min: number, max: number): number =>
  Math.round(min) + dice.below(Math.max(1, Math.round(max) - Math.round(min) + 1))

export const chance = (dice: Dice, percent: number): boolean => dice.below(100) < percent

function shuffled<T>(dice: Dice, items: readonly T[]): T[] {
  const left = [...items]
  for (let at = left.length - 1; at > 0; at--) {
    const other = dice.below(at + 1)
    ;[left[at], left[other]] = [left[other]!, left[at]!]
  }
  return left
}

/** One line: `12.3 s postgresFrozen 4.0 s`. */
export function faultWords(fault: Fault): string {
  const { atMs, forMs, kind, ...rest } = fault
  const more = Object.entries(rest).map(
    ([name, value]) => `${name}=${name === 'shiftMs' ? `${Math.round(value / minuteMs)} min` : value}`,
  )
  return [
    `${(atMs / 1000).toFixed(1)} s`,
    kind,
    ...(forMs > 0 ? [`${(forMs / 1000).toFixed(1)} s`] : []),
    ...more,
  ].join(' ')
}
