import { Navigate } from '@tanstack/react-router'
import { BackLink } from '../../../patterns/back-link.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { Assignee } from '../../tickets/assignee.tsx'
import { Conversation } from '../../tickets/conversation.tsx'
import { TicketState } from '../../tickets/state.tsx'
import { ticketTexts } from '../../tickets/texts.ts'
import styles from '../../tickets/tickets.module.css'
import { useTicket } from '../../tickets/use-ticket.ts'
import { useSubscriber } from '../use-subscriber.ts'

/** One ticket on the card of its subscriber. */
export default function Ticket() {
  const t = useTexts(ticketTexts)
  const { id } = useSubscriber().subscriber
  const ticket = useTicket()
  // Its words would stand under the name of another client.
  if (ticket.abonent_id !== id)
    return <Navigate to={`/subscribers/${ticket.abonent_id}/tickets/${ticket.id}/`} replace />
  return (
    <article className={styles.ticket} aria-label={t.heading(ticket.id, ticket.subject)}>
      <header className={styles.head}>
        <BackLink to={`/subscribers/${id}/tickets/`} label={t.back} />
        <h2>{t.heading(ticket.id, ticket.subject)}</h2>
        <TicketState status={ticket.status} />
        <Assignee ticket={ticket} />
      </header>
      <Conversation ticket={ticket} />
    </article>
  )
}
