import { Button, SegmentedControl, Textarea } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useDraft } from '../../api/drafts.ts'
import { useMe } from '../../api/me.tsx'
import { told } from '../../patterns/told.ts'
import { useTold } from '../../patterns/use-told.ts'
import { isNarrow } from '../../frame/narrow.ts'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { outdatedByTicket } from './state.tsx'
import { TemplateChoice } from './template-choice.tsx'
import { ticketTexts } from './texts.ts'
import styles from './tickets.module.css'
import type { Thread } from './use-ticket.ts'

const kinds = ['answer', 'note'] as const
type Kind = (typeof kinds)[number]

/**
 * An answer, which the client sees, or a note, which only the staff sees. Each is typed by itself, so that nothing that
 * was meant for the staff is sent to the client.
 */
export function AnswerForm({ ticket }: { readonly ticket: Thread }) {
  const t = useTexts(ticketTexts)
  const [kind, setKind] = useState<Kind>('answer')
  const [drafts, setDrafts] = useDraft<Readonly<Record<Kind, string>>>({ answer: '', note: '' })
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const { change, keep, isBusy } = useWriting(ticket, drafts, setDrafts)
  const isEmpty = drafts[kind].trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isEmpty || isBusy) return
    const goOn = () => goOnIn(form.current, field.current)
    if (kind === 'note') keep(goOn)
    else change(ticket.status === 'closed' ? null : 'in_progress', t.answered, goOn)
  }
  const insert = (text: string) => {
    setDrafts(({ answer, ...others }) => ({ ...others, answer: answer.trim() === '' ? text : `${answer}\n\n${text}` }))
    field.current?.focus()
  }
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
  }
  return (
    <form ref={form} className={styles.answer} onSubmit={submit}>
      <div className={styles.tools}>
        <SegmentedControl
          aria-label={t.what}
          data={kinds.map((value) => ({ value, label: t[value] }))}
          value={kind}
          onChange={(value) => setKind(value as Kind)}
        />
        {kind === 'answer' && <TemplateChoice onChoose={insert} />}
      </div>
      <Textarea
        ref={field}
        label={t[kind]}
        description={kind === 'note' ? t.noteSays : undefined}
        name={kind}
        className={styles[kind] ?? ''}
        value={drafts[kind]}
        onChange={({ currentTarget: { value } }) => setDrafts((before) => ({ ...before, [kind]: value }))}
        onKeyDown={hear}
        aria-keyshortcuts="Control+Enter"
        autoFocus={!isNarrow()}
        maxLength={10_000}
        autosize
        minRows={3}
      />
      <div className={styles.actions}>
        <SendButton isBusy={isBusy} disabled={isEmpty}>
          {kind === 'note' ? t.keep : t.send}
        </SendButton>
        {kind === 'answer' && <StateAction {...{ status: ticket.status, isEmpty, isBusy, change }} />}
      </div>
    </form>
  )
}

/** For the next one: the button that has sent this one can no longer be pressed. Whoever is elsewhere stays there. */
function goOnIn(form: HTMLElement | null, field: HTMLElement | null): void {
  const { activeElement } = document
  if (activeElement === document.body || form?.contains(activeElement)) field?.focus()
}

type StateActionProps = {
  readonly status: Thread['status']
  readonly isEmpty: boolean
  readonly isBusy: boolean
  readonly change: (status: Thread['status'], done: string) => void
}

/** Closes a ticket, or opens it again; what is typed is sent with it. */
function StateAction({ status, isEmpty, isBusy, change }: StateActionProps) {
  const t = useTexts(ticketTexts)
  const [next, done, action] =
    status === 'closed'
      ? (['open', t.didReopen, t.reopen] as const)
      : (['closed', t.didClose, isEmpty ? t.close : t.sendAndClose] as const)
  return (
    <Button variant="default" disabled={isBusy} onClick={() => change(next, done)}>
      {action}
    </Button>
  )
}

type SetDrafts = (change: (before: Readonly<Record<Kind, string>>) => Readonly<Record<Kind, string>>) => void

/**
 * Whoever answers a ticket works on it, and has it where nobody had. One that is closed keeps its state, which the
 * client may have changed by an answer that is not on the screen yet.
 */
function useWriting(ticket: Thread, drafts: Readonly<Record<Kind, string>>, setDrafts: SetDrafts) {
  const { id, assignee_id } = ticket
  const t = useTexts(ticketTexts)
  const me = useMe().user
  const send = useTold('POST /admin/Abonents/ticket/{id}/', outdatedByTicket)
  type Body = NonNullable<Parameters<typeof send.run>[0]['body']>
  const write = (body: Body, kind: Kind, done: string, after?: () => void) =>
    send.run({ path: { id }, body }, () => {
      // What was typed since is the next one.
      setDrafts((now) => (now[kind] === drafts[kind] ? { ...now, [kind]: '' } : now))
      told.done(done)
      after?.()
    })
  const change = (status: Thread['status'] | null, done: string, after?: () => void) => {
    const text = drafts.answer.trim()
    const answer = text !== '' && { body: text, ...(assignee_id === null && { assignee: me.id }) }
    write({ ...answer, ...(status && { status }) }, 'answer', done, after)
  }
  const keep = (after: () => void) => write({ note: drafts.note.trim() }, 'note', t.noted, after)
  return { change, keep, isBusy: send.isPending }
}
