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
  /** The clock of the database, which is the time of day of the program, is from then on so far from the real one. */
  | { readonly kind: 'clock'; readonly shiftMs: number }
  | FleetFault
)

/** What is done where several nodes serve one database. */
type FleetFault =
  /** SIGSTOP, and SIGCONT in the end. */
  | { readonly kind: 'nodeKilled' | 'nodeFrozen'; readonly node: number }
  /** Its connections to PostgreSQL break, and it makes none. */
  | { readonly kind: 'nodeCutOff'; readonly node: number }
  /** Its connections to PostgreSQL stand, and nothing comes through them. */
  | { readonly kind: 'nodeDeafened'; readonly node: number }
  | { readonly kind: 'nodeClock'; readonly node: number; readonly shiftMs: number }
  /** Drained, stopped and started again, as for a new version. */
  | { readonly kind: 'nodeRestarted'; readonly node: number }
  /** From now on, in the middle of its sessions, the NAS asks another node. */
  | { readonly kind: 'nasMoved'; readonly nas: number; readonly to: number }
  /** The server is gone for good, and its standby takes its place; an asynchronous one is so far behind. */
  | { readonly kind: 'promoted'; readonly behindMs: number }

export type Plan = {
  readonly seed: number
  readonly loadMs: number
  /** The clock of the database against the real one at the beginning: just before a month's end in Moscow. */
  readonly firstShiftMs: number
  readonly faults: readonly Fault[]
  /** From here on the program is not killed, so that its memory can be followed. */
  readonly settledAtMs: number
  /** NAS that never answer a Disconnect, by index. */
  readonly deafNas: readonly number[]
}

type Kind = Fault['kind']
/** What a fault is done to. */
type Meant = { readonly kind: Kind; readonly nas?: number; readonly node?: number; readonly alone?: boolean }

/** Two faults of the same resource do not meet; faults of different ones do. */
export function resourceOf({ kind, nas = 0, node = 0, alone = false }: Meant): string {
  if (kind.startsWith('postgres') || kind === 'diskFull' || kind === 'promoted' || alone) return 'database'
  if (kind === 'nodeClock') return `clock ${node}`
  if (kind.startsWith('node')) return `node ${node}`
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
  const settledAtMs = loadMs >= minuteMs ? Math.round(loadMs * 0.5) : loadMs
  const firstShiftMs = monthEndAfter(now) - now.getTime() - between(dice, 2, 30) * minuteMs
  const clockTo = clockWalk(dice, firstShiftMs)
  const faults = spread<Required<Pick<Meant, 'kind' | 'nas' | 'alone'>>>({
    dice,
    loadMs,
    kinds: everyKind,
    mean(kind) {
      const nas = dice.below(nasCount)
      return { kind, nas, alone: kind === 'killed' && chance(dice, 60) }
    },
    isTooLate: ({ kind }, endMs) => kind === 'killed' && endMs > settledAtMs,
    make({ kind, nas, alone }, when): Fault {
      if (kind === 'clock') return { kind, shiftMs: clockTo(), ...when, forMs: 0 }
      if (kind === 'killed') return { kind, alone, ...when }
      return ofNetwork(dice, kind, nas, when) ?? ({ kind, ...when } as Fault)
    },
  })
  const deafNas = dice.below(3) === 0 ? [nasCount - 1] : []
  return { seed, loadMs, firstShiftMs, faults, settledAtMs, deafNas }
}

type When = Pick<Fault, 'atMs' | 'forMs'>

/** What is done to a NAS and the way to it; null: it is something else. */
export function ofNetwork(dice: Dice, kind: Kind, nas: number, when: When): Fault | null {
  if (kind === 'network') return { kind, nas, lost: between(dice, 5, 40), doubled: between(dice, 5, 40), ...when }
  return kind === 'nasSilent' || kind === 'nasRebooted' ? { kind, nas, ...when } : null
}

type Spreading<M extends Meant> = {
  readonly dice: Dice
  readonly loadMs: number
  /** Each comes once before one comes again. */
  readonly kinds: readonly M['kind'][]
  mean(kind: M['kind']): M
  /** Undefined: as long as all others. */
  longestMs?(meant: M): number | undefined
  isTooLate?(meant: M, endMs: number): boolean
  make(meant: M, when: When): Fault
}

/** Faults all over the load, in order, those of one resource with a rest between them. */
export function spread<M extends Meant>(parts: Spreading<M>): Fault[] {
  const { dice, loadMs } = parts
  const isLong = loadMs >= minuteMs
  const [longest, pauseMin, pauseMax, restMs] = isLong ? [8_000, 600, 4_500, 4_000] : [1_200, 300, 1_200, 1_500]
  const busyUntil = new Map<string, number>()
  const faults: Fault[] = []
  let pile: M['kind'][] = []
  const lastEndMs = loadMs - (isLong ? 3_000 : 500)
  for (let atMs = loadMs / 12; atMs < lastEndMs; atMs += between(dice, pauseMin, pauseMax)) {
    if (pile.length === 0) pile = shuffled(dice, parts.kinds)
    const meant = parts.mean(pile.pop()!)
    const resource = resourceOf(meant)
    const startMs = Math.round(Math.max(atMs, busyUntil.get(resource) ?? 0))
    const longestMs = parts.longestMs?.(meant) ?? longest
    const forMs = Math.min(between(dice, longestMs / 6, longestMs), lastEndMs - startMs)
    if (forMs <= 0 || parts.isTooLate?.(meant, startMs + forMs)) continue
    busyUntil.set(resource, startMs + forMs + restMs)
    faults.push(parts.make(meant, { atMs: startMs, forMs: Math.round(forMs) }))
  }
  return faults.sort((a, b) => a.atMs - b.atMs)
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
    ([name, value]) => `${name}=${name === 'shiftMs' ? `${Math.round(value / 6_000) / 10} min` : value}`,
  )
  return [
    `${(atMs / 1000).toFixed(1)} s`,
    kind,
    ...(forMs > 0 ? [`${(forMs / 1000).toFixed(1)} s`] : []),
    ...more,
  ].join(' ')
}
