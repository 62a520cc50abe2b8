import type { Item } from '../../api/client.ts'
import type { Frame } from '../../live/socket.ts'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ticketTexts } from './texts.ts'

export const ticketsEndpoint = 'GET /admin/Abonents/tickets/'
export type Ticket = Item<typeof ticketsEndpoint>

const tones = { open: 'warning', in_progress: 'info', closed: 'quiet' } as const satisfies Record<
  Ticket['status'],
  Tone
>

export function TicketState({ status }: Pick<Ticket, 'status'>) {
  const t = useTexts(ticketTexts)
  return <Pill tone={tones[status]}>{t[status]}</Pill>
}

/** What an answer, a new state or a new ticket makes untrue. */
export const outdatedByTicket = [
  ticketsEndpoint,
  'GET /admin/Abonents/tickets/{id}/',
  'GET /admin/Abonents/ticket/{id}/',
  'GET /admin/Abonents/log/{id}/',
] as const

/** Which ticket a live event is about; null: it is about something else. */
export const ticketOfFrame = ({ type, ticket }: Frame): number | null =>
  type === 'ticket.changed' ? (ticket as { readonly id: number }).id : null
