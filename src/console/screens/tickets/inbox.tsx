import { Button, Select } from '@mantine/core'
import { useMemo } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useFollowing } from '../../live/use-following.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Ticket, TicketState, ticketOfFrame, ticketsEndpoint } from './state.tsx'
import { ticketTexts } from './texts.ts'
import styles from './tickets.module.css'

const followMs = 1_000

/** The tickets of all subscribers: those of the reader, those that are not closed, or all. */
export default function Inbox() {
  const t = useTexts(ticketTexts)
  useFollowing(['tickets'], [ticketsEndpoint], followMs, (frame) => ticketOfFrame(frame) !== null)
  const chips = [
    { value: 'mine', label: t.mine },
    { value: 'open', label: t.current },
    { value: '', label: t.all },
  ]
  return (
    <>
      <PageHead title={t.title} />
      <DataList
        name="inbox"
        endpoint={ticketsEndpoint}
        filters={['show', 'q', 'assignee', 'unread', 'status', 'last', 'home', 'organization', 'date_from', 'date_to']}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ subject }) => subject}
        rowTo={({ id }) => `/tickets/${id}/`}
        chips={{ parameter: 'show', list: chips }}
        more={<Narrowing />}
        empty={{ title: t.none, says: t.noneSays }}
      />
    </>
  )
}

/** Whose they are, and only those that are unread. */
function Narrowing() {
  const t = useTexts(ticketTexts)
  const { data } = useEndpoint('GET /admin/Abonents/ticket_staff/', {})
  const [{ assignee = null, unread }, change] = useAddressFilters()
  const staff = (data?.items ?? []).map(({ id, username }) => ({ value: String(id), label: username }))
  return (
    <>
      <Select
        className={styles.whose ?? ''}
        aria-label={t.assignee}
        placeholder={t.everybody}
        data={[{ value: 'nobody', label: t.noAssignee }, ...staff]}
        value={assignee}
        onChange={(value) => change({ assignee: value ?? undefined })}
        clearable
        searchable
      />
      <Button
        className={styles.toggle ?? ''}
        variant={unread ? 'light' : 'default'}
        aria-pressed={Boolean(unread)}
        onClick={() => change({ unread: unread ? undefined : '1' })}
      >
        {t.unread}
      </Button>
    </>
  )
}

function useColumns(): readonly Column<Ticket>[] {
  const t = useTexts(ticketTexts)
  const format = useFormat()
  return useMemo(() => [...columnsOfMatter(t, format), ...columnsOfWork(t, format)], [t, format])
}

type Words = (typeof ticketTexts)['ru']

/** What it is about, what was said last, and by whom it was asked. */
const columnsOfMatter = (t: Words, format: ReturnType<typeof useFormat>): readonly Column<Ticket>[] => [
  {
    id: 'subject',
    title: t.subject,
    width: '24%',
    cell: (row) => <Subject row={row} />,
    text: ({ subject }) => subject,
  },
  {
    id: 'last',
    title: t.lastWord,
    sort: 'last',
    width: '26%',
    isOnCard: 'alone',
    cell: (row) => <LastWord row={row} />,
    text: (row) => row.last_at,
  },
  {
    id: 'client',
    title: t.client,
    isOnCard: 'alone',
    cell: ({ name, address }) => <TwoLines first={name} second={address && format.address(address)} />,
    text: ({ name }) => name,
  },
  {
    id: 'address',
    title: t.address,
    isExtra: true,
    cell: ({ address }) => address && format.address(address),
    text: ({ address }) => address,
  },
]

/** Who has it, and how far it is. */
const columnsOfWork = (t: Words, format: ReturnType<typeof useFormat>): readonly Column<Ticket>[] => [
  {
    id: 'assignee',
    title: t.assignee,
    isOnCard: true,
    cell: ({ assignee }) => assignee ?? <span className={styles.quiet}>{t.noAssignee}</span>,
    text: ({ assignee }) => assignee,
  },
  {
    id: 'state',
    title: t.state,
    isOnCard: true,
    cell: ({ status }) => <TicketState status={status} />,
    text: ({ status }) => t[status],
  },
  {
    id: 'age',
    title: t.age,
    sort: 'opened',
    align: 'right',
    cell: ({ create_date }) => <span title={format.moment(create_date)}>{format.age(create_date)}</span>,
    text: ({ create_date }) => create_date,
  },
  { id: 'number', title: t.number, isExtra: true, cell: ({ id }) => id, text: ({ id }) => id },
]

/** Who wrote last, how long ago, and how it begins. A ticket without messages is the word of the office. */
function LastWord({ row: { last_author, last_at, last_text } }: { readonly row: Ticket }) {
  const t = useTexts(ticketTexts)
  const format = useFormat()
  return <TwoLines first={`${t[last_author ?? 'staff']}, ${format.ago(last_at)}`} second={last_text} />
}

const TwoLines = ({ first, second }: { readonly first: string; readonly second: string | null }) => (
  <span className={styles.lines}>
    <span>{first}</span>
    <span className={styles.preview}>{second}</span>
  </span>
)

/** What is unread is bold, and said. */
function Subject({ row: { subject, unread } }: { readonly row: Ticket }) {
  const t = useTexts(ticketTexts)
  if (!unread) return subject
  return (
    <strong className={styles.unread}>
      <span className={styles.point} role="img" aria-label={t.isUnread} title={t.isUnread} />
      {subject}
    </strong>
  )
}
