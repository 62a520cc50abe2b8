import type { StaffId } from '../../domain/ids.ts'
import { currentTicketStates } from '../../domain/ticket.ts'
import { type VisibleOrganizations, visibleSql } from '../../platform/staff/visible-organizations.ts'
import { among } from '../../platform/storage/columns.ts'
import type { Client } from '../../platform/storage/sql.ts'

/** SQL over `ticket`: it is not closed. The index hdsks_current is of the same words. */
export const isCurrentSql = among('ticket.status', currentTicketStates)

/**
 * SQL over `ticket`: it waits for somebody to read it. The last word is that of the client, and the staff user of the
 * parameter has not read it.
 */
export const isUnreadSql = (staff: `$${number}`): string => `(${isCurrentSql} AND ticket.last_author = 'client'
  AND ticket.last_message_id > coalesce((SELECT message_id FROM hdsk_reads WHERE hdsk_id = ticket.id AND staff_id = ${staff}), 0))`

/** Tickets that are not closed: all of them, those of one staff user, and those that this user has not read. */
export type TicketCounts = { readonly open: number; readonly mine: number; readonly unread: number }

export async function readTicketCounts(
  sql: Client,
  staff: StaffId,
  visible: VisibleOrganizations,
): Promise<TicketCounts> {
  const join = visible === null ? '' : 'JOIN abonents AS client ON client.id = ticket.abonent_id'
  const isVisible = visible === null ? '' : `AND ${visibleSql('client.organization_id', '$2')}`
  const { rows } = await sql.query<TicketCounts>(
    `SELECT count(*)::int4 AS open, count(*) FILTER (WHERE ticket.assignee_id = $1)::int4 AS mine,
        count(*) FILTER (WHERE ${isUnreadSql('$1')})::int4 AS unread
      FROM hdsks AS ticket ${join} WHERE ${isCurrentSql} ${isVisible}`,
    visible === null ? [staff] : [staff, visible],
  )
  return rows[0]!
}
