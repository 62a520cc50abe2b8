import type { Wait } from './book.ts'
import { type Siege, siegeWaits } from './judge-waits.ts'
import { causelessOutages, recoveryFrom } from './recoveries.ts'
import type { FleetOutcome } from './fleet/run.ts'
import type { Outcome } from './run.ts'
import { type DoorName, doorNames } from './stage.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`

/** What was done to one program, and what was seen. */
export function reportOf(outcome: Outcome): string[] {
  const { stage, faults, starts, vainStarts, slowestStartMs, disk, memory, siege, quietAfterMs } = outcome
  return [
    ...seenLines(outcome),
    `program: ${starts} starts, again ready within ${seconds(slowestStartMs)}, and ${vainStarts} in vain; spool on ${disk}; ${faults.length} faults; quiet ${seconds(quietAfterMs)} after the load`,
    ...(siege ? [siegeLine(siege, stage.book.waits)] : []),
    memory === null
      ? 'memory: not judged, the last life was too short'
      : `memory: ${mib(memory.warm.heapUsed + memory.warm.external)} used and ${mib(memory.warm.rss)} resident when warm, ${mib(memory.end.heapUsed + memory.end.external)} and ${mib(memory.end.rss)} at the end`,
  ]
}

/** The same of several nodes. */
export function fleetReportOf(outcome: FleetOutcome): string[] {
  const { fleet, faults, quietAfterMs } = outcome
  const lives = fleet.nodes.map(({ life }) => life)
  const slowestMs = Math.max(...lives.map(({ slowestStartMs }) => slowestStartMs))
  return [
    ...seenLines(outcome),
    `lost with servers: ${outcome.stage.book.losses.map(({ sinceMs, untilMs }) => seconds(untilMs - sinceMs)).join(', ') || 'nothing'}`,
    `nodes: ${lives.map(({ starts }) => starts).join(' + ')} starts, again ready within ${seconds(slowestMs)}, and ${lives.reduce((sum, { vainStarts }) => sum + vainStarts.length, 0)} in vain; ${faults.length} faults; quiet ${seconds(quietAfterMs)} after the load`,
  ]
}

type SeenByAll = Pick<Outcome, 'stage' | 'faults'>

function seenLines(outcome: SeenByAll): string[] {
  const { book, doors, nas } = outcome.stage
  const money = [...book.movements.values()]
  const inState = (state: string) => money.filter((one) => one.state === state).length
  const sessions = nas.flatMap((one) => one.sessions)
  return [
    `${'door'.padEnd(20)}${['used', 'served', 'refused', 'not served', 'outages', 'longest'].map((word) => word.padStart(11)).join('')}`,
    ...doorNames.map((name) => {
      const { asked, served, refused, unserved, outages, longestOutageMs } = doors[name]
      const figures = [asked, served, refused, unserved, outages.length, seconds(longestOutageMs)]
      return `${name.padEnd(20)}${figures.map((figure) => String(figure).padStart(11)).join('')}`
    }),
    '',
    ...faultLines(outcome),
    causelessLine(outcome),
    '',
    `money: ${inState('acknowledged')} movements acknowledged, ${inState('asked')} never answered or on a server that is gone, ${inState('forged')} forged`,
    `promises: ${[...book.promises.values()].reduce((sum, { given }) => sum + given, 0)} given`,
    `sessions: ${sessions.length}, of them ${sessions.filter(({ isLive }) => isLive).length} live at the end; ${nas.reduce((sum, one) => sum + one.disconnects, 0)} cut by a Disconnect`,
  ]
}

function siegeLine(siege: Siege, waits: readonly Wait[]): string {
  const both = (who: Wait['who']) => {
    const { attackMs, restMs } = siegeWaits(waits, who, siege)
    return `${seconds(attackMs)} (${seconds(restMs)} while he rested)`
  }
  return `attacker: an operator waited ${both('operator')} to sign in, a record of accounting ${both('accounting')}`
}

/** For each kind of fault how often, and how long after its end each door served again, at the worst. */
function faultLines({ stage, faults }: SeenByAll): string[] {
  const kinds = [...new Set(faults.map(({ fault }) => fault.kind))].sort()
  return kinds.map((kind) => {
    const ofKind = faults.filter(({ fault }) => fault.kind === kind)
    const recoveries = usedDoors.flatMap((name) =>
      ofKind.flatMap((fault) => {
        const recovery = recoveryFrom(fault, stage.doors[name], name, faults)
        return recovery ? [{ name, ...recovery }] : []
      }),
    )
    const longest = Math.max(...ofKind.map(({ fromMs, toMs }) => toMs - fromMs))
    const measured = slowest(recoveries.filter((one) => one.kind === 'measured'))
    const cutShort = slowest(recoveries.filter((one) => one.kind === 'cutShort'))
    return `${kind.padEnd(16)} ${String(ofKind.length).padStart(3)} times, the longest ${seconds(longest)}; doors back: ${measured}; shut until the next fault: ${cutShort}`
  })
}

function causelessLine({ stage, faults }: SeenByAll): string {
  const outages = usedDoors.flatMap((name) =>
    causelessOutages(stage.doors[name], name, faults).map(({ fromMs, toMs }) => ({ name, afterMs: toMs - fromMs })),
  )
  return `outages without a fault: ${slowest(outages)}`
}

/** `12, the slowest after 3.4 s (soap)`. */
function slowest(times: readonly { readonly name: DoorName; readonly afterMs: number }[]): string {
  const [worst] = times.toSorted((a, b) => b.afterMs - a.afterMs)
  return worst ? `${times.length}, the slowest after ${seconds(worst.afterMs)} (${worst.name})` : 'none'
}

/** Those whose users have a right to be served. */
const usedDoors = doorNames.filter((name) => name !== 'attack' && name !== 'forged packets')

/** The record of a violation in one line, cut where it is endless. */
export const recordText = (record: unknown): string =>
  JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? String(value) : value))?.slice(0, 1_500) ??
  String(record)
