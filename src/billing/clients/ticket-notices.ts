import type { Pool } from 'pg'
import type { TollgateEvent } from '../../domain/events.ts'
import { defaultOrganization, organizationId, staffId, subscriberId } from '../../domain/ids.ts'
import { type ChangedTicket, type TicketDeed, ticketDeeds } from '../../domain/ticket.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type ClientTicketRow, ticketOf, unreadSql } from './tickets.ts'

type TicketChanged = Extract<TollgateEvent, { kind: 'ticketChanged' }>

export type TicketNoticesParts = {
  readonly pool: Pool
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly publish: (event: TicketChanged) => void
}

/** How many tickets are read together: as many as one notification names. */
const pieceMax = 400

/**
 * Publishes what happens to tickets, whoever has written them: a door, another node or somebody in psql. Triggers
 * notify of it (migration tickets), and the ticket is told as it is when it is read, after the commit.
 */
export class TicketNotices {
  readonly #parts: TicketNoticesParts
  readonly #waiting = new Map<number, Set<TicketDeed>>()
  #isReading = false

  constructor(parts: TicketNoticesParts) {
    this.#parts = parts
  }

  /** A notification of the database. Those that do not tell of tickets are none of ours. */
  noticed(payload: string): void {
    const notice = readNotice(payload)
    if (!notice) return
    for (const id of notice.tickets) {
      const deeds = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, deeds.add(notice.deed))
    }
    if (!this.#isReading) void this.#readAll()
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    // An answer that closes its ticket is two notifications of one transaction, which come in one turn of the loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) {
      const piece = new Map([...this.#waiting].slice(0, pieceMax))
      for (const id of piece.keys()) this.#waiting.delete(id)
      try {
        await this.#publish(piece)
      } catch (error) {
        this.#parts.log.warn('what has happened to tickets could not be read', { tickets: [...piece.keys()], error })
      }
    }
    this.#isReading = false
  }

  async #publish(piece: ReadonlyMap<number, ReadonlySet<TicketDeed>>): Promise<void> {
    const { pool, clock, publish } = this.#parts
    const { rows } = await pool.query<Row>(text, [[...piece.keys()]])
    for (const row of rows) {
      const ticket = changedOf(row)
      publish({ kind: 'ticketChanged', at: clock.now(), deeds: [...(piece.get(ticket.id) ?? [])], ticket })
    }
  }
}

type Row = ClientTicketRow & {
  readonly abonent_id: string
  readonly organization_id: string | null
  readonly assignee_id: string | null
  readonly last_author: ChangedTicket['lastAuthor']
  readonly last_at: Date
}

const text = `SELECT hdsks.id, subject, status, hdsks.create_date, ${unreadSql} AS unread, abonent_id, organization_id,
    assignee_id, last_author, last_at
  FROM hdsks JOIN abonents ON abonents.id = abonent_id WHERE hdsks.id = ANY($1::int8[]) ORDER BY hdsks.id`

const changedOf = (row: Row): ChangedTicket => ({
  ...ticketOf(row),
  subscriberId: subscriberId(row.abonent_id),
  organizationId: row.organization_id === null ? defaultOrganization : organizationId(row.organization_id),
  assigneeId: row.assignee_id === null ? null : staffId(row.assignee_id),
  lastAuthor: row.last_author,
  lastAt: row.last_at,
})

/** Anybody may write to the channel, and most of what stands there is of other tables. */
function readNotice(payload: string): { readonly tickets: readonly number[]; readonly deed: TicketDeed } | null {
  if (!payload.startsWith('{"tickets":')) return null
  try {
    const { tickets, deed } = JSON.parse(payload) as { tickets?: unknown; deed?: unknown }
    const known = ticketDeeds.find((one) => one === deed)
    const areIds = Array.isArray(tickets) && tickets.every((id) => Number.isSafeInteger(id))
    return known && areIds ? { tickets, deed: known } : null
  } catch {
    return null
  }
}
