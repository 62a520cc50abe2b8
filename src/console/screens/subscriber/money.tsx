import { Button } from '@mantine/core'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/me.tsx'
import { sumOf } from '../../format/money.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { useTexts } from '../../texts/texts.ts'
import { addressOfAccount } from '../accounts/use-account.ts'
import { Balance } from '../subscribers/balance.tsx'
import { type Operation, useOperationColumns } from './operation.tsx'
import { cardTexts, moneyTexts } from './texts.ts'
import { useSubscriber } from './use-subscriber.ts'

export default function Money() {
  const t = useTexts(moneyTexts)
  const card = useTexts(cardTexts)
  const may = useMay()
  const navigate = useNavigate()
  const { subscriber } = useSubscriber()
  const { id, account_id, last_operation_id } = subscriber
  return (
    <>
      <DataList
        name="statement"
        door="GET /admin/Abonents/finops_json/"
        fixed={{ account_id }}
        filters={['q', 'op_type', 'date_from', 'date_to']}
        columns={useColumns()}
        rowKey={({ op_id }) => op_id}
        rowName={({ op_id }) => `№ ${op_id}`}
        rowTo={() => null}
        more={
          <>
            <Button component={Link} to={addressOfAccount(account_id) as never} variant="default">
              {t.account}
            </Button>
            {may('money') && last_operation_id !== null && (
              <Button variant="default" onClick={() => void navigate({ to: `/subscribers/${id}/money/reversal/` })}>
                {t.reverse}
              </Button>
            )}
          </>
        }
        empty={{
          title: t.none,
          deed: may('money') && (
            <Button onClick={() => void navigate({ to: `/subscribers/${id}/money/payment/` })}>{card.payment}</Button>
          ),
        }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Operation>[] {
  const t = useTexts(moneyTexts)
  const operation = useOperationColumns()
  return useMemo(
    () => [
      ...operation,
      {
        id: 'after',
        title: t.after,
        align: 'right',
        isOnCard: true,
        cell: (row) => <Balance balance={sumOf(row.aa_ostatok, row.amount)} />,
        text: (row) => sumOf(row.aa_ostatok, row.amount),
      },
      { id: 'descr', title: t.descr, width: '30%', cell: ({ descr }) => descr, text: ({ descr }) => descr },
      { id: 'author', title: t.author, cell: (row) => row.owner_name, text: (row) => row.owner_name },
      { id: 'number', title: t.number, isExtra: true, cell: (row) => row.op_id, text: (row) => row.op_id },
    ],
    [t, operation],
  )
}
