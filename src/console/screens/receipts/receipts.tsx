import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { receiptTexts } from './texts.ts'

const endpoint = 'GET /admin/Abonents/finops_fiscal_queue/'
type Receipt = Item<typeof endpoint>

const tones = { waiting: 'info', sent: 'info', refused: 'bad', done: 'good' } as const

/** Fiscal receipts by their state; those that are not printed yet come first to mind. */
export default function Receipts() {
  const t = useTexts(receiptTexts)
  const columns = useColumns()
  const states = ['waiting', 'sent', 'refused', 'done'] as const
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      <DataList
        name="receipts"
        endpoint={endpoint}
        filters={['state']}
        columns={columns}
        rowKey={(row) => row.external_id}
        rowName={(row) => String(row.op_id)}
        rowTo={() => null}
        chips={{
          parameter: 'state',
          list: [{ value: '', label: t.undone }, ...states.map((value) => ({ value, label: t[value] }))],
        }}
        empty={{ title: t.none }}
      />
    </>
  )
}

function useColumns(): readonly Column<Receipt>[] {
  const t = useTexts(receiptTexts)
  const format = useFormat()
  const sending = useSending()
  return useMemo(
    () => [
      {
        id: 'operation',
        title: t.operation,
        cell: (row) => <Link to={`/money/operations/${row.op_id}/` as never}>{row.op_id}</Link>,
        text: (row) => row.op_id,
      },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: ({ state }) => <Pill tone={tones[state]}>{t[state]}</Pill>,
        text: ({ state }) => t[state],
      },
      {
        id: 'amount',
        title: t.amount,
        align: 'right',
        isOnCard: true,
        cell: ({ amount }) => format.money(amount),
        text: ({ amount }) => amount,
      },
      {
        id: 'direction',
        title: t.direction,
        cell: ({ direction }) => t[direction],
        text: ({ direction }) => t[direction],
      },
      { id: 'contact', title: t.contact, cell: ({ contact }) => contact, text: ({ contact }) => contact },
      {
        id: 'error',
        title: t.error,
        width: '22%',
        isOnCard: true,
        cell: ({ error }) => error,
        text: ({ error }) => error,
      },
      ...sending,
    ],
    [t, format, sending],
  )
}

/** How a receipt is sent, and a press that sends it again. */
function useSending(): readonly Column<Receipt>[] {
  const t = useTexts(receiptTexts)
  const format = useFormat()
  const may = useMay()
  const mayRetry = may('money')
  return useMemo(
    () => [
      { id: 'made', title: t.made, cell: (row) => format.moment(row.created_at), text: (row) => row.created_at },
      {
        id: 'nextTry',
        title: t.nextTry,
        isExtra: true,
        cell: (row) => format.moment(row.next_try),
        text: (row) => row.next_try,
      },
      {
        id: 'attempts',
        title: t.attempts,
        isExtra: true,
        align: 'right',
        cell: ({ attempts }) => attempts,
        text: ({ attempts }) => attempts,
      },
      {
        id: 'config',
        title: t.config,
        isExtra: true,
        cell: ({ config }) => config.name,
        text: ({ config }) => config.name,
      },
      ...(mayRetry
        ? [{ id: 'retry', title: t.retry, isAction: true, cell: (row: Receipt) => <Retry receipt={row} /> }]
        : []),
    ],
    [t, format, mayRetry],
  )
}

function Retry({ receipt: { op_id, state } }: { readonly receipt: Receipt }) {
  const t = useTexts(receiptTexts)
  const send = useTold('POST /admin/Abonents/finops_fiscal_retry/{op_id}/', [endpoint])
  if (state !== 'refused' && state !== 'waiting') return null
  const run = () => send.run({ path: { op_id }, body: {} }, t.retried)
  return (
    <Button variant="default" size="compact-sm" loading={send.isPending} aria-label={t.retryNamed(op_id)} onClick={run}>
      {t.retry}
    </Button>
  )
}
