import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { RefundState } from './refund.tsx'
import { refundListTexts, refundTexts } from './texts.ts'

const endpoint = 'GET /admin/payments/refunds/'
type Listed = Item<typeof endpoint>

/** Refunds that were asked of a gateway, and how far each is: a row leads to where it was begun. */
export default function Refunds() {
  const t = useTexts(refundListTexts)
  const states = useTexts(refundTexts)
  const columns = useColumns()
  const stands = (['asked', 'sent', 'failed', 'done', 'by_hand'] as const).map((value) => ({
    value,
    label: states[value],
  }))
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      <DataList
        name="refunds"
        endpoint={endpoint}
        filters={['state']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ id, subscriber_name: name }) => name ?? String(id)}
        rowTo={({ problem_id: problem, operation_id: operation }) =>
          problem === null ? `/money/operations/${operation}/` : `/money/not-credited/${problem}/`
        }
        chips={{ parameter: 'state', list: [{ value: '', label: t.all }, ...stands] }}
        empty={{ title: t.none }}
      />
    </>
  )
}

function useColumns(): readonly Column<Listed>[] {
  const t = useTexts(refundListTexts)
  const states = useTexts(refundTexts)
  const format = useFormat()
  return useMemo(
    () => [
      {
        id: 'at',
        title: t.asked,
        sort: 'id',
        cell: ({ refund }) => format.moment(refund.created_at),
        text: ({ refund }) => refund.created_at,
      },
      {
        id: 'state',
        title: states.state,
        isOnCard: true,
        cell: ({ refund }) => <RefundState refund={refund} />,
        text: ({ refund }) => states[refund.state],
      },
      {
        id: 'amount',
        title: states.amount,
        sort: 'amount',
        align: 'right',
        isOnCard: true,
        cell: ({ refund }) => format.money(refund.amount),
        text: ({ refund }) => refund.amount,
      },
      {
        id: 'subscriber',
        title: t.subscriber,
        isOnCard: true,
        cell: ({ subscriber_id: id, subscriber_name: name }) =>
          id !== null && <Link to={`/subscribers/${id}/` as never}>{name ?? id}</Link>,
        text: ({ subscriber_name: name }) => name,
      },
      { id: 'error', title: states.error, cell: ({ refund }) => refund.error, text: ({ refund }) => refund.error },
      { id: 'by', title: states.by, cell: ({ refund }) => refund.asked_by, text: ({ refund }) => refund.asked_by },
      {
        id: 'payment',
        title: t.payment,
        isExtra: true,
        cell: ({ payment_id: payment }) => payment,
        text: ({ payment_id: payment }) => payment,
      },
    ],
    [t, states, format],
  )
}
