import type { Session } from '../../domain/events.ts'
import { defaultOrganization, nasId, organizationId, subscriberId } from '../../domain/ids.ts'
import type { WebhookEvent } from '../../domain/webhook-events.ts'
import type { Client } from '../../platform/storage/sql.ts'

export type SessionEvent = 'session.started' | 'session.ended'

/** As much of a session as is told. */
type ToldSession = Pick<
  Session,
  | 'login'
  | 'subscriberId'
  | 'organizationId'
  | 'nasId'
  | 'nasIp'
  | 'acctSessionId'
  | 'ip'
  | 'ipv6Prefix'
  | 'mac'
  | 'startedAt'
  | 'sessionTime'
  | 'inputOctets'
  | 'outputOctets'
  | 'endedAt'
  | 'endReason'
>

export function sessionEvent(event: SessionEvent, session: ToldSession): WebhookEvent {
  const isEnd = event === 'session.ended'
  return {
    event,
    at: ((isEnd ? session.endedAt : null) ?? session.startedAt).toISOString(),
    subscriberId: session.subscriberId,
    organizationId: session.organizationId ?? defaultOrganization,
    data: {
      login: session.login,
      nas_id: session.nasId,
      nas_ip: session.nasIp,
      acct_session_id: session.acctSessionId,
      ip: session.ip,
      ipv6_prefix: session.ipv6Prefix,
      mac: session.mac,
      started_at: session.startedAt,
      ...(isEnd && {
        ended_at: session.endedAt,
        end_reason: session.endReason,
        session_time: session.sessionTime,
        // Exact up to 2^53, nine petabytes.
        input_octets: Number(session.inputOctets),
        output_octets: Number(session.outputOctets),
      }),
    },
  }
}

const missedMax = 100_000

const columns = `session.login, abonent_id, organization_id, session.nas_id, host(nas_ip) AS nas_ip, acct_session_id,
  host(framed_ip) AS ip, ipv6_prefix::text AS ipv6_prefix, mac, started_at, session_time, input_octets, output_octets,
  session.ended_at, end_reason`

const missedText = `SELECT 'session.started' AS event, started_at AS at, ${columns} FROM radius_sessions AS session
    WHERE started_at >= $1
  UNION ALL SELECT 'session.ended', session.ended_at, ${columns} FROM radius_ended_sessions AS over
    JOIN radius_sessions AS session ON session.id = over.session_id
    WHERE over.ended_at >= $1 AND session.ended_at IS NOT NULL
  ORDER BY 2 LIMIT ${missedMax}`

type Row = {
  event: SessionEvent
  login: string
  abonent_id: string | null
  organization_id: string | null
  nas_id: string
  nas_ip: string | null
  acct_session_id: string
  ip: string | null
  ipv6_prefix: string | null
  mac: string | null
  started_at: Date
  session_time: string
  input_octets: string
  output_octets: string
  ended_at: Date | null
  end_reason: string | null
}

/** What the table tells of sessions that began or ended since a moment, in the order of these moments. */
export async function sessionEventsSince(client: Client, since: Date): Promise<WebhookEvent[]> {
  const { rows } = await client.query<Row>(missedText, [since])
  return rows.map(({ event, ...row }) =>
    sessionEvent(event, {
      login: row.login,
      subscriberId: row.abonent_id === null ? null : subscriberId(row.abonent_id),
      organizationId: row.organization_id === null ? null : organizationId(row.organization_id),
      nasId: nasId(row.nas_id),
      nasIp: row.nas_ip ?? '',
      acctSessionId: row.acct_session_id,
      ip: row.ip,
      ipv6Prefix: row.ipv6_prefix,
      mac: row.mac,
      startedAt: row.started_at,
      sessionTime: Number(row.session_time),
      inputOctets: BigInt(row.input_octets),
      outputOctets: BigInt(row.output_octets),
      endedAt: row.ended_at,
      endReason: row.end_reason,
    }),
  )
}
