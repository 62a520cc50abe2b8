import { BinaryArray, oids } from './binary-arrays.ts'
import type { SessionChange } from './session-changes.ts'
import type { LoginOwner } from './session-mirror.ts'

/** A change of a session whose row is known to be live. */
export type KnownChange = { id: number; change: SessionChange }

/** The first word about a session whose login is known, with the id its row is to have. */
export type BegunChange = { id: number; change: SessionChange; owner: LoginOwner }

/**
 * The usual in one statement a group: sessions that go on or end, by the id of their row, and sessions that begin, whose owner memory knows.
 *
 * A name that was used before (a Start repeated after the end, a reboot of the NAS) is a row of its name already, so it conflicts and
 * is left to accounting-statement.ts, as is a row that is gone. Answers only how many were written of each list: normally all.
 * Repeating it changes nothing.
 *
 * Arrays of numbers without nulls are read by index, which costs a fraction of unnest; a reason is an index of the list of all of them.
 * The one unnest tells the planner of ten rows, so that it never reads the whole table.
 */
export const sessionStatement = `
WITH moved AS (
  UPDATE radius_sessions s SET
    updated_at = greatest(s.updated_at, ($2::timestamptz[])[i]),
    session_time = greatest(s.session_time, ($3::int8[])[i]),
    input_octets = greatest(s.input_octets, ($4::int8[])[i]),
    output_octets = greatest(s.output_octets, ($5::int8[])[i]),
    input_packets = greatest(s.input_packets, ($6::int8[])[i]),
    output_packets = greatest(s.output_packets, ($7::int8[])[i]),
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
  INSERT INTO radius_sessions (id, nas_id, acct_session_id, login, start_mark, user_id, abonent_id, organization_id, nas_ip,
    framed_ip, ipv6_prefix, delegated_ipv6_prefix, mac, calling_station_id, called_station_id, nas_port, nas_port_id, class,
    started_at, updated_at, session_time, input_octets, output_octets, input_packets, output_packets, terminate_cause, ended_at, end_reason)
  SELECT g.id, g.nas_id, g.acct_session_id, g.login, g.start_mark::uuid, g.user_id, g.abonent_id, g.organization_id,
    (SELECT n.ip FROM nas n WHERE n.id = g.nas_id), g.framed_ip::inet, g.ipv6_prefix::cidr, g.delegated_ipv6_prefix::cidr, g.mac,
    g.calling_station_id, g.called_station_id, g.nas_port, g.nas_port_id, g.class, g.started_at, g.updated_at, g.session_time,
    g.input_octets, g.output_octets, g.input_packets, g.output_packets, g.terminate_cause, g.ended_at, g.end_reason
  FROM unnest($14::radius_session_given[]) AS g
  ON CONFLICT (nas_id, acct_session_id, login, generation) DO NOTHING
  RETURNING id, nas_id, ended_at
), living AS (
  INSERT INTO radius_live_sessions SELECT id, nas_id FROM begun WHERE ended_at IS NULL
)
SELECT (SELECT count(*) FROM moved)::int4 AS moved, (SELECT count(*) FROM begun)::int4 AS begun`

/** The parameters, in the order of the statement. `givenOid` is the type radius_session_given. */
export function sessionValues(
  known: readonly KnownChange[],
  begun: readonly BegunChange[],
  givenOid: number,
): Buffer[] {
  const ids = new BinaryArray(oids.int8)
  const heard = new BinaryArray(oids.timestamptz)
  const times = new BinaryArray(oids.int8)
  const input = new BinaryArray(oids.int8)
  const output = new BinaryArray(oids.int8)
  const inputPackets = new BinaryArray(oids.int8)
  const outputPackets = new BinaryArray(oids.int8)
  const ends = new BinaryArray(oids.int4)
  const endedAt = new BinaryArray(oids.timestamptz)
  const reasons = new Reasons()
  const endReasons = new BinaryArray(oids.int4)
  const causes = new BinaryArray(oids.int4)
  const over = new BinaryArray(oids.int8)
  let endsCount = 0
  for (const { id, change } of known) {
    ids.addInt8(id)
    heard.addMoment(change.heardAtMs)
    times.addInt8(change.sessionTime)
    input.addInt8(change.inputOctets)
    output.addInt8(change.outputOctets)
    inputPackets.addInt8(change.inputPackets)
    outputPackets.addInt8(change.outputPackets)
    endReasons.addInt4(reasons.indexOf(change.endReason))
    causes.addInt4(reasons.indexOf(change.terminateCause))
    if (change.endedAtMs === null) ends.addInt4(0)
    else {
      ends.addInt4(++endsCount)
      endedAt.addMoment(change.endedAtMs)
      over.addInt8(id)
    }
  }
  const given = new BinaryArray(givenOid)
  for (const one of begun) addGiven(given, one)
  return [
    ...[ids, heard, times, input, output, inputPackets, outputPackets, ends, endedAt].map((array) => array.finish()),
    reasons.finish(),
    ...[endReasons, causes, over, given].map((array) => array.finish()),
  ]
}

/** In the order of the type's columns. */
function addGiven(given: BinaryArray, { id, change, owner }: BegunChange): void {
  given.beginRow()
  given.columnInt8(id)
  given.columnInt8(change.nasId)
  given.columnInt8(owner.userId)
  given.columnInt8(owner.subscriberId)
  given.columnInt8(owner.organizationId)
  given.columnInt8(change.nasPort)
  given.columnInt8(change.sessionTime)
  given.columnInt8(change.inputOctets)
  given.columnInt8(change.outputOctets)
  given.columnInt8(change.inputPackets)
  given.columnInt8(change.outputPackets)
  given.columnMoment(change.startedAtMs)
  given.columnMoment(change.heardAtMs)
  given.columnMoment(change.endedAtMs === null ? null : Math.max(change.endedAtMs, change.startedAtMs))
  given.columnText(change.acctSessionId)
  given.columnText(change.login)
  given.columnText(change.start)
  given.columnText(change.ip)
  given.columnText(change.ipv6Prefix)
  given.columnText(change.delegatedIpv6Prefix)
  given.columnText(change.mac)
  given.columnText(change.callingStationId)
  given.columnText(change.calledStationId)
  given.columnText(change.nasPortId)
  given.columnText(change.className)
  given.columnText(change.terminateCause)
  given.columnText(change.endReason)
  given.endRow()
}

/** The few texts that tell why sessions of a group ended; indexes of PostgreSQL begin at one, and outside of them is NULL. */
class Reasons {
  readonly #array = new BinaryArray(oids.text)
  readonly #known = new Map<string, number>()

  indexOf(reason: string | null): number {
    if (reason === null) return 0
    const known = this.#known.get(reason)
    if (known !== undefined) return known
    this.#array.addText(reason)
    this.#known.set(reason, this.#known.size + 1)
    return this.#known.size
  }

  finish(): Buffer {
    return this.#array.finish()
  }
}
