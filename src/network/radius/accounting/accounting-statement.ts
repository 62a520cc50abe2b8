import { defaultOrganization } from '../../../domain/ids.ts'
import { normalMac } from '../../../domain/mac.ts'
import { binaryArrays, unnested } from '../../../platform/storage/binary-arrays.ts'
import { thisNodeSql } from '../../../platform/storage/columns.ts'
import { assignments, insertInto } from '../../../platform/storage/sql.ts'
import { classPrefix } from '../worker/session-class.ts'
import { mayBeSameNasSql } from './nas-identity.ts'
import { rebootedSinceSql } from './nas-reboots.ts'
import {
  counterColumns,
  detailColumns,
  expressionsOf,
  identityColumns,
  type JudgedChange,
  nameColumns,
  type SessionColumns,
  sourceColumns,
} from './session-columns.ts'
import { toldSql } from './session-statement.ts'
import { endReasons, futureFrom, futureOfSql, isOwnSql, presumedEnds, sessionTerms } from './session-terms.ts'

/** A change as the statement takes it; times are milliseconds since 1970. */
const arrivedColumns: SessionColumns<JudgedChange> = {
  new_id: { type: 'int8', of: ({ id }) => id },
  ...nameColumns,
  ...identityColumns,
  live_id: { type: 'int8', of: ({ liveId }) => liveId },
  drained: { type: 'bool', of: ({ isDrained }) => isDrained },
  owner_id: { type: 'int8', of: ({ ownerId }) => ownerId },
  ...sourceColumns,
  login_mac: { type: 'text', cast: 'macaddr', of: ({ change }) => normalMac(change.login) },
  mark: { type: 'text', cast: 'uuid', of: ({ change }) => change.start },
  at: { type: 'float8', of: ({ change }) => change.atMs },
  heard: { type: 'float8', of: ({ change }) => change.receivedAtMs },
  started: { type: 'float8', of: ({ change }) => change.startedAtMs },
  ended: { type: 'float8', of: ({ change }) => change.endedAtMs },
  end_reason: { type: 'text', of: ({ change }) => change.endReason },
  delayed: { type: 'bool', of: ({ change }) => change.delayed },
  stopped: { type: 'bool', of: ({ change }) => change.stopped },
  creates: { type: 'bool', of: ({ change }) => change.creates },
  silent_since: { type: 'float8', of: ({ change }) => change.silentSinceMs },
  future: { type: 'float8', of: ({ nowMs }) => futureFrom(nowMs) },
  ...counterColumns,
  ...detailColumns,
}

const arrived = Object.values(arrivedColumns)
const values = Object.values(expressionsOf(arrivedColumns, (name, cast) => `a.${name}${cast} AS ${name}`))

/**
 * Presumed end reasons as an SQL list. A Stop with such a cause also sets terminate_cause, which distinguishes the two.
 */
const presumed = presumedEnds.map((reason) => `'${reason}'`).join(', ')

/** What a session is made of in memory again, of a row with the columns of RADIUS_SESSIONS. */
export const detailsSql = (row: string): string =>
  `${row}.nas_ip_address, ${row}.nas_ipv6_address, ${row}.nas_identifier, host(${row}.framed_ip) AS framed_ip,
  host(${row}.offered_ip) AS offered_ip,
  ${row}.ipv6_prefix::text AS ipv6_prefix, ${row}.delegated_ipv6_prefix::text AS delegated_ipv6_prefix, ${row}.mac, ${row}.calling_station_id, ${row}.nas_port, ${row}.class,
  ${row}.input_octets, ${row}.output_octets`

/** When any node heard of the session last, by the clock of the database where there are nodes. */
export const lastHeardSql = (row: string): string => `coalesce(${row}.heard_at, ${row}.updated_at)`

/** A number of milliseconds has not all digits of a time. It is asked of the row as it is when it is locked. */
const isStillSilentSql = `(j.silent_since IS NULL
    OR ${lastHeardSql('s')} < to_timestamp(j.silent_since / 1000) + interval '1 ms')`

const sameName = (row: string): string =>
  `s.nas_id = ${row}.nas_id AND s.acct_session_id = ${row}.acct_session_id AND s.login = ${row}.login`

/** The Class attribute that we hand out with a sign-in names that one alone. */
const sameSignIn = (row: string): string => `a.class LIKE '${classPrefix}%' AND ${row}.class = a.class`

