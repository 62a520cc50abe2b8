import type { Session } from '../../../domain/events.ts'

/** A session as programs and the office are shown it, by the names of the System API (contract section 5). */
export const sessionItem = (session: Session) => ({
  id: Number(session.id),
  login: session.login,
  abonent_id: session.subscriberId,
  nas_id: session.nasId,
  nas_ip: session.nasIp,
  acct_session_id: session.acctSessionId,
  ip: session.ip,
  ipv6_prefix: session.ipv6Prefix,
  mac: session.mac,
  started_at: session.startedAt,
  updated_at: session.updatedAt,
  session_time: session.sessionTime,
  input_octets: session.inputOctets,
  output_octets: session.outputOctets,
  ended_at: session.endedAt,
  end_reason: session.endReason,
})

/** A row of RADIUS_SESSIONS in that form. */
export const storedItemSql = (row: string): string =>
  `${row}.id, ${row}.login, ${row}.abonent_id, ${row}.nas_id, host(${row}.nas_ip) AS nas_ip, ${row}.acct_session_id,
  host(${row}.framed_ip) AS ip, ${row}.ipv6_prefix::text, ${row}.mac, ${row}.started_at, ${row}.updated_at, ${row}.session_time,
  ${row}.input_octets, ${row}.output_octets, ${row}.ended_at, ${row}.end_reason`

const numbers = ['id', 'abonent_id', 'nas_id', 'session_time', 'input_octets', 'output_octets'] as const

/** What a pool hands out of storedItemSql; numbers come as texts. */
export type StoredItem = Readonly<Record<(typeof numbers)[number], string | null>> & Readonly<Record<string, unknown>>

export function storedItem(row: StoredItem): Record<string, unknown> {
  const read = numbers.map((name) => [name, row[name] === null ? null : BigInt(row[name])])
  return { ...row, ...Object.fromEntries(read) }
}
