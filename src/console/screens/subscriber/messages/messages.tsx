import { Switch } from '@mantine/core'
import { useMay } from '../../../api/me.tsx'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { isClient } from '../../../format/by-client.ts'
import { useFormat } from '../../../format/format.ts'
import { Empty } from '../../../patterns/empty.tsx'
import { useAddressFilters } from '../../../patterns/list/address.ts'
import { Chips } from '../../../patterns/list/chips.tsx'
import { usePages } from '../../../patterns/list/pages.ts'
import { useTold } from '../../../patterns/use-told.ts'
import { More } from '../../../patterns/more.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { MessageState, Resend } from '../../messages/state.tsx'
import {
  type Message,
  messageStates,
  stateTexts,
  useChannelWords,
  useKindWords,
  useSayWhyNot,
} from '../../messages/words.ts'
import { useSubscriber } from '../use-subscriber.ts'
import styles from './messages.module.css'
import { messageTexts } from './texts.ts'

const endpoint = 'GET /admin/messages/'

const isWaiting = ({ state }: Message): boolean => state === 'waiting'

/** What was sent to the subscriber or waits to be sent, and why something was not. */
export default function Messages() {
  const t = useTexts(messageTexts)
  const { id } = useSubscriber().subscriber
  const [address, change] = useAddressFilters()
  const state = messageStates.find((one) => one === address.state)
  const { query, rows } = usePages(endpoint, { query: { abonent_id: id, per_page: 50, state } }, isWaiting)
  if (query.isError && rows.length === 0) throw query.error
  const said = useTexts(stateTexts)
  const chips = [{ value: '', label: t.all }, ...messageStates.map((value) => ({ value, label: said[value] }))]
  return (
    <section className={styles.messages} aria-busy={query.isFetching}>
      <OptOut id={id} />
      <Chips label={t.state} parameter="state" list={chips} chosen={state ?? ''} onChange={change} />
      {!query.isPending && rows.length === 0 ? (
        <Empty title={state ? t.noneSuch : t.none} />
      ) : (
        <ol className={styles.list}>
          {rows.map((message) => (
            <MessageEntry key={message.id} message={message} />
          ))}
        </ol>
      )}
      <More of={query} />
    </section>
  )
}

function MessageEntry({ message }: { readonly message: Message }) {
  const kindOf = useKindWords()
  const format = useFormat()
  const may = useMay()
  const { id, at, kind, text, state } = message
  return (
    <li className={styles.message}>
      <time dateTime={at}>{format.moment(at)}</time>
      <div className={styles.text}>
        <strong>{kindOf(kind)}</strong>
        <p>{text}</p>
        <Fate message={message} />
      </div>
      {state !== 'sent' && may('change') && <Resend id={id} className={styles.resend} />}
    </li>
  )
}

/** The state, by which way and when; or why it was not sent, and when it is tried again. */
function Fate({ message }: MessageProps) {
  const t = useTexts(messageTexts)
  const channelOf = useChannelWords()
  const format = useFormat()
  const whyNotOf = useSayWhyNot()
  const { state, channel, address, attempts, next_try_at, sent_at } = message
  const words = [
    channel !== null && `${channelOf(channel)} ${address ?? ''}`,
    sent_at !== null && format.moment(sent_at),
    whyNotOf(message),
    state !== 'sent' && attempts > 0 && t.attempts(attempts),
    state === 'waiting' && next_try_at !== null && t.nextTry(format.moment(next_try_at)),
  ]
  return (
    <p className={styles.fate}>
      <MessageState state={state} /> <span>{words.filter(Boolean).join(' · ')}</span>
    </p>
  )
}

type MessageProps = { readonly message: Message }

const optOutEndpoint = 'GET /admin/messages/opt_out/{id}/'

/** Whether the subscriber gets mailings. */
function OptOut({ id }: { readonly id: number }) {
  const t = useTexts(messageTexts)
  const format = useFormat()
  const may = useMay()
  const { data } = useEndpoint(optOutEndpoint, { path: { id } })
  const change = useTold('POST /admin/messages/opt_out/{id}/', [optOutEndpoint])
  if (!data) return null
  const refusedBy = (at: string, user: string) =>
    isClient(user) ? t.refusedByClient(format.moment(at)) : t.refusedAt(format.moment(at), user)
  return (
    <Switch
      label={t.mailings}
      description={data.at === null ? t.mailingsSays : refusedBy(data.at, data.user ?? '')}
      checked={!data.on}
      disabled={!may('change') || change.isPending}
      onChange={({ currentTarget }) => change.run({ path: { id }, body: { on: !currentTarget.checked } })}
    />
  )
}
