import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { cashTexts } from './texts.ts'
import { type Desk, deskPath, paperOf, type Shift } from './use-desk.ts'

/** The shift of the cashier as it goes on. */
export function OpenShift({ desk, shift }: { readonly desk: Desk; readonly shift: Shift }) {
  const t = useTexts(cashTexts)
  const format = useFormat()
  const ofLimit = (sum: string, limit: string | null) =>
    limit === null ? format.money(sum) : t.limit(format.money(sum), format.money(limit))
  const actions = (
    <Group gap="xs">
      <Paper id={shift.id} />
      <Button component={Link} to={`${deskPath}close/` as never} variant="default">
        {t.close}
      </Button>
    </Group>
  )
  return (
    <Panel title={t.numbered(shift.id)} actions={actions}>
      <Facts
        facts={[
          ...shiftFacts(shift, t, format),
          [t.today, ofLimit(desk.today, desk.limit)],
          [t.todayAll, desk.limit_all === null ? null : ofLimit(desk.today_all, desk.limit_all)],
        ]}
      />
      <Totals shift={shift} />
    </Panel>
  )
}

export const shiftFacts = (shift: Shift, t: (typeof cashTexts)['ru'], format: ReturnType<typeof useFormat>) =>
  [
    [t.openedAt, format.moment(shift.opened_at)],
    [t.closedAt, shift.closed_at && format.moment(shift.closed_at)],
    [t.opening, format.money(shift.opening_cash)],
    [t.cashReceived, format.money(shift.cash_received)],
    [t.cashReturned, format.money(shift.cash_returned)],
    [t.expected, <b key="expected">{format.money(shift.cash_expected)}</b>],
    [t.counted, shift.counted_cash && format.money(shift.counted_cash)],
    [t.difference, shift.difference && format.signed(shift.difference)],
  ] as const

/** What was received and given back, by type and way. */
export function Totals({ shift }: { readonly shift: Shift }) {
  const words = useProgramWords()
  const t = useTexts(cashTexts)
  const format = useFormat()
  return (
    <PlainTable
      label={t.shift}
      rows={shift.totals}
      rowKey={({ type_id, way }) => `${type_id} ${way}`}
      none={t.nothing}
      columns={[
        { title: t.type, cell: (row) => words(row.type_name) },
        { title: t.way, cell: ({ way }) => t[way] },
        { title: t.payments, align: 'right', cell: (row) => format.number(row.received_count) },
        { title: t.received, align: 'right', cell: ({ received }) => format.money(received) },
        { title: t.returns, align: 'right', cell: (row) => format.number(row.returned_count) },
        { title: t.returned, align: 'right', cell: ({ returned }) => format.money(returned) },
      ]}
    />
  )
}

/** The paper of a shift, in a window of its own. */
export function Paper({ id }: { readonly id: number }) {
  const t = useTexts(cashTexts)
  return (
    <Button
      component="a"
      href={paperOf(id)}
      target="_blank"
      rel="noopener"
      variant="default"
      aria-label={t.paperOf(id)}
    >
      {t.paper}
    </Button>
  )
}
