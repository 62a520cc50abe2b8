import type { Pool, PoolClient } from 'pg'
import type { SubscriberId } from '../../domain/ids.ts'
import type { Hdsk } from '../../platform/storage/entities/hdsk.ts'
import type { RowOf } from '../../platform/storage/entity.ts'

/** Help-desk tickets as their client sees them: tables hdsks and hdsk_messages. */
export type Ticket = {
  readonly id: number
  readonly subject: string
  readonly status: 'open' | 'in_progress' | 'closed'
  readonly create_date: Date
  /** Replies of the staff that the client has not opened. */
  readonly unread: number
}

export type TicketMessage = {
  /** 0: what the staff wrote when they opened the ticket. */
  readonly id: number
  readonly author: 'client' | 'staff'
  readonly body: string
  readonly create_date: Date
}

export type TicketWithMessages = Ticket & { readonly messages: readonly TicketMessage[] }

export const ticketTerms = { subjectMax: 200, bodyMax: 10_000, listed: 200, messagesShown: 1000 } as const

type Sql = Pick<Pool | PoolClient, 'query'>
type Row = RowOf<typeof Hdsk, 'id' | 'subject' | 'status' | 'create_date' | 'body'> & { unread: number }

const columns = `id, subject, body, status, create_date, (SELECT count(*)::int4 FROM hdsk_messages
  WHERE hdsk_id = hdsks.id AND author = 'staff' AND read_date IS NULL) AS unread FROM hdsks`

/** The newest first. */
export async function readTickets(sql: Sql, id: SubscriberId): Promise<Ticket[]> {
  const text = `SELECT ${columns} WHERE abonent_id = $1 ORDER BY id DESC LIMIT ${ticketTerms.listed}`
  return (await sql.query<Row>(text, [id])).rows.map(ticketOf)
}

/** Null: there is no such ticket of this client. `opens`: the replies have been read with this. */
export async function readTicket(
  sql: Sql,
  id: SubscriberId,
  ticket: number,
  { opens }: { opens: boolean },
): Promise<TicketWithMessages | null> {
  const found = await sql.query<Row>(`SELECT ${columns} WHERE abonent_id = $1 AND id = $2`, [id, ticket])
  const [row] = found.rows
  if (!row) return null
  const messages = await sql.query<Omit<TicketMessage, 'id'> & { id: string }>(
    `SELECT id, author, body, create_date FROM (SELECT * FROM hdsk_messages WHERE hdsk_id = $1
       ORDER BY id DESC LIMIT ${ticketTerms.messagesShown}) AS latest ORDER BY id`,
    [ticket],
  )
  if (opens && row.unread > 0) {
    // Only what is shown: a reply that comes meanwhile stays unread.
    await sql.query(
      `UPDATE hdsk_messages SET read_date = now() WHERE hdsk_id = $1 AND author = 'staff' AND read_date IS NULL AND id <= $2`,
      [ticket, messages.rows.at(-1)?.id ?? 0],
    )
  }
  const shown = messages.rows.map((message) => ({ ...message, id: Number(message.id) }))
  return { ...ticketOf(row), unread: opens ? 0 : row.unread, messages: [...opening(row, shown), ...shown] }
}

/** A ticket made by the staff has its text in the ticket itself. */
function opening({ body, create_date }: Row, [first]: readonly TicketMessage[]): TicketMessage[] {
  const isMessage = first?.author === 'client' && first.body === body
  return body === '' || isMessage ? [] : [{ id: 0, author: 'staff', body, create_date }]
}

/** In the transaction of `client`. */
export async function openTicket(client: PoolClient, id: SubscriberId, subject: string, body: string): Promise<number> {
  const { rows } = await client.query<RowOf<typeof Hdsk, 'id'>>(
    'INSERT INTO hdsks (abonent_id, subject, body) VALUES ($1, $2, $3) RETURNING id',
    [id, subject, body],
  )
  const ticket = Number(rows[0]!.id)
  await client.query(`INSERT INTO hdsk_messages (hdsk_id, author, body) VALUES ($1, 'client', $2)`, [ticket, body])
  return ticket
}

/** A closed ticket is open again. False: there is no such ticket of this client. */
export async function replyToTicket(
  client: PoolClient,
  id: SubscriberId,
  ticket: number,
  body: string,
): Promise<boolean> {
  const found = await client.query(
    `UPDATE hdsks SET status = CASE status WHEN 'closed' THEN 'open' ELSE status END WHERE id = $2 AND abonent_id = $1`,
    [id, ticket],
  )
  if (found.rowCount !== 1) return false
  await client.query(`INSERT INTO hdsk_messages (hdsk_id, author, body) VALUES ($1, 'client', $2)`, [ticket, body])
  return true
}

const ticketOf = ({ id, subject, status, create_date, unread }: Row): Ticket => ({
  id: Number(id),
  subject,
  status,
  create_date,
  unread,
})
