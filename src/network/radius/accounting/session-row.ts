import type { Pool } from 'pg'
import { loginId, nasId, organizationId, subscriberId } from '../../../domain/ids.ts'
import { thisNodeSql } from '../../../platform/storage/columns.ts'
import { type CopiedFields, type CopiedRows, copiedRows } from '../../../platform/storage/copied-rows.ts'
import type { RadiusSession } from '../../../platform/storage/entities/network.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { startReadMs } from '../../../platform/storage/sql.ts'
import { gardenOf } from '../worker/session-class.ts'
import { detailsSql } from './accounting-statement.ts'
import type { NewSession } from './live-session.ts'
import { nasIdentity } from './nas-identity.ts'
import type { StoredDetails } from './stored-change.ts'

/** Columns of eight bytes, which arrive as text in the rows of a query and as numbers in copied ones. */
type Whole =
  | 'id'
  | 'nas_id'
  | 'user_id'
  | 'abonent_id'
  | 'organization_id'
  | 'nas_port'
  | 'session_time'
  | 'input_octets'
  | 'output_octets'
type Read<Row> = { [Name in keyof Row]: Name extends Whole ? Row[Name] | number | bigint : Row[Name] }

export type DetailsRow = Read<
  RowOf<
    typeof RadiusSession,
    | 'nas_ip_address'
    | 'nas_ipv6_address'
    | 'nas_identifier'
    | 'framed_ip'
    | 'offered_ip'
    | 'ipv6_prefix'
    | 'delegated_ipv6_prefix'
    | 'mac'
    | 'calling_station_id'
    | 'nas_port'
    | 'class'
    | 'input_octets'
    | 'output_octets'
  >
>

/** A row of sessionSql. */
export type SessionRow = Read<
  RowOf<
    typeof RadiusSession,
    | 'id'
    | 'nas_id'
    | 'nas_ip'
    | 'acct_session_id'
    | 'login'
    | 'user_id'
    | 'abonent_id'
    | 'organization_id'
    | 'session_time'
    | 'node'
  >
> &
  DetailsRow & { user_login: string | null; started: number; heard: number }

/** What sessionOf reads, of `s` and the owner `u`. */
export const sessionSql = `s.id, s.nas_id, host(s.nas_ip) AS nas_ip, s.acct_session_id, s.login, u.login AS user_login, s.user_id, s.abonent_id, s.organization_id,
  ${detailsSql('s')},
  extract(epoch FROM s.started_at)::float8 * 1000 AS started, extract(epoch FROM s.updated_at)::float8 * 1000 AS heard,
  s.session_time, nullif(s.node, coalesce(${thisNodeSql}, s.node)) AS node`

/** SQL: the sessions that live; a further condition may be appended. */
export const selectLive = `SELECT ${sessionSql}
FROM radius_live_sessions l JOIN radius_sessions s ON s.id = l.session_id LEFT JOIN users u ON u.id = s.user_id
WHERE s.ended_at IS NULL`

export function sessionOf(row: SessionRow): NewSession {
  return {
    id: Number(row.id),
    nasId: nasId(Number(row.nas_id)),
    nasIp: row.nas_ip ?? '',
    acctSessionId: row.acct_session_id,
    login: row.login,
    userLogin: row.user_login,
    userId: row.user_id === null ? null : loginId(Number(row.user_id)),
    subscriberId: row.abonent_id === null ? null : subscriberId(Number(row.abonent_id)),
    organizationId: row.organization_id === null ? null : organizationId(Number(row.organization_id)),
    ...detailsOf(row),
    startedAtMs: row.started,
    receivedAtMs: row.heard,
    reportedAtMs: row.heard,
    sessionTime: Number(row.session_time),
    node: row.node,
  }
}

export const detailsOf = (row: DetailsRow): StoredDetails => ({
  nasIdentity: nasIdentity(row.nas_ip_address, row.nas_ipv6_address, row.nas_identifier),
  ip: row.framed_ip,
  offeredIp: row.offered_ip,
  ipv6Prefix: row.ipv6_prefix,
  delegatedIpv6Prefix: row.delegated_ipv6_prefix,
  mac: row.mac,
  callingStationId: row.calling_station_id,
  nasPort: row.nas_port === null ? null : Number(row.nas_port),
  inGarden: gardenOf(row.class),
  inputOctets: BigInt(row.input_octets),
  outputOctets: BigInt(row.output_octets),
})

const pageRows = 5_000

/** All live sessions, page by page, in the order of their ids. */
export async function* liveSessions(pool: Pool): AsyncGenerator<CopiedRows<NewSession>> {
  for (let after: number | null = 0; after !== null; ) {
    const page: CopiedRows<NewSession> = await copiedRows(pool, pageSql(after), copiedSession, startReadMs)
    yield page
    after = page.length < pageRows ? null : page.last()!.id
  }
}

const pageSql = (after: number): string =>
  `${selectLive} AND l.session_id > ${after} ORDER BY l.session_id LIMIT ${pageRows}`

/** A row of sessionSql, its columns in their order. */
const copiedSession = (fields: CopiedFields): NewSession =>
  sessionOf({
    id: fields.int()!,
    nas_id: fields.int()!,
    nas_ip: fields.text(),
    acct_session_id: fields.text()!,
    login: fields.text()!,
    user_login: fields.text(),
    user_id: fields.int(),
    abonent_id: fields.int(),
    organization_id: fields.int(),
    nas_ip_address: fields.text(),
    nas_ipv6_address: fields.text(),
    nas_identifier: fields.text(),
    framed_ip: fields.text(),
    offered_ip: fields.text(),
    ipv6_prefix: fields.text(),
    delegated_ipv6_prefix: fields.text(),
    mac: fields.text(),
    calling_station_id: fields.text(),
    nas_port: fields.int(),
    class: fields.text(),
    input_octets: fields.bigint()!,
    output_octets: fields.bigint()!,
    started: fields.float()!,
    heard: fields.float()!,
    session_time: fields.int()!,
    node: fields.int(),
  })
