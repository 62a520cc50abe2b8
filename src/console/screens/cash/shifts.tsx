import { useMemo } from 'react'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { cashTexts } from './texts.ts'
import { deskPath, type Shift, shiftsEndpoint, shiftsPath } from './use-desk.ts'

/** The shifts of the cashiers whom the user may see. */
export default function Shifts() {
  const t = useTexts(cashTexts)
  return (
    <>
      <PageHead title={t.shifts} back={{ to: deskPath, label: t.backToDesk }} />
      <DataList
        name="shifts"
        endpoint={shiftsEndpoint}
        filters={['staff', 'date_from', 'date_to']}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ id }) => t.numbered(id)}
        rowTo={({ id }) => `${shiftsPath}${id}/`}
        empty={{ title: t.none }}
      />
    </>
  )
}

/** Of the sums, those that a card has. */
const onCard: ReadonlySet<string> = new Set(['expected', 'difference'])

function useColumns(): readonly Column<Shift>[] {
  const t = useTexts(cashTexts)
  const format = useFormat()
  return useMemo(() => {
    /** The sums of a shift that goes on are shown with it. */
    const sum = (
      id: string,
      title: string,
      of: (shift: Shift) => string | null,
      show: (amount: string) => string = (amount) => format.money(amount),
    ): Column<Shift> => {
      const sumOf = (shift: Shift) => (shift.closed_at === null ? null : of(shift))
      const cell = (shift: Shift) => {
        const amount = sumOf(shift)
        return amount === null ? null : show(amount)
      }
      return { id, title, align: 'right', isOnCard: onCard.has(id) && 'titled', cell, text: sumOf }
    }
    return [
      { id: 'number', title: t.shift, sort: 'opened', cell: ({ id }) => t.numbered(id), text: ({ id }) => id },
      { id: 'cashier', title: t.cashier, isOnCard: true, cell: (row) => row.staff_name, text: (row) => row.staff_name },
      {
        id: 'opened',
        title: t.openedAt,
        isOnCard: true,
        cell: (row) => format.moment(row.opened_at),
        text: (row) => row.opened_at,
      },
      {
        id: 'closed',
        title: t.closedAt,
        isOnCard: 'titled',
        cell: (row) => (row.closed_at === null ? t.notYet : format.moment(row.closed_at)),
        text: (row) => row.closed_at,
      },
      sum('received', t.cashReceived, (row) => row.cash_received),
      sum('returned', t.cashReturned, (row) => row.cash_returned),
      sum('expected', t.expected, (row) => row.cash_expected),
      sum('counted', t.counted, (row) => row.counted_cash),
      sum('difference', t.difference, (row) => row.difference, format.signed),
    ]
  }, [t, format])
}
