import type { Item } from '../../../api/client.ts'
import { Pill, type Tone } from '../../../patterns/pill.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { ticketTexts } from './texts.ts'

export type Ticket = Item<'GET /admin/Abonents/tickets/{id}/'>

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
  'GET /admin/Abonents/tickets/{id}/',
  'GET /admin/Abonents/ticket/{id}/',
  'GET /admin/Abonents/log/{id}/',
] as const
