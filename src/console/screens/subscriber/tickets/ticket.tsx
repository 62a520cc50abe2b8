import { Button, Textarea } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { type Answer, ask } from '../../../api/client.ts'
import { useMay } from '../../../api/me.tsx'
import { useSend } from '../../../api/use-door.ts'
import { useFormat } from '../../../format/format.ts'
import { Icon } from '../../../patterns/icon.tsx'
import { told } from '../../../patterns/told.ts'
import { useSayRefusal } from '../../../texts/refusals.ts'
import { useTexts } from '../../../texts/texts.ts'
import { useSubscriber } from '../use-subscriber.ts'
import { outdatedByTicket, TicketState } from './state.tsx'
import styles from './ticket.module.css'
import { ticketTexts } from './texts.ts'

const door = 'GET /admin/Abonents/ticket/{id}/'
type Thread = Answer<typeof door>['ticket']

/** One ticket as a thread: what was written, oldest first, and under it the answer. */
export default function Ticket() {
  const t = useTexts(ticketTexts)
  const may = useMay()
  const { ticket: number } = useParams({ strict: false }) as { readonly ticket: string }
  const { id, name } = useSubscriber().subscriber
  const { ticket } = useSuspenseQuery({
    queryKey: [door, { path: { id: number } }],
    queryFn: ({ signal }) => ask(door, { path: { id: Number(number) }, signal }),
  }).data
  // Its words would stand under the name of another client.
  if (ticket.abonent_id !== id)
    return <Navigate to={`/subscribers/${ticket.abonent_id}/tickets/${ticket.id}/`} replace />
  return (
    <article className={styles.ticket} aria-label={t.heading(ticket.id, ticket.subject)}>
      <header className={styles.head}>
        <Link to={`/subscribers/${id}/tickets/`} className={styles.back ?? ''} aria-label={t.back}>
          <Icon name="back" />
        </Link>
        <h2>{t.heading(ticket.id, ticket.subject)}</h2>
        <TicketState status={ticket.status} />
      </header>
      <ol className={styles.thread} aria-label={t.thread}>
        {ticket.messages.map((message) => (
          <Message key={message.id} message={message} name={name} />
        ))}
      </ol>
      {may('change') && <AnswerForm key={ticket.id} ticket={ticket} />}
    </article>
  )
}

type MessageProps = { readonly message: Thread['messages'][number]; readonly name: string }

function Message({ message: { author, staff, body, create_date }, name }: MessageProps) {
  const t = useTexts(ticketTexts)
  const format = useFormat()
  return (
    <li className={styles.message} data-author={author}>
      <p className={styles.by}>
        <strong>{author === 'client' ? name : (staff ?? t.staff)}</strong>{' '}
        <time dateTime={create_date}>{format.moment(create_date)}</time>
      </p>
      <p className={styles.body}>{body}</p>
    </li>
  )
}

/**
 * Whoever answers a ticket works on it. One that is closed keeps its state, which the client may have changed by an
 * answer that is not on the screen yet.
 */
function AnswerForm({ ticket: { id, status } }: { readonly ticket: Thread }) {
  const t = useTexts(ticketTexts)
  const say = useSayRefusal()
  const [body, setBody] = useState('')
  const send = useSend('POST /admin/Abonents/ticket/{id}/', outdatedByTicket)
  const change = (next: Thread['status'] | null, done: string) => {
    const text = body.trim()
    send.mutate(
      { path: { id }, body: { ...(text !== '' && { body: text }), ...(next && { status: next }) } },
      {
        onSuccess: () => {
          // What was typed since is the next answer.
          setBody((typed) => (typed === body ? '' : typed))
          told.done(done)
        },
        onError: (error) => told.failed(say(error)),
      },
    )
  }
  const isClosed = status === 'closed'
  const isEmpty = body.trim() === ''
  const answer = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmpty) change(isClosed ? null : 'in_progress', t.answered)
  }
  return (
    <form className={styles.answer} onSubmit={answer}>
      <Textarea
        label={t.answer}
        name="body"
        value={body}
        onChange={({ currentTarget }) => setBody(currentTarget.value)}
        maxLength={10_000}
        autosize
        minRows={3}
      />
      <div className={styles.deeds}>
        <Button type="submit" disabled={isEmpty} loading={send.isPending}>
          {t.send}
        </Button>
        {isClosed ? (
          <Button variant="default" disabled={send.isPending} onClick={() => change('open', t.didReopen)}>
            {t.reopen}
          </Button>
        ) : (
          <Button variant="default" disabled={send.isPending} onClick={() => change('closed', t.didClose)}>
            {isEmpty ? t.close : t.sendAndClose}
          </Button>
        )}
      </div>
    </form>
  )
}
