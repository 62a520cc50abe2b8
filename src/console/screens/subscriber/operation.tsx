import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { Pill } from '../../patterns/pill.tsx'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { moneyTexts } from './texts.ts'

/** An operation as the statement shows it. */
export type Operation = Item<'GET /admin/Abonents/finops_json/'>

/** What kind of operation it is. A reversal and what it has reversed are both marked as storno. */
export function OperationType({ row }: { readonly row: Operation }) {
  const words = useProgramWords()
  const t = useTexts(moneyTexts)
  const { op_type_name: name, storno, is_reversal } = row
  return (
    <>
      {struck(row, words(name))} {storno && <Pill tone="quiet">{is_reversal ? t.reversal : t.reversed}</Pill>}
    </>
  )
}

/** A reversal and what it has reversed are without effect together: struck through (specification 4.12 rule 6). */
const struck = ({ storno }: Operation, said: string): ReactNode => (storno ? <s>{said}</s> : said)

/** The sign stands before the line, which would hide a minus. */
function struckAmount(row: Operation, said: string): ReactNode {
  const digits = said.search(/\d/)
  return (
    <>
      {said.slice(0, digits)}
      {struck(row, said.slice(digits))}
    </>
  )
}

/** When an operation was, what it was and of how much: the columns with which every list of operations begins. */
export function useOperationColumns(): readonly Column<Operation>[] {
  const words = useProgramWords()
  const t = useTexts(moneyTexts)
  const format = useFormat()
  return useMemo(
    () => [
      {
        id: 'date',
        title: t.date,
        width: '10rem',
        cell: (row) => struck(row, format.moment(row.op_date)),
        text: (row) => row.op_date,
      },
      {
        id: 'type',
        title: t.type,
        isOnCard: true,
        cell: (row) => <OperationType row={row} />,
        text: (row) => words(row.op_type_name),
      },
      {
        id: 'amount',
        title: t.amount,
        align: 'right',
        isOnCard: true,
        cell: (row) => struckAmount(row, format.signed(row.amount)),
        text: ({ amount }) => amount,
      },
    ],
    [t, format, words],
  )
}

/** Leads to the reversal of an operation, beside the screen at `at`; nothing where it has been reversed. */
export function ReverseLink({ at, row }: { readonly at: string; readonly row: Operation }) {
  const t = useTexts(moneyTexts)
  if (row.storno) return null
  return (
    <Link to={`${at}reversal/${row.op_id}/` as never} search={true as never} aria-label={t.reverseOne(row.op_id)}>
      {t.reverse}
    </Link>
  )
}
