import { packetFaults } from '../wire/packet.ts'

/**
 * Why a datagram got no answer, or for `unstoredStatus` an answer although nothing of it is stored. These are values of
 * a metric label.
 */
const dropFaults = [
  ...packetFaults,
  'unknownNas',
  'wrongCode',
  'badAuthenticator',
  'badMessageAuthenticator',
  'missingMessageAuthenticator',
  'unsignedProxyState',
  'answerTooLong',
  'missingStatus',
  'unstoredStatus',
  'inWork',
  'overload',
  'notSent',
  'failure',
] as const
export type DropFault = (typeof dropFaults)[number]

const results = ['accept', 'reject', 'accounting', 'status', 'repeated'] as const
export type CountedResult = (typeof results)[number]

export type RadiusPort = 'auth' | 'acct'
const ports = ['auth', 'acct'] as const satisfies readonly RadiusPort[]

const columns = [...results, ...dropFaults] as const
const columnOf = Object.fromEntries(columns.map((name, index) => [name, index])) as Record<
  CountedResult | DropFault,
  number
>
const rowCells = columns.length * ports.length

/** Upper bounds of the time from an Access-Request to its answer within the worker, in microseconds. */
const boundsUs = [5, 10, 25, 50, 100, 250, 500, 1000, 5000, 25_000]
const durationCells = boundsUs.length + 3

/** Slot 0 counts unknown sources; when all slots are taken, further NAS share the last one. */
export const nasSlotsMax = 4096
export const unknownNasSlot = 0

export const countersBytes = (nasSlotsMax * rowCells + durationCells) * 8
const durationsAt = nasSlotsMax * rowCells

export type RadiusCount = {
  port: RadiusPort
  nasSlot: number
  result: CountedResult | 'dropped'
  fault: DropFault | null
  count: number
}
/** A cumulative histogram as Prometheus defines it, in seconds. */
export type AccessDurations = { bounds: { seconds: number; count: number }[]; sum: number; count: number }

/**
 * The counters of one receiver: float64 cells in shared memory, which its thread alone writes and the main thread
 * reads.
 */
export class WorkerCounters {
  readonly #cells: Float64Array

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory)
  }

  add(port: RadiusPort, nasSlot: number, name: CountedResult | DropFault, count = 1): void {
    this.#cells[nasSlot * rowCells + (port === 'auth' ? 0 : columns.length) + columnOf[name]]! += count
  }

  /** Counts `count` requests of one batch, which were answered `us` microseconds after its arrival. */
  access(us: number, count: number): void {
    let at = 0
    while (at < boundsUs.length && us > boundsUs[at]!) at++
    this.#cells[durationsAt + at]! += count
    this.#cells[durationsAt + boundsUs.length + 1]! += us * count
    this.#cells[durationsAt + boundsUs.length + 2]! += count
  }
}

/** The sum over receivers; rows that are zero are left out. */
export function readCounts(memories: readonly SharedArrayBuffer[], nasSlots: number): RadiusCount[] {
  const all = memories.map((memory) => new Float64Array(memory))
  const counts: RadiusCount[] = []
  for (let nasSlot = 0; nasSlot < nasSlots; nasSlot++) {
    for (const [portIndex, port] of ports.entries()) {
      for (const [column, name] of columns.entries()) {
        const cell = nasSlot * rowCells + portIndex * columns.length + column
        const count = all.reduce((sum, cells) => sum + cells[cell]!, 0)
        if (count === 0) continue
        const isResult = column < results.length
        counts.push({
          port,
          nasSlot,
          result: isResult ? (name as CountedResult) : 'dropped',
          fault: isResult ? null : (name as DropFault),
          count,
        })
      }
    }
  }
  return counts
}

export function readDurations(memories: readonly SharedArrayBuffer[]): AccessDurations {
  const all = memories.map((memory) => new Float64Array(memory))
  const sumOf = (cell: number) => all.reduce((sum, cells) => sum + cells[durationsAt + cell]!, 0)
  let below = 0
  const bounds = boundsUs.map((us, index) => {
    below += sumOf(index)
    return { seconds: us / 1e6, count: below }
  })
  return { bounds, sum: sumOf(boundsUs.length + 1) / 1e6, count: sumOf(boundsUs.length + 2) }
}
