import { Button } from '@mantine/core'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../../api/client.ts'
import { useMay } from '../../../api/me.tsx'
import { useFormat } from '../../../format/format.ts'
import { useFollowing } from '../../../live/use-following.ts'
import type { Column } from '../../../patterns/list/columns.ts'
import { DataList } from '../../../patterns/list/data-list.tsx'
import { type Action, useActions } from '../../../search/actions.ts'
import { useTexts } from '../../../texts/texts.ts'
import { TicketState, ticketOfFrame } from '../../tickets/state.tsx'
import { ticketTexts } from '../../tickets/texts.ts'
import { useSubscriber } from '../use-subscriber.ts'

const endpoint = 'GET /admin/Abonents/tickets/{id}/'
type Ticket = Item<typeof endpoint>

const followMs = 1_000

/** The tickets of the subscriber; each opens as a thread. */
export default function Tickets() {
  const t = useTexts(ticketTexts)
  const may = useMay()
  const navigate = useNavigate()
  const { id } = useSubscriber().subscriber
  useFollowing([`abonent:${id}`], [endpoint], followMs, (frame) => ticketOfFrame(frame) !== null)
  const openForm: Action = {
    title: t.new,
    icon: 'ticket',
    run: () => void navigate({ to: `/subscribers/${id}/tickets/new/` }),
  }
  useActions(may('change') ? [openForm] : [])
  const button = may('change') && <Button onClick={openForm.run}>{t.new}</Button>
  return (
    <>
      <DataList
        name="tickets"
        endpoint={endpoint}
        path={{ id }}
        filters={[]}
        columns={useColumns()}
        rowKey={(row) => row.id}
        rowName={({ subject }) => subject}
        rowTo={(row) => `/subscribers/${id}/tickets/${row.id}/`}
        more={button}
        empty={{ title: t.none, action: button }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Ticket>[] {
  const t = useTexts(ticketTexts)
  const format = useFormat()
  return useMemo(
    () => [
      { id: 'subject', title: t.subject, width: '40%', cell: ({ subject }) => subject, text: ({ subject }) => subject },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: ({ status }) => <TicketState status={status} />,
        text: ({ status }) => t[status],
      },
      {
        id: 'last',
        title: t.lastWord,
        isOnCard: true,
        cell: (row) => `${t[row.last_author ?? 'nobody']}, ${format.moment(row.last_at)}`,
        text: (row) => row.last_at,
      },
      {
        id: 'messages',
        title: t.messages,
        align: 'right',
        cell: ({ messages }) => messages,
        text: ({ messages }) => messages,
      },
      {
        id: 'opened',
        title: t.opened,
        cell: (row) => format.moment(row.create_date),
        text: (row) => row.create_date,
      },
      { id: 'number', title: t.number, isExtra: true, cell: (row) => row.id, text: (row) => row.id },
    ],
    [t, format],
  )
}
