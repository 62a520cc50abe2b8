import { type BinaryArrays, binaryArrays, type Column } from '../../../platform/storage/binary-arrays.ts'
import { thisNodeSql } from '../../../platform/storage/columns.ts'
import { assignments, insertInto } from '../../../platform/storage/sql.ts'
import { mayBeBeforeRebootSql } from './nas-reboots.ts'
import {
  type BegunChange,
  counterColumns,
  detailColumns,
  expressionsOf,
  type IdentifiedChange,
  identityColumns,
  nameColumns,
  type SessionColumns,
  sourceColumns,
} from './session-columns.ts'

const { nas_port, offered_ip, ...otherDetails } = detailColumns
const { nas_id, ...otherNames } = nameColumns

/** The type radius_session_given, in the order of its attributes (its four migrations). */
const givenColumns: SessionColumns<BegunChange> = {
  id: { type: 'int8', of: ({ id }) => id },
  nas_id,
  user_id: { type: 'int8', of: ({ owner }) => owner.userId },
  abonent_id: { type: 'int8', of: ({ owner }) => owner.subscriberId },
  organization_id: { type: 'int8', of: ({ owner }) => owner.organizationId },
  nas_port,
  ...counterColumns,
  started_at: { type: 'timestamptz', of: ({ change }) => change.startedAtMs },
  updated_at: { type: 'timestamptz', of: ({ change }) => change.receivedAtMs },
  ended_at: {
    type: 'timestamptz',
    of: ({ change: { endedAtMs, startedAtMs } }) => (endedAtMs === null ? null : Math.max(endedAtMs, startedAtMs)),
  },
  ...otherNames,
  start_mark: { type: 'text', cast: 'uuid', of: ({ change }) => change.start },
  ...otherDetails,
  end_reason: { type: 'text', of: ({ change }) => change.endReason },
  ...identityColumns,
  offered_ip,
  ...sourceColumns,
}

/** SQL: tells the other nodes of sessions by a row of the log of nodes (platform/nodes). */
export const toldSql = (ids: string): string =>
  `INSERT INTO node_log (kind, ids) SELECT 'sessions', array_agg(t.id) FROM (${ids}) AS t HAVING count(*) > 0`

type Sections = {
  /** There are several nodes, and this one writes sessions only that it has heard of last. */
  readonly isTold: boolean
  /** Sessions that go on or end, by the id of their row. */
  readonly moves: boolean
  /** Some of them end, or say why they will. */
  readonly ends: boolean
  /** New sessions whose owner is known in memory. */
  readonly begins: boolean
}

/**
 * The common case in one statement per group, which has only the sections that the group needs: most small groups are
 * Interim-Updates alone, and opening the indexes of a table into which nothing is written costs more than they do.
 *
 * A new session whose name was used before (a Start repeated after the end, a reboot of the NAS) conflicts with the row
 * of that name and is left to accounting-statement.ts, as is one that began before a reboot of its NAS that has been
 * stored, and a change of a row that is gone. The statement tells only
 * how many rows of sessions were written, normally all of them. Repeating it changes nothing.
 *
 * Arrays of numbers without nulls are read by index, which costs a fraction of unnest; a reason is an index into the
 * list of all reasons. The planner estimates ten rows for the one unnest, so it never scans the whole table.
 *
 * Where there are nodes, a session that another one heard of since is left to accounting-statement.ts as well.
 */
function statementOf({ isTold, moves, ends, begins }: Sections): string {
  let count = 0
  const parameter = (type: string) => `$${++count}::${type}`
  const parts: string[] = []
  if (moves) {
    const ids = parameter('int8[]')
    const changed = {
      updated_at: `greatest(s.updated_at, (${parameter('timestamptz[]')})[i])`,
      // The greater of the stored and the reported value is kept.
      ...Object.fromEntries(
        Object.keys(counterColumns).map((name) => [name, `greatest(s.${name}, (${parameter('int8[]')})[i])`]),
      ),
      ...(ends && endAssignments(parameter)),
      ...(isTold && { heard_at: 'clock_timestamp()' }),
    }
    const update = `UPDATE radius_sessions s SET ${assignments(changed)}
      FROM (SELECT k.id, k.ord::int4 AS i FROM unnest(${ids}) WITH ORDINALITY AS k(id, ord)) AS k
      WHERE s.id = k.id${isTold ? ` AND s.node = ${thisNodeSql}` : ''}`
    if (!ends && !begins) return update
    parts.push(`moved AS (${update} RETURNING ${isTold ? 's.id, s.ended_at' : '1'})`)
  }
  if (ends) {
    const over = `DELETE FROM radius_live_sessions WHERE session_id = ANY (${parameter('int8[]')})`
    parts.push(`over AS (${over}${isTold ? ' AND session_id IN (SELECT id FROM moved)' : ''})`)
  }
  if (begins)
    parts.push(
      `begun AS (
        ${insertInto('radius_sessions', {
          ...expressionsOf(givenColumns, (name, cast) => `g.${name}${cast}`),
          nas_ip: 'coalesce(g.nas_ip::inet, (SELECT n.ip FROM nas n WHERE n.id = g.nas_id))',
          ...(isTold && { heard_at: 'clock_timestamp()' }),
        })}
        FROM unnest(${parameter('radius_session_given[]')}) AS g
        WHERE NOT ${mayBeBeforeRebootSql('g.nas_id', 'g.started_at')}
        ON CONFLICT (nas_id, acct_session_id, login, generation) DO NOTHING
        RETURNING id, nas_id, ended_at
      )`,
      'living AS (INSERT INTO radius_live_sessions SELECT id, nas_id FROM begun WHERE ended_at IS NULL)',
    )
  if (isTold) {
    const told = [ends && 'SELECT id FROM moved WHERE ended_at IS NOT NULL', begins && 'SELECT id FROM begun']
    parts.push(`told AS (${toldSql(told.filter(Boolean).join(' UNION ALL '))})`)
  }
  const written = [moves && 'moved', begins && 'begun'].filter(Boolean).map((part) => `(SELECT count(*) FROM ${part})`)
  return `WITH ${parts.join(', ')} SELECT (${written.join(' + ')})::int4 AS written`
}

