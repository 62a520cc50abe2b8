import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Answer, ask, askCounted } from '../../api/client.ts'
import { useCounted } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Panel } from '../../patterns/panel.tsx'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Meant } from './audience.tsx'
import styles from './messages.module.css'
import type { Draft } from './draft.ts'
import { composeTexts, mailingTexts } from './texts.ts'
import { useChannelWords } from './words.ts'

const endpoint = 'POST /admin/messages/mailing/preview/'
type Reach = Answer<typeof endpoint>

/** Whom a mailing would reach now. */
export function useReach(meant: Meant | null, channel: Draft['channel']) {
  return useCounted(
    [endpoint, meant, channel],
    meant && ((counting) => askCounted(endpoint, { ...meant, channel }, counting)),
  )
}

const typingPauseMs = 250

/** How what is typed looks to some who would get it; undefined while nothing is written. */
export function useLooks(reach: Reach | undefined, draft: Draft): Reach | undefined {
  const [{ title, text, channel }] = useDebouncedValue(draft, typingPauseMs)
  const ids = reach?.samples.map(({ id }) => id) ?? []
  const isWritten = text.trim() !== ''
  const { data } = useQuery({
    queryKey: [endpoint, 'looks', ids, channel, title, text],
    queryFn: ({ signal }) =>
      ask(endpoint, { body: { ids, channel, text, ...(title.trim() !== '' && { title }) }, signal }),
    enabled: ids.length > 0 && isWritten,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return isWritten ? data : undefined
}

type PreviewProps = {
  readonly reach: Pick<ReturnType<typeof useReach>, 'data' | 'error'>
  readonly looks: Reach | undefined
  readonly isChosen: boolean
}

/** How many will get it and by which way, who will not and why, and how it looks to some of them. */
export function Preview({ reach: { data, error }, looks, isChosen }: PreviewProps) {
  const t = useTexts(composeTexts)
  const say = useSayRefusal()
  if (!isChosen)
    return (
      <Panel title={t.preview}>
        <p className={styles.quiet}>{t.chooseFirst}</p>
      </Panel>
    )
  return (
    <Panel title={t.preview}>
      <div role="status">{error ? <p>{say(error)}</p> : data ? <Numbers reach={data} /> : <p>{t.counting}</p>}</div>
      {(looks ?? data)?.samples.map((sample) => (
        <SampleView key={sample.id} sample={sample} />
      ))}
    </Panel>
  )
}

function Numbers({ reach: { total, reached, left_out, quiet_until } }: { readonly reach: Reach }) {
  const t = useTexts(composeTexts)
  const mailing = useTexts(mailingTexts)
  const format = useFormat()
  const channelOf = useChannelWords()
  const listed = <Name extends string>(counts: Readonly<Record<Name, number>>, say: (name: Name) => string) =>
    (Object.keys(counts) as Name[])
      .filter((name) => counts[name] > 0)
      .map((name) => `${say(name)} ${format.number(counts[name])}`)
      .join(', ')
  const count = reached.push + reached.sms + reached.email
  return (
    <div className={styles.numbers}>
      <p>
        <strong>{count === 0 ? t.nobody : t.willGet(format.number(count))}</strong>
        {count > 0 && ` (${listed(reached, channelOf)})`}
      </p>
      {total > count && (
        <p>
          {t.willNot(format.number(total - count))} ({listed(left_out, (name) => mailing[name].toLowerCase())})
        </p>
      )}
      {quiet_until !== null && <p>{mailing.quietUntil(format.moment(quiet_until))}</p>}
    </div>
  )
}

function SampleView({ sample }: { readonly sample: Reach['samples'][number] }) {
  const t = useTexts(composeTexts)
  const channelOf = useChannelWords()
  const { name, channel, title, text, sms_count: count } = sample
  return (
    <article className={styles.sample}>
      <header>
        <span>{name}</span>
        <span>{channel === 'sms' && text !== '' ? t.smsCount(count) : channelOf(channel)}</span>
      </header>
      {channel !== 'sms' && <strong>{title}</strong>}
      <p className={styles.words}>{text === '' ? '…' : text}</p>
    </article>
  )
}
