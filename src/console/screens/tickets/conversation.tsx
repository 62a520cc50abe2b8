import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { useTexts } from '../../texts/texts.ts'
import { AnswerForm } from './answer-form.tsx'
import { ticketTexts } from './texts.ts'
import styles from './tickets.module.css'
import type { Thread } from './use-ticket.ts'

type Word = {
  readonly key: string
  readonly by: 'client' | 'staff' | 'note'
  readonly who: string | null
  readonly body: string
  readonly create_date: string
}

/** What was written to the client and by the client, and the notes of the staff among it, in the order of time. */
function wordsOf({ messages, notes }: Thread): readonly Word[] {
  const said = messages.map(
    ({ id, author, staff, ...word }): Word => ({ key: `message ${id}`, by: author, who: staff, ...word }),
  )
  const noted = notes.map(({ id, staff, ...word }): Word => ({ key: `note ${id}`, by: 'note', who: staff, ...word }))
  return [...said, ...noted].sort((a, b) => Date.parse(a.create_date) - Date.parse(b.create_date))
}

/** A ticket as it is read, oldest first, and under it the answer. */
export function Conversation({ ticket }: { readonly ticket: Thread }) {
  const t = useTexts(ticketTexts)
  const may = useMay()
  return (
    <div className={styles.conversation}>
      <ol className={styles.thread} aria-label={t.thread}>
        {wordsOf(ticket).map((word) => (
          <WordItem key={word.key} word={word} name={ticket.name} />
        ))}
      </ol>
      {may('change') && <AnswerForm key={ticket.id} ticket={ticket} />}
    </div>
  )
}

function WordItem({ word: { by, who, body, create_date }, name }: { readonly word: Word; readonly name: string }) {
  const t = useTexts(ticketTexts)
  const format = useFormat()
  return (
    <li className={styles.message} data-by={by}>
      <p className={styles.by}>
        <strong>{by === 'client' ? name : (who ?? t.staff)}</strong>{' '}
        <time dateTime={create_date}>{format.moment(create_date)}</time>
        {by === 'note' && <span>, {t.isNote}</span>}
      </p>
      <p className={styles.body}>{body}</p>
    </li>
  )
}
