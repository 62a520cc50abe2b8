import type { Violation } from './book.ts'
import type { AccessAnswer } from './end.ts'
import { type Loss, mayRecordBeLost } from './losses.ts'
import type { NasSession } from './nas.ts'
import type { LineRow, SessionRow } from './tables.ts'

type Name = { readonly nasIp: string; readonly sessionId: string; readonly login: string }
const nameOf = ({ nasIp, sessionId, login }: Name): string => `${nasIp} ${sessionId} ${login}`

/** What was acknowledged of it last may be on a server that is gone, and not on its standby. */
const isDoubtful = ({ heard }: NasSession, losses: readonly Loss[]): boolean =>
  heard.length > 0 && mayRecordBeLost(heard.at(-1)!, losses)

/** The table of sessions against the lists of the NAS, when all records are answered. */
export function judgeSessions(
  sessions: readonly NasSession[],
  rows: readonly SessionRow[],
  losses: readonly Loss[] = [],
): Violation[] {
  const violations: Violation[] = []
  const found = new Map<string, SessionRow[]>()
  for (const row of rows) found.set(nameOf(row), [...(found.get(nameOf(row)) ?? []), row])
  for (const session of sessions) {
    const own = found.get(nameOf(session)) ?? []
    found.delete(nameOf(session))
    const record = { session, rows: own }
    const [row] = own
    if (own.length > 1) violations.push({ what: 'a session is there twice', record })
    else if (row) for (const what of faultsOf(session, row, losses)) violations.push({ what, record })
    else if (session.acknowledged && (session.isLive || !isDoubtful(session, losses)))
      violations.push({ what: 'an acknowledged session is lost', record })
  }
  for (const rest of found.values()) violations.push({ what: 'a session that no NAS had', record: rest })
  return violations
}

function faultsOf(session: NasSession, row: SessionRow, losses: readonly Loss[]): string[] {
  const { acknowledged, counters, isLive, isForgotten } = session
  // Its last records may be lost, and its NAS repeats none that was acknowledged.
  if (!isLive && isDoubtful(session, losses)) return []
  const least = acknowledged ?? { seconds: 0, input: 0n, output: 0n }
  // Of a forgotten session the last record may have been stored without an answer that was heard.
  const most = isForgotten ? counters : least
  const isCounted =
    row.seconds >= least.seconds &&
    row.input >= least.input &&
    row.output >= least.output &&
    row.seconds <= most.seconds &&
    row.input <= most.input &&
    row.output <= most.output
  return [
    ...(isCounted ? [] : ['the counters of a session are not the acknowledged ones']),
    ...(isLive && !row.isOpen ? ['a session that lives at its NAS has ended here'] : []),
    ...(!isLive && row.isOpen ? ['a session that has ended at its NAS is open here'] : []),
  ]
}

/** The live sessions in memory are those of the table. */
export function judgeMemory(live: readonly Name[], rows: readonly SessionRow[]): Violation[] {
  const open = new Set(rows.filter(({ isOpen }) => isOpen).map(nameOf))
  const known = new Set(live.map(nameOf))
  return [
    ...[...known].filter((name) => !open.has(name)).map((name) => ({ what: 'a session in memory only', record: name })),
    ...[...open]
      .filter((name) => !known.has(name))
      .map((name) => ({ what: 'a session in the table only', record: name })),
    ...(known.size < live.length ? [{ what: 'a session is in memory twice', record: live }] : []),
  ]
}

/** Who is blocked is nowhere; `live` are the sessions of NAS that hear Disconnects. */
export function judgeBlocked(live: readonly NasSession[], lines: readonly LineRow[]): Violation[] {
  const closed = new Set(lines.filter(({ enabled }) => !enabled).map(({ login }) => login))
  return live
    .filter(({ login }) => closed.has(login))
    .map((record) => ({ what: 'a blocked line has a live session', record }))
}

/** The operator's last word holds; null where nobody answered to it. */
export function judgeOperator(words: ReadonlyMap<number, boolean | null>, lines: readonly LineRow[]): Violation[] {
  return lines
    .filter(({ subscriber, operatorBlock }) => (words.get(subscriber) ?? operatorBlock) !== operatorBlock)
    .map((record) => ({ what: 'the block of an operator is not as the operator left it', record }))
}

/** RADIUS lets in whom the tables let in. */
export function judgeAccess(answers: ReadonlyMap<string, AccessAnswer>, lines: readonly LineRow[]): Violation[] {
  return lines.flatMap((line) => {
    const answer = answers.get(line.login)
    const expected = line.enabled ? 'accepted' : 'rejected'
    return answer?.right === expected && answer.wrong === 'rejected'
      ? []
      : [{ what: 'RADIUS decides otherwise than the tables', record: { line, answer } }]
  })
}
