import { count } from '../../billing/importing/progress.ts'
import { printable } from '../../platform/log.ts'
import { differenceKinds, type DifferenceKind, notCompared } from './comparison.ts'
import { leftOut, type Seen } from './exchange.ts'
import type { Example, Kind, Tally } from './tally.ts'

const order = Object.keys(differenceKinds) as DifferenceKind[]
const strangersMax = 20

/** The report in lines: the sums first, then the differences, then what could not be compared. */
export function* reportLines(tally: Tally, seen: Seen): Generator<string> {
  const { firstMs, lastMs } = tally
  const span = firstMs === null || lastMs === null ? '' : `, ${moment(firstMs)} to ${moment(lastMs)} UTC`
  yield `${count(tally.requests)} Access-Requests${span}`
  yield `  ${count(tally.same)} would be answered as they were there`
  yield `  ${count(tally.differing)} would be answered otherwise`
  yield `  ${count(tally.requests - tally.compared)} could not be compared`
  if (tally.passwordsUnseen > 0)
    yield `Of ${count(tally.passwordsUnseen)} that were compared the password is not known; it was taken to be right.`
  if (tally.byOrder > 0) yield `Of ${count(tally.byOrder)} only the order within a second tells which answer is theirs.`
  for (const kind of tally.kinds(order)) yield* kindLines(kind)
  const left = [...tally.left].map(([reason, number]) => [notCompared[reason], number] as const)
  yield* reasons('Not compared', left)
  yield* strangers(tally)
  yield* reasons(
    'Left out',
    [...seen.leftOut].map(([reason, number]) => [leftOut[reason], number] as const),
  )
  if (seen.repeated > 0) yield `${count(seen.repeated)} repetitions of requests and answers.`
  if (seen.others > 0) yield `${count(seen.others)} packets that are no sign-ins.`
}

/** The same for programs. */
export const reportObject = (tally: Tally, seen: Seen) => ({
  from: isoMoment(tally.firstMs),
  to: isoMoment(tally.lastMs),
  requests: tally.requests,
  same: tally.same,
  differing: tally.differing,
  passwords_unknown: tally.passwordsUnseen,
  by_order: tally.byOrder,
  differences: tally.kinds(order).map(({ kind, detail, count: number, examples }) => ({
    kind,
    detail,
    count: number,
    examples: examples.map(({ atMs, login, nas, there, here, isByOrder }) => ({
      at: isoMoment(atMs),
      ...{ login, nas, there, here, by_order: isByOrder },
    })),
  })),
  not_compared: Object.fromEntries([...tally.left].map(([reason, number]) => [snake(reason), number])),
  unknown_nas: sorted(tally.unknownNas).map(([address, number]) => ({ address, count: number })),
  left_out: Object.fromEntries([...seen.leftOut].map(([reason, number]) => [snake(reason), number])),
  repeated: seen.repeated,
  others: seen.others,
})

function* kindLines({ kind, detail, count: number, examples }: Kind): Generator<string> {
  const about = detail === '' ? '' : kind === 'attribute' ? ` ${printed(detail)}` : `: ${printed(detail)}`
  yield ''
  yield `${count(number)} ${differenceKinds[kind]}${about}`
  for (const example of examples) yield `  ${exampleLine(example)}`
  if (number > examples.length) yield `  and ${count(number - examples.length)} more`
}

function exampleLine({ atMs, login, nas, there, here, isByOrder }: Example): string {
  const remark = isByOrder ? ' (matched by order)' : ''
  return `${moment(atMs)} ${printed(login)} at ${printed(nas)}: there ${printed(there)}; here ${printed(here)}${remark}`
}

function* strangers({ unknownNas, moreUnknownNas }: Tally): Generator<string> {
  if (unknownNas.size === 0) return
  const list = sorted(unknownNas)
  yield ''
  yield 'NAS that are not known here, or switched off'
  for (const [address, number] of list.slice(0, strangersMax)) yield `  ${address}: ${count(number)}`
  const more = list.length - strangersMax
  if (more > 0 || moreUnknownNas > 0) yield `  and ${count(Math.max(0, more))} more`
}

function* reasons(title: string, list: readonly (readonly [string, number])[]): Generator<string> {
  if (list.length === 0) return
  yield ''
  yield title
  for (const [reason, number] of list.toSorted(([, a], [, b]) => b - a)) yield `  ${count(number)} ${reason}`
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([, a], [, b]) => b - a)

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A text from outside in one line, without anything that a terminal could interpret. */
const printed = (text: string): string => printable(text).replaceAll('\n', '\\n')

export const isoMoment = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString())
const moment = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
