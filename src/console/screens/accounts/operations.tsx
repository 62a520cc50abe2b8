import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { sumOf } from '../../format/money.ts'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { sourceTexts } from '../../texts/sources.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Operation, ReverseLink, useOperationColumns } from '../subscriber/operation.tsx'
import { moneyTexts } from '../subscriber/texts.ts'
import { Balance } from '../subscribers/balance.tsx'
import { accountMoneyTexts } from './texts.ts'
import { type AccountCard, addressOfAccount } from './use-account.ts'

/** The latest operations. */
export function Operations({ card: { account, operations } }: { readonly card: AccountCard }) {
  const words = useProgramWords()
  const t = useTexts(accountMoneyTexts)
  const money = useTexts(moneyTexts)
  const sources = useTexts(sourceTexts)
  const mayReverse = useMay()('money')
  const all = operations.length > 0 && (
    <Button
      component={Link}
      variant="default"
      to={'/money/operations/' as never}
      search={{ account_id: String(account.id) } as never}
    >
      {t.allOperations}
    </Button>
  )
  return (
    <Panel title={t.operations} actions={all}>
      <PlainTable
        label={t.operations}
        rows={operations}
        rowKey={(row) => row.op_id}
        none={money.none}
        columns={[
          { title: money.number, cell: (row) => row.op_id },
          ...useOperationColumns(),
          { title: t.channel, cell: ({ source }) => sources[source] },
          {
            title: money.after,
            align: 'right',
            cell: (row) => <Balance balance={sumOf(row.aa_ostatok, row.amount)} />,
          },
          { title: money.descr, cell: ({ descr }) => descr && words(descr) },
          { title: money.author, cell: (row) => row.owner_name },
          ...(mayReverse
            ? [
                {
                  title: money.reverse,
                  isAction: true,
                  cell: (row: Operation) => <ReverseLink at={addressOfAccount(account.id)} row={row} />,
                },
              ]
            : []),
        ]}
      />
    </Panel>
  )
}

/** Operations that came with a bank statement. */
export function BankRows({ id }: { readonly id: number }) {
  const words = useProgramWords()
  const t = useTexts(accountMoneyTexts)
  const money = useTexts(moneyTexts)
  const columns = useOperationColumns()
  const { data } = useEndpoint('GET /admin/Abonents/accounts_bank_ops/{id}/', { path: { id }, query: {} })
  return (
    <Panel title={t.bank}>
      {data && (
        <PlainTable
          label={t.bank}
          rows={data.items}
          rowKey={(row) => row.op_id}
          none={t.noBank}
          columns={[
            { title: t.row, cell: (row) => row.bank_op },
            ...columns,
            { title: t.paper, cell: ({ number }) => number },
            { title: money.descr, cell: ({ descr }) => descr && words(descr) },
          ]}
        />
      )}
    </Panel>
  )
}
