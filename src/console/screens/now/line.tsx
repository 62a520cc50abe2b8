import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormat } from '../../format/format.ts'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { useAnswerWords } from '../network/coa-answer.tsx'
import { reasonTexts } from '../network/sign-in-texts.ts'
import { useTexts } from '../../texts/texts.ts'
import type { LiveEvent } from './events.ts'
import styles from './now.module.css'
import { nowTexts } from './texts.ts'

type CoaFields = Parameters<ReturnType<typeof useAnswerWords>>[0]

type Said = { readonly tone: Tone; readonly what: string; readonly details: readonly ReactNode[] }

/** One event: when, what, of whom, and the details. Everything is text: logins come from the network. */
export function EventLine({ event, nasName }: { readonly event: LiveEvent; readonly nasName: string | null }) {
  const t = useTexts(nowTexts)
  const format = useFormat()
  const { at, abonentId, nasId, login } = event
  const { tone, what, details } = useSaid(event)
  const who = login || (abonentId === null ? '–' : t.number(abonentId))
  return (
    <li className={styles.line}>
      <time dateTime={at}>{format.clock(at)}</time>
      <Pill tone={tone}>{what}</Pill>
      <span className={styles.who}>
        {abonentId === null ? who : <Link to={`/subscribers/${abonentId}/`}>{who}</Link>}
      </span>
      <span className={styles.details}>
        {details
          .filter((detail) => detail !== null && detail !== '')
          .map((detail, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the details of an event do not change
            <span key={at}>{detail}</span>
          ))}
        {nasId !== null && <Link to={`/network/nas/${nasId}/`}>{nasName ?? t.number(nasId)}</Link>}
      </span>
    </li>
  )
}

function useSaid({ type, fields }: LiveEvent): Said {
  const t = useTexts(nowTexts)
  const named = t as unknown as Readonly<Record<string, string>>
  const refusals = useTexts(reasonTexts) as Readonly<Record<string, string>>
  const answerWords = useAnswerWords()
  const format = useFormat()
  const text = (name: string) => (fields[name] === null || fields[name] === undefined ? '' : String(fields[name]))
  switch (type) {
    case 'session.started':
      return { tone: 'good', what: t.started, details: [text('ip') || text('ipv6_prefix'), text('mac')] }
    case 'session.stopped':
      return { tone: 'quiet', what: t.stopped, details: [text('ip') || text('ipv6_prefix'), text('end_reason')] }
    case 'access.rejected':
      return { tone: 'bad', what: t.rejected, details: [refusals[text('code')] ?? text('reason'), text('station')] }
    case 'block.changed': {
      const reasons = Array.isArray(fields.reasons) ? (fields.reasons as readonly string[]) : []
      const said = reasons.map((reason) => named[reason] ?? reason).join(', ')
      return fields.enabled === true
        ? { tone: 'good', what: t.opened, details: [said] }
        : { tone: 'bad', what: t.closed, details: [said] }
    }
    case 'payment.credited':
      return {
        tone: 'good',
        what: t.paid,
        details: [format.signed(text('amount')), t.balance(format.money(text('balance')))],
      }
    default:
      return {
        tone: fields.result === 'ack' ? 'good' : 'warning',
        what: text('request') === 'coa' ? 'CoA' : 'Disconnect',
        details: [answerWords(fields as CoaFields)],
      }
  }
}
