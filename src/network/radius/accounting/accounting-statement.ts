import { defaultOrganization } from '../../../domain/ids.ts'
import { normalMac } from '../../../domain/mac.ts'
import { numbers, texts } from './array-literals.ts'
import { endReasons, type SessionChange } from './session-changes.ts'

/**
 * Ends we may have only concluded. Those give way to the NAS's own word: a Stop has its time and cause, an Interim-Update means that
 * the session lives. A Stop of that cause leaves its name as terminate_cause.
 */
const guesses = `'${endReasons.lostCarrier}', '${endReasons.replaced}'`

/**
 * What is told of sessions whose row is not known, judged and written in one statement a batch. The usual goes by session-statement.ts.
 *
 * A session's name (NAS, Acct-Session-Id, User-Name) may be used again after a reboot of the NAS, so a row also has a generation.
 * A packet belongs to the generation that had begun when it happened. A Start belongs to the one that began with the same bytes,
 * or with other bytes at about the same time (a retransmission with another Acct-Delay-Time); a Start after the end, or long after
 * the start, begins a new one, unless it says that it is late and of the one that lives nothing but a Start was heard. Repeating any
 * batch changes nothing: counters take the greater value, an end stays. A packet heard before its session began shows that our clock
 * was set back since; it is about that session all the same.
 */
