import { Button } from '@mantine/core'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useFormat } from '../../format/format.ts'
import { useMemo } from 'react'
import { useMay } from '../../api/me.tsx'
import { sumOf } from '../../format/money.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { addressOfAccount } from '../accounts/use-account.ts'
import { Balance } from '../subscribers/balance.tsx'
import { type Operation, ReverseLink, useOperationColumns } from './operation.tsx'
import { cardTexts, moneyTexts } from './texts.ts'
import { useSubscriber } from './use-subscriber.ts'

export default function Money() {
  const t = useTexts(moneyTexts)
  const card = useTexts(cardTexts)
  const may = useMay()
  const navigate = useNavigate()
  const format = useFormat()
  const { subscriber } = useSubscriber()
  const { id, account_id } = subscriber
  const at = `/subscribers/${id}/money/`
  return (
    <>
      <DataList
        name="statement"
        endpoint="GET /admin/Abonents/finops_json/"
        fixed={{ account_id }}
        filters={['q', 'op_type', 'date_from', 'date_to']}
        columns={useColumns(at)}
        rowKey={({ op_id }) => op_id}
        rowName={({ op_id }) => format.numbered(op_id)}
        rowTo={() => null}
        more={
          <Button component={Link} to={addressOfAccount(account_id) as never} variant="default">
            {t.account}
          </Button>
        }
        empty={{
          title: t.none,
          action: may('money') && (
            <Button onClick={() => void navigate({ to: `${at}payment/` as never })}>{card.payment}</Button>
          ),
        }}
      />
      <Outlet />
    </>
  )
}

/** A reversal has its reason beside its description. */
const wordsOf = ({ descr, admin_comment: reason }: Operation, words: (text: string) => string): string =>
  [descr && words(descr), reason].filter((one) => one !== null && one !== '').join(' · ')

function useColumns(at: string): readonly Column<Operation>[] {
  const t = useTexts(moneyTexts)
  const mayReverse = useMay()('money')
  const words = useProgramWords()
  const operation = useOperationColumns()
  return useMemo(() => {
    const said = (row: Operation) => wordsOf(row, words)
    const action: Column<Operation> = {
      id: 'action',
      title: t.reverse,
      align: 'right',
      isAction: true,
      cell: (row) => <ReverseLink at={at} row={row} />,
    }
    return [
      ...operation,
      {
        id: 'after',
        title: t.after,
        align: 'right',
        isOnCard: 'titled',
        cell: (row) => <Balance balance={sumOf(row.aa_ostatok, row.amount)} />,
        text: (row) => sumOf(row.aa_ostatok, row.amount),
      },
      { id: 'descr', title: t.descr, width: '30%', isElastic: true, isOnCard: 'alone', cell: said, text: said },
      { id: 'author', title: t.author, cell: (row) => row.owner_name, text: (row) => row.owner_name },
      { id: 'number', title: t.number, isExtra: true, cell: (row) => row.op_id, text: (row) => row.op_id },
      ...(mayReverse ? [action] : []),
    ]
  }, [t, words, operation, at, mayReverse])
}
