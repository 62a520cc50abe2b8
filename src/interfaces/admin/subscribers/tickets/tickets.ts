import type { PoolClient } from 'pg'
import { readTicket, ticketTerms } from '../../../../billing/clients/tickets.ts'
import type { Author } from '../../../../domain/author.ts'
import { type StaffId, subscriberId } from '../../../../domain/ids.ts'
import { isVisible, type VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import { type Diff, writeAudit } from '../../../../platform/storage/audit.ts'

export const ticketStates = ['open', 'in_progress', 'closed'] as const
export type TicketState = (typeof ticketStates)[number]

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

/** A ticket as a thread: what was written first, then every message, and which of the staff wrote it. */
export async function readThread(client: PoolClient, { id, abonentId }: TicketOwner) {
  const ticket = await readTicket(client, subscriberId(abonentId), id, { opens: false })
  if (!ticket) return null
  const { rows } = await client.query<{ id: string; username: string }>(
    `SELECT message.id, staff.username FROM hdsk_messages AS message JOIN staff ON staff.id = message.staff_id
      WHERE message.hdsk_id = $1::int8 ORDER BY message.id DESC LIMIT ${ticketTerms.messagesShown}`,
    [id],
  )
  const authors = new Map(rows.map((row) => [Number(row.id), row.username]))
  const { subject, status, create_date } = ticket
  const messages = ticket.messages.map((message) => ({ ...message, staff: authors.get(message.id) ?? null }))
  return { id, abonent_id: abonentId, subject, status, create_date, messages }
}

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

/** Writes an answer, changes the state, or both. The audit has the state; an answer is a record of its own. */
export async function answerTicket(
  client: PoolClient,
  { id, organizationId }: TicketOwner,
  { body, status }: { readonly body: string; readonly status: TicketState | null },
  { author, staff }: Writer,
): Promise<void> {
  const { rows } = await client.query<{ status: TicketState }>('SELECT status FROM hdsks WHERE id = $1 FOR UPDATE', [
    id,
  ])
  const before = rows[0]!.status
  if (body !== '')
    await client.query(`INSERT INTO hdsk_messages (hdsk_id, author, staff_id, body) VALUES ($1, 'staff', $2, $3)`, [
      id,
      staff,
      body,
    ])
  if (status === null || status === before) return
  await client.query('UPDATE hdsks SET status = $2 WHERE id = $1', [id, status])
  const diff: Diff = { status: [before, status] }
  await writeAudit(client, { author, table: 'HDSK', id: String(id), action: 'change', diff, organizationId })
}