export const accountingStatement = `
WITH arrived AS MATERIALIZED (
  SELECT a.*, to_timestamp(a.at / 1000) AS happened_at, to_timestamp(a.heard / 1000) AS heard_at,
    to_timestamp(a.started / 1000) AS began_at, to_timestamp(a.ended / 1000) AS finished_at
  FROM unnest($1::int8[], $2::text[], $3::text[], $4::macaddr[], $5::uuid[], $6::float8[], $7::float8[], $8::float8[], $9::float8[],
      $10::text[], $11::text[], $12::bool[], $13::bool[], $14::int8[], $15::int8[], $16::int8[], $17::int8[], $18::int8[],
      $19::inet[], $20::cidr[], $21::cidr[], $22::text[], $23::text[], $24::text[], $25::int8[], $26::text[], $27::text[], $28::bool[], $29::int8[])
    WITH ORDINALITY
    AS a(nas_id, acct_session_id, login, login_mac, mark, at, heard, started, ended, end_reason, terminate_cause, stopped, creates,
      session_time, input_octets, output_octets, input_packets, output_packets, framed_ip, ipv6_prefix, delegated_ipv6_prefix,
      mac, calling_station_id, called_station_id, nas_port, nas_port_id, class, delayed, new_id, ord)
), judged AS MATERIALIZED (
  SELECT a.*, k.id AS known_id, k.top, k.ended_at AS known_ended_at,
    a.mark IS NULL AND a.finished_at IS NULL AND k.generation = k.top AND k.end_reason IN (${guesses})
      AND k.terminate_cause IS NULL
      AND (a.happened_at > k.ended_at OR a.heard_at < k.started_at) AS revives,
    CASE
      WHEN k.id IS NULL THEN 'new'
      WHEN a.mark IS NULL THEN CASE
        WHEN k.started_at > a.happened_at + interval '60 s' AND NOT (a.heard > 0 AND a.heard_at < k.started_at) THEN 'stale' ELSE 'same' END
      WHEN k.start_mark = a.mark THEN 'same'
      WHEN k.start_mark IS NULL AND (k.ended_at IS NULL OR a.began_at <= k.ended_at + interval '2 s') THEN 'same'
      WHEN k.ended_at IS NULL AND (a.began_at <= k.started_at + interval '30 s' OR a.delayed AND k.session_time = 0) THEN 'same'
      WHEN k.ended_at IS NOT NULL AND a.began_at < k.ended_at + CASE WHEN a.delayed THEN interval '2 s' ELSE interval '0' END THEN 'same'
      ELSE 'new'
    END AS verdict
  FROM arrived a LEFT JOIN LATERAL (
    SELECT g.*, max(g.generation) OVER () AS top
    FROM (
      SELECT s.id, s.generation, s.started_at, s.ended_at, s.end_reason, s.terminate_cause, s.start_mark, s.session_time FROM radius_sessions s
      WHERE s.nas_id = a.nas_id AND s.acct_session_id = a.acct_session_id AND s.login = a.login
      ORDER BY s.generation DESC LIMIT 4
    ) g
    ORDER BY
      CASE WHEN a.mark IS NULL THEN g.started_at <= a.happened_at ELSE g.start_mark IS NOT DISTINCT FROM a.mark END DESC,
      CASE WHEN a.mark IS NULL THEN abs(extract(epoch FROM a.happened_at - g.started_at)) ELSE -g.generation END
    LIMIT 1
  ) k ON true
), touched AS (
  UPDATE radius_sessions s SET
    updated_at = greatest(s.updated_at, j.heard_at),
    session_time = greatest(s.session_time, j.session_time),
    input_octets = greatest(s.input_octets, j.input_octets),
    output_octets = greatest(s.output_octets, j.output_octets),
    input_packets = greatest(s.input_packets, j.input_packets),
    output_packets = greatest(s.output_packets, j.output_packets),
    started_at = CASE WHEN j.mark IS NOT NULL AND s.start_mark IS NULL THEN least(j.began_at, s.ended_at) ELSE s.started_at END,
    start_mark = coalesce(s.start_mark, j.mark),
    framed_ip = coalesce(j.framed_ip, s.framed_ip),
    ipv6_prefix = coalesce(j.ipv6_prefix, s.ipv6_prefix),
    delegated_ipv6_prefix = coalesce(j.delegated_ipv6_prefix, s.delegated_ipv6_prefix),
    mac = coalesce(j.mac, s.mac),
    calling_station_id = coalesce(j.calling_station_id, s.calling_station_id),
    called_station_id = coalesce(j.called_station_id, s.called_station_id),
    nas_port = coalesce(j.nas_port, s.nas_port),
    nas_port_id = coalesce(j.nas_port_id, s.nas_port_id),
    class = coalesce(j.class, s.class),
    terminate_cause = coalesce(j.terminate_cause, s.terminate_cause),
    ended_at = CASE
      WHEN j.finished_at IS NOT NULL AND (s.ended_at IS NULL OR j.stopped AND s.end_reason IN (${guesses}))
      THEN greatest(j.finished_at, s.started_at) WHEN j.revives THEN NULL ELSE s.ended_at END,
    end_reason = CASE
      WHEN j.finished_at IS NOT NULL AND (s.ended_at IS NULL OR j.stopped AND s.end_reason IN (${guesses}))
      THEN j.end_reason WHEN j.revives THEN NULL ELSE s.end_reason END
  FROM judged j WHERE j.verdict = 'same' AND s.id = j.known_id
  RETURNING j.ord, s.id, s.nas_id, s.ended_at, s.end_reason, s.started_at, s.user_id, s.abonent_id, s.organization_id
), superseded AS (
  UPDATE radius_sessions s SET ended_at = greatest(j.began_at, s.started_at), end_reason = '${endReasons.replaced}'
  FROM judged j WHERE j.verdict = 'new' AND j.creates AND s.id = j.known_id AND j.known_ended_at IS NULL
  RETURNING s.id
), owned AS MATERIALIZED (
  SELECT j.*, n.ip AS nas_ip, u.id AS user_id, u.login AS user_login,
    u.abonent_id, CASE WHEN b.id IS NOT NULL THEN coalesce(b.organization_id, ${defaultOrganization}) END AS organization_id
  FROM judged j
  LEFT JOIN nas n ON n.id = j.nas_id
  LEFT JOIN LATERAL (
    SELECT o.id, o.login, o.abonent_id FROM users o WHERE o.login = j.login
    UNION ALL
    (SELECT o.id, o.login, o.abonent_id FROM users o WHERE j.login_mac IS NOT NULL AND o.mac = j.login_mac ORDER BY o.id LIMIT 1)
    LIMIT 1
  ) u ON true
  LEFT JOIN abonents b ON b.id = u.abonent_id
  WHERE j.verdict = 'new' AND j.creates
), added AS (
  INSERT INTO radius_sessions (id, nas_id, acct_session_id, login, generation, start_mark, user_id, abonent_id, organization_id, nas_ip,
    framed_ip, ipv6_prefix, delegated_ipv6_prefix, mac, calling_station_id, called_station_id, nas_port, nas_port_id, class,
    started_at, updated_at, session_time, input_octets, output_octets, input_packets, output_packets, terminate_cause, ended_at, end_reason)
  SELECT o.new_id, o.nas_id, o.acct_session_id, o.login, coalesce(o.top + 1, 0), o.mark, o.user_id, o.abonent_id, o.organization_id, o.nas_ip,
    o.framed_ip, o.ipv6_prefix, o.delegated_ipv6_prefix, o.mac, o.calling_station_id, o.called_station_id, o.nas_port, o.nas_port_id, o.class,
    o.began_at, o.heard_at, o.session_time, o.input_octets, o.output_octets, o.input_packets, o.output_packets, o.terminate_cause,
    CASE WHEN o.finished_at IS NOT NULL THEN greatest(o.finished_at, o.began_at) END, o.end_reason
  FROM owned o
), over AS (
  DELETE FROM radius_live_sessions l
  USING (SELECT id FROM touched WHERE ended_at IS NOT NULL UNION ALL SELECT id FROM superseded) e WHERE l.session_id = e.id
), living AS (
  INSERT INTO radius_live_sessions
  SELECT t.id, t.nas_id FROM touched t WHERE t.ended_at IS NULL
  UNION ALL
  SELECT o.new_id, o.nas_id FROM owned o WHERE o.finished_at IS NULL
  ON CONFLICT (session_id) DO NOTHING
)
SELECT t.ord::int4 - 1 AS index, t.id, false AS added, t.ended_at IS NULL AS live, extract(epoch FROM t.started_at)::float8 * 1000 AS started,
  t.end_reason, t.user_id, t.abonent_id, t.organization_id, (SELECT u.login FROM users u WHERE u.id = t.user_id) AS user_login
FROM touched t
UNION ALL
SELECT o.ord::int4 - 1, o.new_id, true, o.finished_at IS NULL, o.started, o.end_reason, o.user_id, o.abonent_id, o.organization_id, o.user_login
FROM owned o`

