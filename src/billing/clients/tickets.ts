import type { SubscriberId } from '../../domain/ids.ts'
import type { ClientTicket } from '../../domain/ticket.ts'
import { Hdsk, HdskMessage } from '../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { forUpdate } from '../../platform/storage/for-update.ts'
import type { EntityManager } from '../../platform/storage/orm.ts'
import type { Client } from '../../platform/storage/sql.ts'

export const ticketTerms = { subjectMax: 200, bodyMax: 10_000, listed: 200, messagesShown: 1000 } as const

export type ClientTicketRow = RowOf<typeof Hdsk, 'id' | 'subject' | 'status' | 'create_date'> & { unread: number }
type Row = ClientTicketRow & RowOf<typeof Hdsk, 'body'>
type MessageRow = RowOf<typeof HdskMessage, 'id' | 'author' | 'body' | 'create_date'>

/** Of a row of hdsks: how many replies of the staff its client has not opened. */
export const unreadSql = `(SELECT count(*)::int4 FROM hdsk_messages
  WHERE hdsk_id = hdsks.id AND author = 'staff' AND read_date IS NULL)`

const columns = `id, subject, body, status, create_date, ${unreadSql} AS unread FROM hdsks`

/** The tickets of a client, newest first. */
export async function readTickets(sql: Client, id: SubscriberId) {
  const text = `SELECT ${columns} WHERE abonent_id = $1 ORDER BY id DESC LIMIT ${ticketTerms.listed}`
  return (await sql.query<Row>(text, [id])).rows.map(ticketOf)
}

/**
 * A ticket with its messages. Null: this client has no such ticket. `opens`: marks the replies of the staff as read.
 */
export async function readTicket(sql: Client, id: SubscriberId, ticket: number, { opens }: { opens: boolean }) {
  const found = await sql.query<Row>(`SELECT ${columns} WHERE abonent_id = $1 AND id = $2`, [id, ticket])
  const [row] = found.rows
  if (!row) return null
  const messages = await sql.query<MessageRow>(
    `SELECT id, author, body, create_date FROM (SELECT * FROM hdsk_messages WHERE hdsk_id = $1
       ORDER BY id DESC LIMIT ${ticketTerms.messagesShown}) AS latest ORDER BY id`,
    [ticket],
  )
  if (opens && row.unread > 0) {
    // Only the messages shown are marked, so that a reply that arrives meanwhile stays unread.
    await sql.query(
      `UPDATE hdsk_messages SET read_date = now() WHERE hdsk_id = $1 AND author = 'staff' AND read_date IS NULL AND id <= $2`,
      [ticket, messages.rows.at(-1)?.id ?? 0],
    )
  }
  const shown = messages.rows.map((message) => ({ ...message, id: Number(message.id) }))
  return { ...ticketOf(row), unread: opens ? 0 : row.unread, messages: [...opening(row, shown), ...shown] }
}

/** The first message of a ticket that the staff opened: its text is stored in the ticket itself, and its id is 0. */
function opening({ body, create_date }: Row, [first]: readonly Pick<MessageRow, 'author' | 'body'>[]) {
  const isMessage = first?.author === 'client' && first.body === body
  return body === '' || isMessage ? [] : [{ id: 0, author: 'staff' as const, body, create_date }]
}

/** Opens a ticket in the transaction of the manager and returns its id. */
export async function openTicket(
  manager: EntityManager,
  subscriber: SubscriberId,
  subject: string,
  body: string,
): Promise<number> {
  const ticket = await manager.insert(Hdsk, { abonent_id: subscriber, subject, body })
  await manager.insert(HdskMessage, { hdsk_id: ticket, author: 'client', body })
  return ticket
}

/**
 * Adds a message in the transaction of the manager and opens the ticket again if it was closed. Returns false when this
 * client has no such ticket.
 */
export async function replyToTicket(
  manager: EntityManager,
  subscriber: SubscriberId,
  ticket: number,
  body: string,
): Promise<boolean> {
  const found = await manager.findOne(Hdsk, { id: ticket, abonent_id: subscriber }, forUpdate)
  if (!found) return false
  if (found.status === 'closed') found.status = 'open'
  manager.create(HdskMessage, { hdsk_id: ticket, author: 'client', body })
  await manager.flush()
  return true
}

export const ticketOf = ({ id, subject, status, create_date, unread }: ClientTicketRow): ClientTicket => ({
  id: Number(id),
  subject,
  status,
  create_date,
  unread,
})
