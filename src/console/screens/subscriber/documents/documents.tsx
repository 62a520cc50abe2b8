import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { useMay } from '../../../api/me.tsx'
import { useSend } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import type { Column } from '../../../patterns/list/columns.ts'
import { DataList } from '../../../patterns/list/data-list.tsx'
import { Pill } from '../../../patterns/pill.tsx'
import { told } from '../../../patterns/told.ts'
import { useSayRefusal } from '../../../texts/refusals.ts'
import { useTexts } from '../../../texts/texts.ts'
import { type Operation, useOperationColumns } from '../operation.tsx'
import { useSubscriber } from '../use-subscriber.ts'
import { Bills } from './bills.tsx'
import styles from './documents.module.css'
import { documentTexts } from './texts.ts'

/** The papers that the program makes: the bill of a month, and of each operation a receipt, an invoice or a note. */
export default function Documents() {
  const t = useTexts(documentTexts)
  const format = useFormat()
  const { account_id } = useSubscriber().subscriber
  return (
    <>
      <Bills />
      <h2 className={styles.title}>{t.operations}</h2>
      <DataList
        name="documents"
        endpoint="GET /admin/Abonents/finops_json/"
        fixed={{ account_id }}
        filters={['q']}
        columns={useColumns()}
        rowKey={({ op_id }) => op_id}
        rowName={({ op_id }) => format.numbered(op_id)}
        rowTo={() => null}
        empty={{ title: t.none }}
      />
    </>
  )
}

/** Opens the paper; printing makes it anew and keeps it as what the client was given. */
function Paper({ operation: { op_id, abonent_id, amount } }: { readonly operation: Operation }) {
  const t = useTexts(documentTexts)
  const may = useMay()
  const say = useSayRefusal()
  const { id } = useSubscriber().subscriber
  const print = useSend('POST /admin/getpdf/{abonent_id}/{item_id}/')
  if (Number(amount) === 0) return <span className={styles.quiet}>{t.noPaper}</span>
  const path = { abonent_id: abonent_id ?? id, item_id: op_id }
  const address = `/admin/getpdf/${path.abonent_id}/${path.item_id}/`
  const run = () => {
    // Opened at once, because a browser lets a click open a window, and not what follows it later.
    const paper = window.open('', '_blank')
    print.mutate(
      { path },
      {
        onSuccess: () => {
          told.done(t.printed)
          paper?.location.replace(address)
        },
        onError: (error) => {
          paper?.close()
          told.failed(say(error))
        },
      },
    )
  }
  return (
    <span className={styles.paper}>
      <a href={address} target="_blank" rel="noopener" aria-label={t.openOf(op_id)}>
        {t.open}
      </a>
      {may('change') && (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={t.printOf(op_id)}
          loading={print.isPending}
          onClick={run}
        >
          {t.print}
        </Button>
      )}
    </span>
  )
}

function useColumns(): readonly Column<Operation>[] {
  const t = useTexts(documentTexts)
  const operation = useOperationColumns()
  return useMemo(
    () => [
      ...operation,
      { id: 'fiscal', title: t.fiscal, cell: (row) => row.kkm_printed && <Pill tone="good">{t.isFiscal}</Pill> },
      {
        id: 'document',
        title: t.document,
        width: '14rem',
        isOnCard: 'alone',
        cell: (row) => <Paper operation={row} />,
      },
    ],
    [t, operation],
  )
}
