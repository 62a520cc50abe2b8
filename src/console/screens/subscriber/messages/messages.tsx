import { Button } from '@mantine/core'
import type { Item } from '../../../api/client.ts'
import { useMay } from '../../../api/me.tsx'
import { useSend } from '../../../api/use-door.ts'
import { useFormat } from '../../../format/format.ts'
import { Empty } from '../../../patterns/empty.tsx'
import { useAddressFilters } from '../../../patterns/list/address.ts'
import { Chips } from '../../../patterns/list/chips.tsx'
import { usePages } from '../../../patterns/list/pages.ts'
import { Pill, type Tone } from '../../../patterns/pill.tsx'
import { told } from '../../../patterns/told.ts'
import { useSayRefusal } from '../../../texts/refusals.ts'
import { useTexts } from '../../../texts/texts.ts'
import { useSubscriber } from '../use-subscriber.ts'
import { useSayFault } from './fault.ts'
import styles from './messages.module.css'
import { channelTexts, kindTexts, messageTexts } from './texts.ts'

const door = 'GET /admin/messages/'
type Message = Item<typeof door>

const states = ['sent', 'waiting', 'failed'] as const satisfies readonly Message['state'][]

const isWaiting = ({ state }: Message): boolean => state === 'waiting'

/** What was sent to the subscriber or waits to be sent, and why something was not. */
export default function Messages() {
  const t = useTexts(messageTexts)
  const { id } = useSubscriber().subscriber
  const [address, change] = useAddressFilters()
  const state = states.find((one) => one === address.state)
  const { query, rows } = usePages(door, { query: { abonent_id: id, per_page: 50, state } }, isWaiting)
  if (query.isError && rows.length === 0) throw query.error
  const chips = [{ value: '', label: t.all }, ...states.map((value) => ({ value, label: t[value] }))]
  return (
    <section className={styles.messages} aria-busy={query.isFetching}>
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
      {query.hasNextPage && (
        <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
          {t.more}
        </Button>
      )}
    </section>
  )
}

function MessageEntry({ message }: { readonly message: Message }) {
  const kinds = useTexts(kindTexts) as Readonly<Record<string, string>>
  const format = useFormat()
  const may = useMay()
  const { id, at, kind, text, state } = message
  return (
    <li className={styles.message}>
      <time dateTime={at}>{format.moment(at)}</time>
      <div className={styles.text}>
        <strong>{kinds[kind] ?? kind}</strong>
        <p>{text}</p>
        <Fate message={message} />
      </div>
      {state !== 'sent' && may('change') && <Resend id={id} />}
    </li>
  )
}

const tones = { waiting: 'warning', sent: 'good', failed: 'bad' } as const satisfies Record<Message['state'], Tone>

/** The state, by which way and when; or why it was not sent, and when it is tried again. */
function Fate({ message: { state, channel, address, attempts, error, next_try_at, sent_at } }: MessageProps) {
  const t = useTexts(messageTexts)
  const channels = useTexts(channelTexts) as Readonly<Record<string, string>>
  const format = useFormat()
  const say = useSayFault()
  const words = [
    channel !== null && `${channels[channel] ?? channel} ${address ?? ''}`,
    sent_at !== null && format.moment(sent_at),
    state !== 'sent' && error !== null && say(error),
    state !== 'sent' && attempts > 0 && t.attempts(attempts),
    state === 'waiting' && next_try_at !== null && t.nextTry(format.moment(next_try_at)),
  ]
  return (
    <p className={styles.fate}>
      <Pill tone={tones[state]}>{t[state]}</Pill> <span>{words.filter(Boolean).join(' · ')}</span>
    </p>
  )
}

type MessageProps = { readonly message: Message }

function Resend({ id }: Pick<Message, 'id'>) {
  const t = useTexts(messageTexts)
  const say = useSayRefusal()
  const retry = useSend('POST /admin/messages/{id}/retry/', [door])
  const run = () =>
    retry.mutate(
      { path: { id } },
      { onSuccess: () => told.done(t.resent), onError: (error) => told.failed(say(error)) },
    )
  return (
    <Button variant="default" className={styles.resend ?? ''} loading={retry.isPending} onClick={run}>
      {t.resend}
    </Button>
  )
}
