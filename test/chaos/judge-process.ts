import type { LogLine } from '../support/program.ts'
import type { Violation } from './book.ts'

export type Memory = { rss: number; heapUsed: number; external: number; arrayBuffers: number }

const mib = 2 ** 20
/** Caches and tables that grow with what was done, and are bounded; the heap's own fragmentation. */
const heapSlack = { share: 1.3, more: 24 * mib }
const rssSlack = { share: 1.25, more: 48 * mib }

/**
 * Both were taken of the same process right after its garbage was collected: one warm and under load, one when all was
 * over.
 */
export function judgeLeak(warm: Memory, end: Memory): Violation[] {
  const used = ({ heapUsed, external }: Memory) => heapUsed + external
  const grown = (before: number, after: number, slack: typeof heapSlack) => after > before * slack.share + slack.more
  return [
    ...(grown(used(warm), used(end), heapSlack) ? [{ what: 'the heap has grown', record: { warm, end } }] : []),
    ...(grown(warm.rss, end.rss, rssSlack) ? [{ what: 'the process has grown', record: { warm, end } }] : []),
  ]
}

/** Errors that say what was done to the program, by the fault that brings them about. */
const expected: readonly (readonly [fault: string, message: RegExp])[] = [
  ['diskFull', /^Accounting can be kept nowhere/],
  ['diskFull', /^The accounting spool could not take back/],
]

/** An error in the log, and whatever is no line of the log, such as the stack of a thread that died. */
export function judgeLog(lines: readonly LogLine[], faults: ReadonlySet<string>): Violation[] {
  const isExpected = ({ message }: LogLine) =>
    expected.some(([fault, words]) => faults.has(fault) && words.test(message))
  return lines
    .filter((line) => (line.level === 'error' && !isExpected(line)) || (line.level === 'raw' && !isNodeWarning(line)))
    .map((record) => ({ what: 'an error in the log', record }))
}

const isNodeWarning = ({ message }: LogLine): boolean =>
  /^\(node:\d+\) ExperimentalWarning|^\(Use `node --trace-warnings/.test(message)

/** Nothing is left to be done. */
export function judgeRest(rest: {
  readonly outbox: readonly unknown[]
  readonly spool: readonly string[]
  readonly unanswered: number
}): Violation[] {
  return [
    ...(rest.outbox.length > 0 ? [{ what: 'the outbox is not empty', record: rest.outbox }] : []),
    ...(rest.spool.length > 0 ? [{ what: 'the spool is not empty', record: rest.spool }] : []),
    ...(rest.unanswered > 0 ? [{ what: 'accounting records were never answered', record: rest.unanswered }] : []),
  ]
}
