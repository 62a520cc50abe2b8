import type { PoolClient } from 'pg'
import { isCurrentSql, isUnreadSql } from '../../../../billing/clients/ticket-inbox.ts'
import { readTicket, ticketTerms } from '../../../../billing/clients/tickets.ts'
import type { Author } from '../../../../domain/author.ts'
import { type StaffId, subscriberId } from '../../../../domain/ids.ts'
import type { TicketState } from '../../../../domain/ticket.ts'
import { isVisible, type VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import { type Diff, writeAudit } from '../../../../platform/storage/audit.ts'

/** Whose ticket it is. */
export type TicketOwner = { readonly id: number; readonly abonentId: number; readonly organizationId: number | null }

/** Null: there is no such ticket, or its subscriber is of an organization that the caller does not see. */
export async function findTicket(
  client: PoolClient,
  id: number | null,
  visible: VisibleOrganizations,
): Promise<TicketOwner | null> {
  const { rows } = await client.query<{ abonent_id: string; organization_id: string | null }>(
    `SELECT abonent_id, organization_id FROM hdsks JOIN abonents ON abonents.id = abonent_id WHERE hdsks.id = $1::int8`,
    [id],
  )
  const [row] = rows
  if (id === null || !row) return null
  const organizationId = row.organization_id === null ? null : Number(row.organization_id)
  return isVisible(visible, organizationId) ? { id, abonentId: Number(row.abonent_id), organizationId } : null
}

/**
 * A ticket as a thread: what was written first, then every message, which of the staff wrote it, and what the staff has
 * noted for itself.
 */
export async function readThread(client: PoolClient, { id, abonentId }: TicketOwner, reader: StaffId) {
  const ticket = await readTicket(client, subscriberId(abonentId), id, { opens: false })
  if (!ticket) return null
  const around = await client.query<{ around: object }>(aroundSql, [id, reader])
  const { rows } = await client.query<{ id: string; username: string }>(
    `SELECT message.id, staff.username FROM hdsk_messages AS message JOIN staff ON staff.id = message.staff_id
      WHERE message.hdsk_id = $1::int8 ORDER BY message.id DESC LIMIT ${ticketTerms.messagesShown}`,
    [id],
  )
  const authors = new Map(rows.map((row) => [Number(row.id), row.username]))
  const { subject, status, create_date } = ticket
  const messages = ticket.messages.map((message) => ({ ...message, staff: authors.get(message.id) ?? null }))
  return { id, abonent_id: abonentId, subject, status, create_date, ...around.rows[0]!.around, messages }
}

/** Whose ticket it is, who works on it, whether $2 has read it, and what else the house has. */
const aroundSql = `SELECT json_build_object('name', client.name, 'contract_number', client.contract_number,
    'phone', client.sms, 'address', client.address, 'home_id', client.home_id,
    'others_of_home', (SELECT count(*)::int4 FROM abonents AS neighbour JOIN hdsks AS ticket ON ticket.abonent_id = neighbour.id
      WHERE neighbour.home_id = client.home_id AND neighbour.organization_id IS NOT DISTINCT FROM client.organization_id
        AND ticket.id <> this.id AND ${isCurrentSql}),
    'assignee_id', this.assignee_id, 'assignee', (SELECT username FROM staff WHERE id = this.assignee_id),
    'last_message_id', this.last_message_id,
    'unread', coalesce((SELECT ${isUnreadSql('$2')} FROM hdsks AS ticket WHERE ticket.id = this.id), false),
    'notes', (SELECT coalesce(json_agg(json_build_object('id', note.id, 'staff', note.username, 'body', note.body,
        'create_date', note.create_date) ORDER BY note.id), '[]'::json)
      FROM (SELECT note.id, staff.username, note.body, note.create_date FROM hdsk_notes AS note
        JOIN staff ON staff.id = note.staff_id WHERE note.hdsk_id = this.id
        ORDER BY note.id DESC LIMIT ${ticketTerms.messagesShown}) AS note)) AS around
  FROM hdsks AS this JOIN abonents AS client ON client.id = this.abonent_id WHERE this.id = $1::int8`

type Writer = { readonly author: Author; readonly staff: StaffId }

/** Opens a ticket in the name of the office, and returns its id. */
export async function openTicketOf(
  client: PoolClient,
  { abonentId, organizationId }: Omit<TicketOwner, 'id'>,
  { subject, body }: { readonly subject: string; readonly body: string },
  { author }: Writer,
): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    'INSERT INTO hdsks (abonent_id, subject, body) VALUES ($1, $2, $3) RETURNING id',
    [abonentId, subject, body],
  )
  const id = Number(rows[0]!.id)
  const diff: Diff = { abonent: [null, abonentId], subject: [null, subject], body: [null, body] }
  await writeAudit(client, { author, table: 'HDSK', id: String(id), action: 'create', diff, organizationId })
  return id
}

export type TicketChange = {
  /** An answer and a note for the staff; empty: none. */
  readonly body: string
  readonly note: string
  readonly status: TicketState | null
  /** Whose it becomes; null: nobody's, undefined: it stays whose it is. */
  readonly assignee: { readonly id: StaffId; readonly name: string } | null | undefined
}

/**
 * Writes an answer and a note, and changes the state and whose the ticket is. The audit has the latter two; an answer
 * and a note are records of their own.
 */
export async function changeTicket(
  client: PoolClient,
  { id, organizationId }: TicketOwner,
  { body, note, status, assignee }: TicketChange,
  { author, staff }: Writer,
): Promise<void> {
  const { rows } = await client.query<{ status: TicketState; assignee_id: string | null; name: string | null }>(
    `SELECT status, assignee_id, (SELECT username FROM staff WHERE id = assignee_id) AS name FROM hdsks
      WHERE id = $1 FOR UPDATE`,
    [id],
  )
  const before = rows[0]!
  if (body !== '')
    await client.query(`INSERT INTO hdsk_messages (hdsk_id, author, staff_id, body) VALUES ($1, 'staff', $2, $3)`, [
      id,
      staff,
      body,
    ])
  if (note !== '')
    await client.query('INSERT INTO hdsk_notes (hdsk_id, staff_id, body) VALUES ($1, $2, $3)', [id, staff, note])
  const assigned = assignee === undefined ? before.assignee_id : (assignee?.id ?? null)
  const diff: Diff = {
    ...(status !== null && status !== before.status && { status: [before.status, status] as const }),
    ...(String(assigned) !== String(before.assignee_id) && {
      assignee: [before.name, assignee?.name ?? null] as const,
    }),
  }
  if (Object.keys(diff).length === 0) return
  await client.query('UPDATE hdsks SET status = $2, assignee_id = $3 WHERE id = $1', [
    id,
    status ?? before.status,
    assigned,
  ])
  await writeAudit(client, { author, table: 'HDSK', id: String(id), action: 'change', diff, organizationId })
}

/** The staff user has read the ticket up to a message, or up to the last one where that is before it. */
export async function markRead(client: PoolClient, id: number, staff: StaffId, message: number): Promise<void> {
  await client.query(
    `INSERT INTO hdsk_reads (hdsk_id, staff_id, message_id)
      SELECT id, $2, least($3::int8, last_message_id) FROM hdsks WHERE id = $1 AND last_message_id IS NOT NULL
      ON CONFLICT (hdsk_id, staff_id) DO UPDATE SET message_id = greatest(hdsk_reads.message_id, excluded.message_id)`,
    [id, staff, message],
  )
}
