import { NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/me.tsx'
import { type Formats, useFormat } from '../../format/format.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './messages.module.css'
import { MessageState, Resend } from './state.tsx'
import { messagesTexts } from './texts.ts'
import {
  channelTexts,
  type Message,
  messageStates,
  reasonTexts,
  stateTexts,
  useChannelWords,
  useKindWords,
  useSayWhyNot,
} from './words.ts'

const rowsAtOnce = 50

/** What was sent to all subscribers or waits to be sent, and why something was not. */
export default function MessageLog() {
  const t = useTexts(messagesTexts)
  const states = useTexts(stateTexts)
  const format = useFormat()
  const columns = useColumns()
  const chips = [{ value: '', label: t.all }, ...messageStates.map((value) => ({ value, label: states[value] }))]
  return (
    <>
      <PageHead title={t.title} />
      <DataList
        name="messages"
        endpoint="GET /admin/messages/"
        fixed={{ limit: rowsAtOnce }}
        filters={['state', 'q', 'kind', 'channel', 'reason', 'mailing', 'abonent_id', 'date_from', 'date_to']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ id, abonent_name }) => `${abonent_name ?? ''} ${format.numbered(id)}`}
        rowTo={({ abonent_id: id }) => (id === null ? null : `/subscribers/${id}/messages/`)}
        chips={{ parameter: 'state', list: chips }}
        more={<Choices />}
        empty={{ title: t.none, says: t.noneSays }}
      />
    </>
  )
}

/** Further filters, as the address has them. */
function Choices() {
  const t = useTexts(messagesTexts)
  const { any, ...reasons } = useTexts(reasonTexts)
  const [address, change] = useAddressFilters()
  const choices = [
    ['channel', t.channel, t.allChannels, useTexts(channelTexts)],
    ['reason', t.reason, any, reasons],
  ] as const
  return choices.map(([name, label, all, words]) => (
    <NativeSelect
      key={name}
      className={styles.choice ?? ''}
      aria-label={label}
      data={[{ value: '', label: all }, ...Object.entries(words).map(([value, label]) => ({ value, label }))]}
      value={address[name] ?? ''}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value || undefined })}
    />
  ))
}

function useColumns(): readonly Column<Message>[] {
  const t = useTexts(messagesTexts)
  const states = useTexts(stateTexts)
  const format = useFormat()
  const whyOf = useSayWhyNot()
  const kindOf = useKindWords()
  const channelOf = useChannelWords()
  const may = useMay()
  const mayChange = may('change')
  // The functions say the same as long as the texts are the same.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the language alone
  return useMemo(() => {
    const whereTo = ({ channel, address }: Message) => `${channelOf(channel)} ${address ?? ''}`.trim()
    const columns: Column<Message>[] = [
      { id: 'at', title: t.at, width: '9rem', cell: ({ at }) => format.moment(at), text: ({ at }) => at },
      {
        id: 'subscriber',
        title: t.subscriber,
        width: '16%',
        isOnCard: true,
        cell: ({ abonent_id: id, abonent_name: name }) =>
          id !== null && <Link to={`/subscribers/${id}/messages/` as never}>{name}</Link>,
        text: (row) => row.abonent_name,
      },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: ({ state }) => <MessageState state={state} />,
        text: ({ state }) => states[state],
      },
      { id: 'reason', title: t.reason, width: '34%', isElastic: true, isOnCard: true, cell: whyOf, text: whyOf },
      { id: 'address', title: t.address, isOnCard: true, cell: whereTo, text: whereTo },
      { id: 'kind', title: t.kind, isExtra: true, cell: ({ kind }) => kindOf(kind), text: ({ kind }) => kindOf(kind) },
      { id: 'text', title: t.text, isExtra: true, cell: ({ text }) => text, text: ({ text }) => text },
      ...lateColumns(t, format),
    ]
    const action: Column<Message> = {
      id: 'action',
      title: t.resend,
      align: 'right',
      isAction: true,
      cell: ({ id, state }) => state !== 'sent' && <Resend id={id} isCompact />,
    }
    return mayChange ? [...columns, action] : columns
  }, [t, states, format, mayChange])
}

const lateColumns = (t: (typeof messagesTexts)['ru'], format: Formats): readonly Column<Message>[] => [
  {
    id: 'attempts',
    title: t.attempts,
    isExtra: true,
    align: 'right',
    cell: ({ attempts }) => attempts,
    text: ({ attempts }) => attempts,
  },
  {
    id: 'nextTry',
    title: t.nextTry,
    isExtra: true,
    cell: (row) => row.next_try_at && format.moment(row.next_try_at),
    text: (row) => row.next_try_at,
  },
  {
    id: 'sentAt',
    title: t.sentAt,
    isExtra: true,
    cell: (row) => row.sent_at && format.moment(row.sent_at),
    text: (row) => row.sent_at,
  },
]