/** The parameters, in the order of the statement; an id for each change that may become a row. */
export function accountingValues(changes: readonly SessionChange[], ids: readonly number[]): string[] {
  const of = <V>(pick: (change: SessionChange) => V) => changes.map(pick)
  return [
    numbers(of((c) => c.nasId)),
    texts(of((c) => c.acctSessionId)),
    texts(of((c) => c.login)),
    texts(of((c) => normalMac(c.login))),
    texts(of((c) => c.start)),
    numbers(of((c) => c.atMs)),
    numbers(of((c) => c.heardAtMs)),
    numbers(of((c) => c.startedAtMs)),
    numbers(of((c) => c.endedAtMs)),
    texts(of((c) => c.endReason)),
    texts(of((c) => c.terminateCause)),
    numbers(of((c) => c.stopped)),
    numbers(of((c) => c.creates)),
    numbers(of((c) => c.sessionTime)),
    numbers(of((c) => c.inputOctets)),
    numbers(of((c) => c.outputOctets)),
    numbers(of((c) => c.inputPackets)),
    numbers(of((c) => c.outputPackets)),
    texts(of((c) => c.ip)),
    texts(of((c) => c.ipv6Prefix)),
    texts(of((c) => c.delegatedIpv6Prefix)),
    texts(of((c) => c.mac)),
    texts(of((c) => c.callingStationId)),
    texts(of((c) => c.calledStationId)),
    numbers(of((c) => c.nasPort)),
    texts(of((c) => c.nasPortId)),
    texts(of((c) => c.className)),
    numbers(of((c) => c.delayed)),
    numbers(ids),
  ]
}
