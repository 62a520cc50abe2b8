import type { VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import type { Client } from '../../../../platform/storage/sql.ts'

/** A row of the log, from whichever table it comes. */
export type Entry = {
  /** To the microsecond, in UTC; with `source` and `id` the place in the order. */
  readonly place: string
  readonly source: number
  readonly id: string
  readonly at: string
  readonly user_name: string | null
  readonly address: string | null
  /** As in the audit. Tickets and messages that the audit does not know have names of the same kind. */
  readonly table_name: string
  readonly object_id: string
  readonly action: string
  readonly diff: Readonly<Record<string, unknown>> | null
}

/** Where the next page begins: strictly after this entry in the order of the log. */
export type Place = Pick<Entry, 'place' | 'source' | 'id'>

/** Actions on older operations than these are left to the audit of the provider. */
const operationsMax = 5_000

/** SQL: the records of the subscriber $1, as the audit names them; those that are gone too. */
const objects = `
    SELECT 'ABONENTS' AS table_name, $1::int8::text AS object_id
    UNION ALL SELECT 'ABONENTS_BLOCK', $1::int8::text
    UNION ALL SELECT 'ADMIN_ACCOUNTS', account_id::text FROM abonents WHERE id = $1::int8
    UNION ALL SELECT 'USERS', id::text FROM users WHERE abonent_id = $1::int8
    UNION ALL SELECT 'USERS_USLUGA', id::text FROM users_uslugas WHERE abonent_id = $1::int8
    UNION ALL SELECT 'HDSK', id::text FROM hdsks WHERE abonent_id = $1::int8
    UNION SELECT gone.table_name, gone.object_id FROM audit_operations AS gone
      WHERE gone.table_name IN ('USERS', 'USERS_USLUGA') AND gone.action IN ('delete', 'end')
        AND coalesce(gone.diff->'abonent'->>0, gone.diff->'abonent_id'->>0, gone.diff->>'abonent_id') = $1::int8::text`

/** SQL: the operations of the account of $1, also those that were removed. */
const operations = `
    (SELECT op_id FROM finance_operations WHERE account_id = (SELECT account_id FROM abonents WHERE id = $1::int8)
      ORDER BY op_id DESC LIMIT ${operationsMax})
    UNION ALL
    (SELECT op_id FROM removed_operations WHERE account_id = (SELECT account_id FROM abonents WHERE id = $1::int8)
      LIMIT ${operationsMax})`

/** $2 holds the visible organizations, and $3 to $5 the place after which the page begins, or null. */
const after = (at: string, source: number, id: string) =>
  `($3::timestamptz IS NULL OR (${at} <= $3::timestamptz AND (${at}, ${source}, ${id}) < ($3::timestamptz, $4::int4, $5::int8)))`

/** A row of the audit of no organization concerns all who see the subscriber. */
const mayBeSeen = '($2::int8[] IS NULL OR audit.organization_id IS NULL OR audit.organization_id = ANY($2::int8[]))'

const sources = { message: 0, reply: 1, ticket: 2, audit: 3, note: 4 } as const

const auditColumns = `audit.at, ${sources.audit} AS source, audit.id, audit.user_name, audit.address, audit.table_name,
      audit.object_id, audit.action, audit.diff`

/** $6 is the number of entries; every record gives so many at most, by an index that has them in the order of time. */
const text = `SELECT to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS place, entry.source, entry.id,
    to_json(entry.at) AS at, entry.user_name, entry.address, entry.table_name, entry.object_id, entry.action, entry.diff
  FROM (
    SELECT found.* FROM (${objects}) AS object CROSS JOIN LATERAL (
      SELECT ${auditColumns} FROM audit_operations AS audit
      WHERE audit.table_name = object.table_name AND audit.object_id = object.object_id
        AND ${mayBeSeen} AND ${after('audit.at', sources.audit, 'audit.id')}
      ORDER BY audit.at DESC, audit.id DESC LIMIT $6::int4) AS found
    UNION ALL
    SELECT ${auditColumns} FROM (${operations}) AS operation JOIN audit_operations AS audit
      ON audit.object_id = operation.op_id::text
    WHERE audit.table_name = 'FINANCE_OPERATIONS' AND audit.action NOT IN ('create', 'storno')
      AND ${mayBeSeen} AND ${after('audit.at', sources.audit, 'audit.id')}
    UNION ALL
    SELECT create_date, ${sources.ticket}, id, 'client', NULL, 'HDSK', id::text, 'create',
      jsonb_build_object('subject', jsonb_build_array(NULL, subject), 'body', jsonb_build_array(NULL, body))
    FROM hdsks AS ticket WHERE abonent_id = $1::int8 AND ${after('create_date', sources.ticket, 'id')}
      AND NOT EXISTS (SELECT FROM audit_operations AS audit WHERE audit.table_name = 'HDSK'
        AND audit.object_id = ticket.id::text AND audit.action = 'create')
    UNION ALL
    SELECT reply.create_date, ${sources.reply}, reply.id, coalesce(staff.username, reply.author), NULL, 'HDSK', hdsk_id::text,
      'reply', jsonb_build_object('body', jsonb_build_array(NULL, reply.body))
    FROM hdsks AS ticket JOIN hdsk_messages AS reply ON reply.hdsk_id = ticket.id LEFT JOIN staff ON staff.id = reply.staff_id
    WHERE ticket.abonent_id = $1::int8 AND ${after('reply.create_date', sources.reply, 'reply.id')}
    UNION ALL
    SELECT note.create_date, ${sources.note}, note.id, staff.username, NULL, 'HDSK', hdsk_id::text, 'note',
      jsonb_build_object('body', jsonb_build_array(NULL, note.body))
    FROM hdsks AS ticket JOIN hdsk_notes AS note ON note.hdsk_id = ticket.id JOIN staff ON staff.id = note.staff_id
    WHERE ticket.abonent_id = $1::int8 AND ${after('note.create_date', sources.note, 'note.id')}
    UNION ALL
    SELECT created_at, ${sources.message}, id, NULL, NULL, 'NOTIFICATIONS', id::text, state,
      jsonb_build_object('text', jsonb_build_array(NULL, text), 'channel', jsonb_build_array(NULL, channel),
        'address', jsonb_build_array(NULL, address), 'error', jsonb_build_array(NULL, error))
    FROM notifications WHERE subscriber_id = $1::int8 AND ${after('created_at', sources.message, 'id')}) AS entry
  ORDER BY entry.at DESC, entry.source DESC, entry.id DESC LIMIT $6::int4`

/** The entries of a subscriber before a place, the newest first. */
export async function readEntries(
  client: Client,
  subscriber: number,
  visible: VisibleOrganizations,
  before: Place | null,
  limit: number,
): Promise<Entry[]> {
  const values = [subscriber, visible, before?.place ?? null, before?.source ?? null, before?.id ?? null, limit]
  return (await client.query<Entry>(text, values)).rows
}