/** The Stop that ended it has been stored before, and the answer to that was lost. */
const isSameStop = `a.stopped AND k.terminate_cause = a.terminate_cause
        AND ${Object.keys(counterColumns)
          .map((name) => `k.${name} = a.${name}`)
          .join(' AND ')}`

const rounding = `interval '${sessionTerms.roundingMs} ms'`
const sameStart = `interval '${sessionTerms.sameStartMs} ms'`
const beforeStart = `interval '${sessionTerms.beforeStartMs} ms'`

/** An ending of ours (`heard` 0) was heard by nobody. */
const movedSql = `,
    node = CASE WHEN j.heard > 0 THEN ${thisNodeSql} ELSE s.node END,
    heard_at = CASE WHEN j.heard > 0 THEN clock_timestamp() ELSE s.heard_at END`

/** This node counts from there already: that was kept last. */
const isOpenSql = `coalesce((SELECT NOT l.is_end FROM traffic_late l
      WHERE l.session_id = t.id AND l.node = t.node ORDER BY l.id DESC LIMIT 1), false)`

/**
 * A Start from before the name was used again, at another node. The other packets of that earlier session are late too.
 */
const ofEarlierLife = `WHEN NOT ${isOwnSql('k')} AND k.ended_at IS NULL AND k.start_mark IS NOT NULL
        AND k.started_at > a.began_at + ${beforeStart} AND k.started_at <= a.future_from THEN 'stale'
      `

/** How far the node before counts it. */
const leftSql = `, left_to AS (
  INSERT INTO traffic_late (session_id, user_id, input, output, at, node, is_end)
  SELECT t.id, t.user_id, t.known_input, t.known_output, t.known_heard_at, t.known_node, true
  FROM touched t WHERE t.known_node <> t.node AND t.user_id IS NOT NULL
)`

/**
 * Changes of sessions whose row is not known in memory, judged and written in one statement per batch. Most changes go
 * through session-statement.ts instead.
 *
 * A session's name (NAS record, Acct-Session-Id, User-Name) may be used again after a reboot of the NAS, and by
 * several NAS behind one proxy, so a row also has a generation. Rows whose packets name another NAS are left out; all
 * that follows is about one NAS. A packet belongs to the generation that had begun when it happened. A Start belongs
 * to the one that began with the same bytes, or with other bytes at about the same time (a retransmission with another
 * Acct-Delay-Time), or at whatever time with the Class of the same sign-in (RFC 2865 section 5.25), unless the NAS
 * has reported an end before. Any other Start after the end, or long after the start, begins a new generation, unless
 * the Start is delayed and nothing but a Start has been received of the live one. Repeating a batch changes nothing:
 * counters take the greater value, and an end stays. What a session was before it grew after its end, or without being
 * known in memory, is kept in traffic_late, of what is drained once. A session whose beginning, or what was thought to
 * be its end, lies in the future shows that our clock has been set back since; a packet still belongs to that session,
 * which lives. What was merely received before a session of another node may have waited in the spool. The end of a
 * silent session that has been heard of since it was judged is left out and has no row in the answer. A new generation
 * of which all that is known happened before its NAS started anew has ended with that.
 *
 * Where there are nodes (`isTold`), a packet moves its session to the node that received it. What the node before has
 * counted, and this one has not, is kept in traffic_late for both, and the others are told of every session that was
 * touched: ordinary reports do not come here.
 */
