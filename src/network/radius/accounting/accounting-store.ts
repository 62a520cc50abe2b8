import type { Pool } from 'pg'
import { ahead } from '../../../platform/storage/ahead.ts'
import { thisNodeSql } from '../../../platform/storage/columns.ts'
import { takenIdsSql } from '../../../platform/storage/reserved-ids.ts'
import { limited } from '../../../platform/storage/sql.ts'
import { accountingStatement, accountingValues } from './accounting-statement.ts'
import { markOf, type RebootScope } from './heard-nas.ts'
import { mayBeSameNasSql } from './nas-identity.ts'
import { endsWithSql, keepRebootSql } from './nas-reboots.ts'
import type { NasReboot } from './session-changes.ts'
import type { BegunChange, IdentifiedChange, JudgedChange } from './session-columns.ts'
import { type DetailsRow, detailsOf, liveSessions, type SessionRow, selectLive, sessionOf } from './session-row.ts'
import { sessionStatement } from './session-statement.ts'
import { endReasons, futureFrom, isOwnSql } from './session-terms.ts'
import type { LiveSession, NewSession } from './live-session.ts'
import type { SessionTable } from './session-table.ts'
import type { Late, StoredChange, StoredId } from './stored-change.ts'

type ResultRow = DetailsRow & {
  index: number
  id: string
  added: boolean
  live: boolean
  started: number
  end_reason: string | null
  user_id: string | null
  abonent_id: string | null
  organization_id: string | null
  user_login: string | null
  /** All four are null unless the session had ended and has grown. */
  late_id: string | null
  known_input: string | null
  known_output: string | null
  known_heard: number | null
}

export type StoreTerms = { readonly reads?: Pool; readonly limitMs?: number; readonly told?: (() => void) | null }

/** The sessions in the database. Every method rejects when the database is unavailable or too slow. */
export class AccountingStore {
  readonly #pool: Pool
  /** Where the sessions are read that memory begins with: the same database, or a standby. */
  readonly #reads: Pool
  readonly #limitMs: number
  readonly #told: (() => void) | null
  /** How many sessions have been written since the start. */
  #begun = 0
  readonly #judging: { readonly name: string; readonly text: string }
  /** The OID of the type radius_session_given, which differs between databases. */
  #givenOid: number | null = null

  /**
   * A statement that takes longer than `limitMs` counts as failed, because the NAS does not wait longer either. `told`
   * is called after a commit of which other nodes are to hear; null: there are none.
   */
  constructor(pool: Pool, { reads = pool, limitMs = 3000, told = null }: StoreTerms = {}) {
    this.#pool = pool
    this.#reads = reads
    this.#limitMs = limitMs
    this.#told = told
    this.#judging = { name: 'accounting', text: accountingStatement(told !== null) }
  }

  /**
   * Commits both lists at once and returns the ids that were not written: rows of `known` that are gone, and sessions
   * of `begun` whose name another row already has. Of `known` a row that another node has heard of since counts as
   * gone.
   */
  async write(known: readonly IdentifiedChange[], begun: readonly BegunChange[]): Promise<ReadonlySet<number>> {
    this.#givenOid ??= await this.#findGiven()
    const { tells, ...statement } = sessionStatement(known, begun, this.#givenOid, this.#told !== null)
    const { rows, rowCount } = await this.#pool.query<{ written: number }>(this.#limited(statement))
    if (tells) this.#told?.()
    this.#begun += begun.length
    const written = rows.length > 0 ? rows[0]!.written : rowCount
    if (written === known.length + begun.length) return nothing
    return await this.#missing([...known, ...begun].map(({ id }) => id))
  }

  /** Reserves ids for new rows. */
  async takeIds(count: number): Promise<number[]> {
    const text = `SELECT array_agg(id)::text AS ids FROM ${takenIdsSql('radius_sessions_id_seq', '$1')}`
    const { rows } = await this.#pool.query<{ ids: string }>(
      this.#limited({ name: 'accounting-ids', text, values: [count] }),
    )
    return rows[0]!.ids.slice(1, -1).split(',').map(Number)
  }

