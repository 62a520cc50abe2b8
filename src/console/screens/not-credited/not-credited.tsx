import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useFormat } from '../../format/format.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { RefundState } from '../refund/refund.tsx'
import { refundTexts } from '../refund/texts.ts'
import { notCreditedPath, type Problem, problemsEndpoint } from './endpoints.ts'
import { notCreditedTexts, reasonTexts } from './texts.ts'

/** Payments that a gateway reported and nobody has got, and how each was settled. */
export default function NotCredited() {
  const t = useTexts(notCreditedTexts)
  const columns = useColumns()
  const [{ resolved }] = useAddressFilters()
  // The list behind an opened payment, and after it, is the one that it was opened from.
  const filter = resolved === undefined ? '' : `?resolved=${resolved}`
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      <DataList
        name="not-credited"
        endpoint={problemsEndpoint}
        filters={['resolved']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ id }) => String(id)}
        rowTo={({ id }) => `${notCreditedPath}${id}/${filter}`}
        chips={{
          parameter: 'resolved',
          list: [
            { value: '', label: t.all },
            { value: '0', label: t.open },
            { value: '1', label: t.settled },
          ],
        }}
        empty={{ title: t.none }}
      />
      <Outlet />
    </>
  )
}

/** For whom the payment was meant. */
export function PayerLink({ problem: { abonent_id: id, abonent_name: name } }: { readonly problem: Problem }) {
  const format = useFormat()
  return id === null ? null : <Link to={`/subscribers/${id}/` as never}>{name ?? format.numbered(id)}</Link>
}

/** How it was settled; before there were several ways, it was closed. */
export function ProblemState({ problem: { resolved, settlement, refund } }: { readonly problem: Problem }) {
  const t = useTexts(notCreditedTexts)
  if (!resolved) return <Pill tone="warning">{t.waits}</Pill>
  if (refund) return <RefundState refund={refund} />
  return <Pill tone={settlement === 'credited' ? 'good' : 'quiet'}>{t[settlement ?? 'noted']}</Pill>
}

function useColumns(): readonly Column<Problem>[] {
  const t = useTexts(notCreditedTexts)
  const reasons = useTexts(reasonTexts)
  const refunds = useTexts(refundTexts)
  const format = useFormat()
  const names = useNames()
  return useMemo(
    () => [
      {
        id: 'why',
        title: t.why,
        width: '22%',
        cell: ({ reason }) => reasons[reason],
        text: ({ reason }) => reasons[reason],
      },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: (problem) => <ProblemState problem={problem} />,
        text: ({ resolved, settlement, refund }) =>
          refund ? refunds[refund.state] : resolved ? t[settlement ?? 'noted'] : t.waits,
      },
      {
        id: 'paid',
        title: t.paid,
        align: 'right',
        isOnCard: true,
        cell: ({ amount }) => format.money(amount),
        text: ({ amount }) => amount,
      },
      {
        id: 'at',
        title: t.at,
        isOnCard: true,
        cell: (problem) => format.moment(problem.last_at),
        text: (problem) => problem.last_at,
      },
      { id: 'gateway', title: t.gateway, cell: ({ gateway }) => t[gateway], text: ({ gateway }) => t[gateway] },
      {
        id: 'subscriber',
        title: t.subscriber,
        isOnCard: true,
        cell: (problem) => <PayerLink problem={problem} />,
        text: ({ abonent_id, abonent_name }) => abonent_name ?? abonent_id,
      },
      {
        id: 'comment',
        title: t.comment,
        width: '20%',
        cell: ({ comment }) => comment,
        text: ({ comment }) => comment,
      },
      ...names,
    ],
    [t, reasons, refunds, format, names],
  )
}

/** What the gateway and we call the payment. */
function useNames(): readonly Column<Problem>[] {
  const t = useTexts(notCreditedTexts)
  return useMemo(
    () => [
      {
        id: 'payment',
        title: t.payment,
        isExtra: true,
        cell: (problem) => problem.gateway_id,
        text: (problem) => problem.gateway_id,
      },
      {
        id: 'order',
        title: t.order,
        isExtra: true,
        cell: (problem) => problem.order_id,
        text: (problem) => problem.order_id,
      },
    ],
    [t],
  )
}
