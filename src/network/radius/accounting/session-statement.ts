import { binaryArrays, type Column } from '../../../platform/storage/binary-arrays.ts'
import { assignments, insertInto } from '../../../platform/storage/sql.ts'
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

/** The counters begin at the third parameter; the greater of the stored and the reported value is kept. */
const counted = Object.fromEntries(
  Object.keys(counterColumns).map((name, at) => [name, `greatest(s.${name}, ($${at + 3}::int8[])[i])`]),
)

/**
 * The common case in one statement per group: sessions that go on or end, by the id of their row, and new sessions
 * whose owner is known in memory.
 *
 * A new session whose name was used before (a Start repeated after the end, a reboot of the NAS) conflicts with the row
 * of that name and is left to accounting-statement.ts, as is a change of a row that is gone. The statement returns only
 * how many rows of each list were written, normally all of them. Repeating it changes nothing.
 *
 * Arrays of numbers without nulls are read by index, which costs a fraction of unnest; a reason is an index into the
 * list of all reasons. The planner estimates ten rows for the one unnest, so it never scans the whole table.
 */
export const sessionStatement = `
WITH moved AS (
  UPDATE radius_sessions s SET
    updated_at = greatest(s.updated_at, ($2::timestamptz[])[i]),
    ${assignments(counted)},
    ended_at = coalesce(s.ended_at,
      CASE WHEN ($8::int4[])[i] > 0 THEN greatest(($9::timestamptz[])[($8::int4[])[i]], s.started_at) END),
    end_reason = coalesce(s.end_reason, ($10::text[])[($11::int4[])[i]]),
    terminate_cause = coalesce(($10::text[])[($12::int4[])[i]], s.terminate_cause)
  FROM (SELECT k.id, k.ord::int4 AS i FROM unnest($1::int8[]) WITH ORDINALITY AS k(id, ord)) AS k
  WHERE s.id = k.id
  RETURNING 1
), over AS (
  DELETE FROM radius_live_sessions WHERE session_id = ANY ($13::int8[])
), begun AS (
  ${insertInto('radius_sessions', {
    ...expressionsOf(givenColumns, (name, cast) => `g.${name}${cast}`),
    nas_ip: 'coalesce(g.nas_ip::inet, (SELECT n.ip FROM nas n WHERE n.id = g.nas_id))',
  })}
  FROM unnest($14::radius_session_given[]) AS g
  ON CONFLICT (nas_id, acct_session_id, login, generation) DO NOTHING
  RETURNING id, nas_id, ended_at
), living AS (
  INSERT INTO radius_live_sessions SELECT id, nas_id FROM begun WHERE ended_at IS NULL
)
SELECT (SELECT count(*) FROM moved)::int4 AS moved, (SELECT count(*) FROM begun)::int4 AS begun`

const idColumn: Column<IdentifiedChange> = { type: 'int8', of: ({ id }) => id }
const receivedColumn: Column<IdentifiedChange> = { type: 'timestamptz', of: ({ change }) => change.receivedAtMs }
const endColumn: Column<IdentifiedChange> = { type: 'timestamptz', of: ({ change }) => change.endedAtMs }
const index: Column<number> = { type: 'int4', of: (value) => value }
const text: Column<string> = { type: 'text', of: (value) => value }
const knownColumns = [idColumn, receivedColumn, ...Object.values(counterColumns)]
const given = Object.values(givenColumns)

/** The parameters, in the order of the statement. `givenOid` is the type radius_session_given. Throws OutOfRange. */
export function sessionValues(
  known: readonly IdentifiedChange[],
  begun: readonly BegunChange[],
  givenOid: number,
): Buffer[] {
  const ended = known.filter(({ change }) => change.endedAtMs !== null)
  let endsCount = 0
  const ends = known.map(({ change }) => (change.endedAtMs === null ? 0 : ++endsCount))
  const reasons = new Reasons()
  const endReasons = known.map(({ change }) => reasons.indexOf(change.endReason))
  const causes = known.map(({ change }) => reasons.indexOf(change.terminateCause))
  return binaryArrays((arrays) => {
    arrays.columns(known, knownColumns)
    arrays.column(ends, index)
    arrays.column(ended, endColumn)
    arrays.column(reasons.texts, text)
    arrays.column(endReasons, index)
    arrays.column(causes, index)
    arrays.column(ended, idColumn)
    arrays.rows(begun, givenOid, given)
  })
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