  /**
   * Commits changes of sessions whose row is not known and returns what became of them. A change that becomes a row
   * gets its `id`.
   */
  async judge(unknown: readonly JudgedChange[]): Promise<StoredChange[]> {
    const values = accountingValues(unknown)
    const { rows } = await this.#pool.query<ResultRow>(this.#limited({ ...this.#judging, values }))
    this.#told?.()
    return rows.map((row) => ({
      index: row.index,
      id: Number(row.id),
      added: row.added,
      live: row.live,
      startedAtMs: row.started,
      endReason: row.end_reason,
      userId: idOrNull(row.user_id),
      subscriberId: idOrNull(row.abonent_id),
      organizationId: idOrNull(row.organization_id),
      userLogin: row.user_login,
      details: row.added ? null : detailsOf(row),
      late: lateOf(row),
    }))
  }

  async #missing(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const isOurs = this.#told ? ` AND node = ${thisNodeSql}` : ''
    const text = `SELECT array_agg(id)::text AS ids FROM radius_sessions WHERE id = ANY ($1::int8[])${isOurs}`
    const { rows } = await this.#pool.query<{ ids: string | null }>(
      this.#limited({ name: 'accounting-found', text, values: [ids] }),
    )
    const missing = new Set(ids)
    for (const id of rows[0]?.ids?.slice(1, -1).split(',') ?? []) missing.delete(Number(id))
    return missing
  }

  /**
   * A named statement is planned once, for tables as large as they are then, and a plan that reads the whole of a small
   * table would be kept when it has grown. So each time four times as many sessions have begun it has another name.
   */
  #limited<Query extends { readonly name: string }>(query: Query, limitMs = this.#limitMs): Query {
    const growth = Math.floor(Math.log2(1 + this.#begun) / 2)
    return limited({ ...query, name: `${query.name}-${growth}` }, limitMs)
  }

  async #findGiven(): Promise<number> {
    const { rows } = await this.#pool.query<{ oid: number }>(`SELECT 'radius_session_given'::regtype::oid AS oid`)
    return Number(rows[0]!.oid)
  }

  /**
   * Ends the sessions that a NAS had before its Accounting-On or -Off, within the scope. A session that began after it
   * lives: the packet may come from a spool, and the NAS may have gone to another node meanwhile. A session that begins
   * in the future (of the reception, where this node heard of it last) began by a clock that has been set back since,
   * so it ends as well, but as lost. The moment is kept for records that are stored later and happened before it.
   * False: another node has stored the same packet before, and nothing ends.
   */
  async endSessionsOfNas(reboot: NasReboot, { isOneNas, source }: RebootScope, nowMs: number): Promise<boolean> {
    const isOfFuture = `s.started_at > ${this.#told ? futureAmongNodes('s') : future}`
    const text = `WITH ${this.#told ? earlierReboot : ''}over AS (
        UPDATE radius_sessions s SET ended_at = greatest(s.started_at, to_timestamp($2::float8 / 1000)),
          end_reason = CASE WHEN ${isOfFuture} THEN $5 ELSE $4 END
        FROM radius_live_sessions l, (VALUES ($6::text, $7::text, $8::text)) AS n(nas_ip_address, nas_ipv6_address, nas_identifier)
        WHERE l.nas_id = $1 AND s.id = l.session_id AND s.ended_at IS NULL
          AND ${endsWithSql('$9::bool', 's', 'n')}
          AND ($10::text IS NULL OR s.nas_ip = $10::inet)
          AND (s.started_at <= to_timestamp($2::float8 / 1000) OR ${isOfFuture})${this.#told ? ' AND NOT EXISTS (SELECT FROM earlier)' : ''}
        RETURNING s.id
      ), kept AS (${this.#told ? keptUnlessRepeated : kept})${this.#told ? `${toldReboot}, gone AS (${goneSql}) SELECT EXISTS (SELECT FROM earlier) AS "isRepeated"` : ` ${goneSql}`}`
    const { nasId: nas, atMs } = reboot
    const { ipAddress, ipv6Address, identifier } = reboot.nasIdentity
    const reasons = [endReasons.nasReboot, endReasons.lostCarrier]
    const values: unknown[] = [
      nas,
      atMs,
      futureFrom(nowMs),
      ...reasons,
      ipAddress,
      ipv6Address,
      identifier,
      isOneNas,
      source,
    ]
    if (this.#told) values.push(markOf(reboot), futureFrom(reboot.receivedAtMs))
    const query = this.#limited({ name: 'accounting-reboot', text, values }, this.#limitMs * 10)
    const { rows } = await this.#pool.query<{ isRepeated: boolean }>(query)
    this.#told?.()
    return rows[0]?.isRepeated !== true
  }

  /** The live rows of sessions that have provisional ids in memory. */
  async findLive(sessions: readonly LiveSession[]): Promise<ReadonlyMap<LiveSession, StoredId>> {
    const found = new Map<LiveSession, StoredId>()
    if (sessions.length === 0) return found
    const text = `SELECT k.ord::int4 - 1 AS index, s.id, s.user_id, s.abonent_id, s.organization_id, u.login AS user_login,
        extract(epoch FROM s.started_at)::float8 * 1000 AS started
      FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
        AS k(nas_id, acct_session_id, login, nas_ip_address, nas_ipv6_address, nas_identifier, ord)
      JOIN radius_sessions s ON s.nas_id = k.nas_id AND s.acct_session_id = k.acct_session_id AND s.login = k.login
        AND ${mayBeSameNasSql('s', 'k')}
      LEFT JOIN users u ON u.id = s.user_id
      WHERE s.ended_at IS NULL`
    const values = [
      sessions.map(({ nasId: nas }) => nas),
      sessions.map(({ acctSessionId }) => acctSessionId),
      sessions.map(({ login }) => login),
      sessions.map(({ nasIdentity: { ipAddress } }) => ipAddress),
      sessions.map(({ nasIdentity: { ipv6Address } }) => ipv6Address),
      sessions.map(({ nasIdentity: { identifier } }) => identifier),
    ]
    const { rows } = await this.#pool.query<ResultRow>(text, values)
    for (const row of rows)
      found.set(sessions[row.index]!, {
        id: Number(row.id),
        userId: idOrNull(row.user_id),
        subscriberId: idOrNull(row.abonent_id),
        organizationId: idOrNull(row.organization_id),
        userLogin: row.user_login,
        startedAtMs: row.started,
      })
    return found
  }

  /** Loads the sessions with these ids that live. */
  async loadLive(ids: readonly number[]): Promise<NewSession[]> {
    const text = `${selectLive} AND s.id = ANY ($1::int8[]) ORDER BY s.id`
    const { rows } = await this.#pool.query<SessionRow>(text, [ids])
    return rows.map(sessionOf)
  }

  /**
   * When the last session of each login and address (`<login id> <ip>`) that began after `since` began; both in epoch
   * seconds.
   */
  async beganSince(since: number): Promise<ReadonlyMap<string, number>> {
    const text = `SELECT s.user_id || ' ' || host(coalesce(s.framed_ip, s.offered_ip)) AS name,
        extract(epoch FROM max(s.started_at))::float8 AS began
      FROM radius_sessions s
      WHERE s.started_at > to_timestamp($1) AND s.user_id IS NOT NULL AND coalesce(s.framed_ip, s.offered_ip) IS NOT NULL
      GROUP BY 1`
    const { rows } = await this.#reads.query<{ name: string; began: number }>(text, [since])
    return new Map(rows.map(({ name, began }) => [name, began]))
  }

  /** The last session of each of these logins, where it had an address. */
  async lastSessionsOf(logins: readonly { loginId: number; subscriberId: number }[]): Promise<LastSession[]> {
    const text = `SELECT l.user_id, host(coalesce(s.framed_ip, s.offered_ip)) AS ip, s.calling_station_id,
        extract(epoch FROM coalesce(s.ended_at, s.updated_at))::float8 AS ended
      FROM unnest($1::int8[], $2::int8[]) AS l(user_id, abonent_id)
      CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT * FROM radius_sessions r WHERE r.abonent_id = l.abonent_id ORDER BY r.started_at DESC LIMIT ${lookedBack}
        ) r WHERE r.user_id = l.user_id ORDER BY r.started_at DESC LIMIT 1
      ) s
      WHERE coalesce(s.framed_ip, s.offered_ip) IS NOT NULL`
    const values = [logins.map(({ loginId: login }) => login), logins.map(({ subscriberId: subscriber }) => subscriber)]
    const { rows } = await this.#reads.query<LastRow>(this.#limited({ name: 'accounting-last', text, values }))
    return rows.map((row) => ({
      loginId: Number(row.user_id),
      ip: row.ip,
      callingStationId: row.calling_station_id,
      endedAt: row.ended,
    }))
  }

  /** Loads every live session into the table in memory and calls `each` for it. */
  async loadInto(sessions: SessionTable, each: (slot: number) => void): Promise<void> {
    for await (const page of ahead(liveSessions(this.#reads))) for (const session of page) each(sessions.add(session))
  }
}

const future = 'to_timestamp($3::float8 / 1000)'
const futureAmongNodes = (row: string) =>
  `CASE WHEN ${isOwnSql(row)} THEN to_timestamp($12::float8 / 1000) ELSE ${future} END`
const goneSql = 'DELETE FROM radius_live_sessions l USING over o WHERE l.session_id = o.id'
const keptWhere = (futureFrom: string, where: string) =>
  keepRebootSql({
    nas_id: '$1::int8',
    nas_ip_address: '$6::text',
    nas_ipv6_address: '$7::text',
    nas_identifier: '$8::text',
    is_one_nas: '$9::bool',
    nas_ip: '$10::text::inet',
    at: 'to_timestamp($2::float8 / 1000)',
    futureFrom,
    where,
  })
const kept = keptWhere(future, '')
const keptUnlessRepeated = keptWhere(futureAmongNodes('nas_reboots'), 'WHERE NOT EXISTS (SELECT FROM earlier)')
/** SQL: the same packet has been stored by another node, as this one may have stood still; the note is a RebootMark. */
const earlierReboot = `earlier AS (SELECT FROM node_log WHERE kind = 'sessions' AND note = $11::jsonb LIMIT 1), `
const toldReboot = `, told AS (INSERT INTO node_log (kind, ids, note)
        SELECT 'sessions', coalesce(array_agg(o.id), '{}'), $11::jsonb FROM over o)`

/** `endedAt` in epoch seconds. */
export type LastSession = { loginId: number; ip: string; callingStationId: string | null; endedAt: number }
type LastRow = { user_id: string; ip: string; calling_station_id: string | null; ended: number }

/** A subscriber may have many logins with very many sessions, so only this many of the last ones are searched. */
const lookedBack = 100

const nothing: ReadonlySet<number> = new Set()

/** By how much the row has grown since it was known; null: not at all. */
const lateOf = (row: ResultRow): Late | null =>
  row.late_id === null
    ? null
    : {
        id: Number(row.late_id),
        sessionId: Number(row.id),
        fromMs: row.known_heard!,
        input: BigInt(row.input_octets) - BigInt(row.known_input!),
        output: BigInt(row.output_octets) - BigInt(row.known_output!),
      }

const idOrNull = (value: string | null): number | null => (value === null ? null : Number(value))