export const accountingStatement = (isTold: boolean): string => `
WITH arrived AS MATERIALIZED (
  SELECT a.ord, ${values.join(', ')},
    to_timestamp(a.at / 1000) AS happened_at, to_timestamp(a.heard / 1000) AS heard_at,
    to_timestamp(a.started / 1000) AS began_at, to_timestamp(a.ended / 1000) AS finished_at, to_timestamp(a.future / 1000) AS future_from
  FROM ${unnested(arrivedColumns)} WITH ORDINALITY AS a(${Object.keys(arrivedColumns).join(', ')}, ord)
), judged AS MATERIALIZED (
  SELECT a.*, k.id AS known_id, k.top, k.ended_at AS known_ended_at,
    k.input_octets AS known_input, k.output_octets AS known_output, k.updated_at AS known_heard_at,${isTold ? ' k.node AS known_node,' : ''}
    a.mark IS NULL AND a.finished_at IS NULL AND k.generation = k.top AND k.end_reason IN (${presumed})
      AND k.terminate_cause IS NULL
      AND (a.happened_at > k.ended_at OR k.ended_at > a.future_from) AS revives,
    CASE
      WHEN k.id IS NULL THEN 'new'
      WHEN a.mark IS NULL THEN CASE
        WHEN k.started_at > a.happened_at + ${beforeStart} AND NOT (a.heard > 0 AND k.started_at > ${isTold ? futureOfSql('a', 'k') : 'a.future_from'}) THEN 'stale'
        ELSE 'same' END
      WHEN k.start_mark = a.mark THEN 'same'
      WHEN ${sameSignIn('k')} AND (k.terminate_cause IS NULL OR ${isSameStop}) THEN 'same'
      ${isTold ? ofEarlierLife : ''}WHEN k.start_mark IS NULL AND (k.ended_at IS NULL OR a.began_at <= k.ended_at + ${rounding}) THEN 'same'
      WHEN k.ended_at IS NULL AND (a.began_at <= k.started_at + ${sameStart} OR a.delayed AND k.session_time = 0) THEN 'same'
      WHEN k.ended_at IS NOT NULL AND a.began_at < k.ended_at + CASE WHEN a.delayed THEN ${rounding} ELSE interval '0' END THEN 'same'
      ELSE 'new'
    END AS verdict
  FROM arrived a LEFT JOIN LATERAL (
    SELECT g.*, max(g.generation) OVER () AS top
    FROM (
      SELECT s.id, s.generation, s.started_at, s.ended_at, s.end_reason, s.terminate_cause, s.start_mark, s.session_time,
        s.class, s.input_octets, s.output_octets, s.input_packets, s.output_packets, s.updated_at${isTold ? ', s.node' : ''} FROM radius_sessions s
      WHERE ${sameName('a')} AND ${mayBeSameNasSql('s', 'a')}
      ORDER BY s.generation DESC LIMIT 4
    ) g
    ORDER BY
      CASE WHEN a.mark IS NULL THEN (g.started_at <= a.happened_at)::int4
        WHEN g.start_mark = a.mark THEN 2 WHEN ${sameSignIn('g')} THEN 1 ELSE 0 END DESC,
      CASE WHEN a.mark IS NULL THEN abs(extract(epoch FROM a.happened_at - g.started_at)) ELSE -g.generation END
    LIMIT 1
  ) k ON true
), touched AS (
  UPDATE radius_sessions s SET
    updated_at = greatest(s.updated_at, j.heard_at),
    ${assignments(expressionsOf(counterColumns, (name) => `greatest(s.${name}, j.${name})`))},
    ${assignments(expressionsOf({ ...detailColumns, ...identityColumns, ...sourceColumns }, (name) => `coalesce(j.${name}, s.${name})`))},
    started_at = CASE WHEN j.mark IS NOT NULL AND s.start_mark IS NULL THEN least(j.began_at, s.ended_at) ELSE s.started_at END,
    start_mark = coalesce(s.start_mark, j.mark),
    ended_at = CASE
      WHEN j.finished_at IS NOT NULL AND (s.ended_at IS NULL OR j.stopped AND s.end_reason IN (${presumed}))
      THEN greatest(j.finished_at, s.started_at) WHEN j.revives THEN NULL ELSE s.ended_at END,
    end_reason = CASE
      WHEN j.finished_at IS NOT NULL AND (s.ended_at IS NULL OR j.stopped AND s.end_reason IN (${presumed}))
      THEN j.end_reason WHEN j.revives THEN NULL ELSE s.end_reason END${isTold ? movedSql : ''}
  FROM judged j WHERE j.verdict = 'same' AND s.id = j.known_id AND ${isStillSilentSql}
  RETURNING j.ord, j.live_id, j.drained, j.known_ended_at, j.known_input, j.known_output, j.known_heard_at,${isTold ? ' j.known_node,' : ''} s.*
), late AS (
  INSERT INTO traffic_late (session_id, user_id, input, output, at${isTold ? ', is_taken' : ''})
  SELECT t.id, t.user_id, t.known_input, t.known_output, t.known_heard_at${isTold ? ', t.known_node IS DISTINCT FROM t.node' : ''} FROM touched t
  WHERE (t.known_ended_at IS NOT NULL OR t.id IS DISTINCT FROM t.live_id${isTold ? ' OR t.known_node IS DISTINCT FROM t.node' : ''}) AND t.user_id IS NOT NULL
    AND (t.ended_at IS NULL OR t.input_octets > t.known_input OR t.output_octets > t.known_output)
    AND NOT (t.drained AND ${isTold ? isOpenSql : 'EXISTS (SELECT FROM traffic_late l WHERE l.session_id = t.id)'})
  RETURNING id, session_id
)${isTold ? leftSql : ''}, superseded AS (
  UPDATE radius_sessions s SET ended_at = greatest(j.began_at, s.started_at), end_reason = '${endReasons.replaced}'
  FROM judged j WHERE j.verdict = 'new' AND j.creates AND s.id = j.known_id AND j.known_ended_at IS NULL
  RETURNING s.id
), owned AS MATERIALIZED (
  SELECT j.*, coalesce(j.nas_ip, n.ip) AS source, u.id AS user_id, u.login AS user_login,
    u.abonent_id, CASE WHEN b.id IS NOT NULL THEN coalesce(b.organization_id, ${defaultOrganization}) END AS organization_id,
    coalesce(j.finished_at, r.at) AS over_at,
    CASE WHEN j.finished_at IS NULL AND r.at IS NOT NULL THEN '${endReasons.nasReboot}' ELSE j.end_reason END AS over_reason
  FROM judged j
  LEFT JOIN nas n ON n.id = j.nas_id
  LEFT JOIN LATERAL (
    SELECT o.id, o.login, o.abonent_id FROM users o WHERE o.id = j.owner_id
    UNION ALL
    SELECT o.id, o.login, o.abonent_id FROM users o WHERE o.login = j.login
    UNION ALL
    (SELECT o.id, o.login, o.abonent_id FROM users o WHERE j.login_mac IS NOT NULL AND o.mac = j.login_mac ORDER BY o.id LIMIT 1)
    LIMIT 1
  ) u ON true
  LEFT JOIN abonents b ON b.id = u.abonent_id
  LEFT JOIN LATERAL (${rebootedSinceSql('j', 'coalesce(j.nas_ip, n.ip)')}) r ON true
  WHERE j.verdict = 'new' AND j.creates
), added AS (
  ${insertInto('radius_sessions', {
    id: 'o.new_id',
    ...expressionsOf(
      { ...nameColumns, ...identityColumns, ...detailColumns, ...counterColumns },
      (name) => `o.${name}`,
    ),
    generation: `coalesce((SELECT max(s.generation) + 1 FROM radius_sessions s WHERE ${sameName('o')}), 0)`,
    start_mark: 'o.mark',
    user_id: 'o.user_id',
    abonent_id: 'o.abonent_id',
    organization_id: 'o.organization_id',
    nas_ip: 'o.source',
    started_at: 'o.began_at',
    updated_at: 'o.heard_at',
    ended_at: 'CASE WHEN o.over_at IS NOT NULL THEN greatest(o.over_at, o.began_at) END',
    end_reason: 'o.over_reason',
    ...(isTold && { heard_at: 'clock_timestamp()' }),
  })}
  FROM owned o
), over AS (
  DELETE FROM radius_live_sessions l
  USING (SELECT id FROM touched WHERE ended_at IS NOT NULL UNION ALL SELECT id FROM superseded) e WHERE l.session_id = e.id
), living AS (
  INSERT INTO radius_live_sessions
  SELECT t.id, t.nas_id FROM touched t WHERE t.ended_at IS NULL
  UNION ALL
  SELECT o.new_id, o.nas_id FROM owned o WHERE o.over_at IS NULL
  ON CONFLICT (session_id) DO NOTHING
)${isTold ? `, told AS (${toldSql('SELECT id FROM touched UNION ALL SELECT id FROM superseded UNION ALL SELECT new_id FROM owned')})` : ''}
SELECT t.ord::int4 - 1 AS index, t.id, false AS added, t.ended_at IS NULL AS live, extract(epoch FROM t.started_at)::float8 * 1000 AS started,
  t.end_reason, t.user_id, t.abonent_id, t.organization_id, (SELECT u.login FROM users u WHERE u.id = t.user_id) AS user_login,
  ${detailsSql('t')}, l.id AS late_id, t.known_input, t.known_output, extract(epoch FROM t.known_heard_at)::float8 * 1000 AS known_heard
FROM touched t LEFT JOIN late l ON l.session_id = t.id
UNION ALL
SELECT o.ord::int4 - 1, o.new_id, true, o.over_at IS NULL, o.started, o.over_reason, o.user_id, o.abonent_id, o.organization_id, o.user_login,
  ${detailsSql('o')}, NULL, NULL, NULL, NULL
FROM owned o`

/** The parameters in the order of the statement. Throws OutOfRange when a value does not fit its column. */
export const accountingValues = (changes: readonly JudgedChange[]): Buffer[] =>
  binaryArrays((arrays) => arrays.columns(changes, arrived))