const endAssignments = (parameter: (type: string) => string): Record<string, string> => {
  const [end, times] = [parameter('int4[]'), parameter('timestamptz[]')]
  const [reasons, reason, cause] = [parameter('text[]'), parameter('int4[]'), parameter('int4[]')]
  return {
    ended_at: `coalesce(s.ended_at,
      CASE WHEN (${end})[i] > 0 THEN greatest((${times})[(${end})[i]], s.started_at) END)`,
    end_reason: `coalesce(s.end_reason, (${reasons})[(${reason})[i]])`,
    terminate_cause: `coalesce((${reasons})[(${cause})[i]], s.terminate_cause)`,
  }
}

const idColumn: Column<IdentifiedChange> = { type: 'int8', of: ({ id }) => id }
const receivedColumn: Column<IdentifiedChange> = { type: 'timestamptz', of: ({ change }) => change.receivedAtMs }
const endColumn: Column<IdentifiedChange> = { type: 'timestamptz', of: ({ change }) => change.endedAtMs }
const indexColumn: Column<number> = { type: 'int4', of: (value) => value }
const textColumn: Column<string> = { type: 'text', of: (value) => value }
const knownColumns = [idColumn, receivedColumn, ...Object.values(counterColumns)]
const given = Object.values(givenColumns)

/** A prepared statement; each selection of sections has a name of its own. */
export type SessionStatement = {
  readonly name: string
  readonly text: string
  readonly values: Buffer[]
  /** Whether it writes a row of the log of nodes. */
  readonly tells: boolean
}

const texts = new Map<string, string>()

/**
 * Writes both lists, of which at least one has something. The answer is `written`, the number of rows of sessions that
 * were written, or no row, and that number is what the command counted. `givenOid` is the type radius_session_given;
 * with `isTold` other nodes are told. Throws OutOfRange.
 */
export function sessionStatement(
  known: readonly IdentifiedChange[],
  begun: readonly BegunChange[],
  givenOid: number,
  isTold: boolean,
): SessionStatement {
  const moves = known.length > 0
  const begins = begun.length > 0
  const ends = known.some(({ change }) => change.endedAtMs !== null || change.terminateCause !== null)
  const sections = `${moves ? '-move' : ''}${ends ? '-end' : ''}${begins ? '-begin' : ''}`
  const name = `accounting-sessions${sections}${isTold ? '-told' : ''}`
  const text = texts.get(name) ?? statementOf({ isTold, moves, ends, begins })
  texts.set(name, text)
  const values = binaryArrays((arrays) => {
    if (moves) arrays.columns(known, knownColumns)
    if (ends) putEnds(arrays, known)
    if (begins) arrays.rows(begun, givenOid, given)
  })
  return { name, text, values, tells: isTold && (ends || begins) }
}

function putEnds(arrays: BinaryArrays, known: readonly IdentifiedChange[]): void {
  const ended = known.filter(({ change }) => change.endedAtMs !== null)
  let endsCount = 0
  const ends = known.map(({ change }) => (change.endedAtMs === null ? 0 : ++endsCount))
  const reasons = new Reasons()
  const endReasons = known.map(({ change }) => reasons.indexOf(change.endReason))
  const causes = known.map(({ change }) => reasons.indexOf(change.terminateCause))
  arrays.column(ends, indexColumn)
  arrays.column(ended, endColumn)
  arrays.column(reasons.texts, textColumn)
  arrays.column(endReasons, indexColumn)
  arrays.column(causes, indexColumn)
  arrays.column(ended, idColumn)
}

/**
 * The few reasons for which the sessions of a group ended. Array indexes of PostgreSQL begin at 1, and index 0 yields
 * NULL.
 */
class Reasons {
  readonly texts: string[] = []

  indexOf(reason: string | null): number {
    if (reason === null) return 0
    return this.texts.indexOf(reason) + 1 || this.texts.push(reason)
  }
}
