import { Button } from '@mantine/core'
import { useMemo } from 'react'
import type { Answer } from '../../api/client.ts'
import { useMay, useMe } from '../../api/me.tsx'
import { type Formats, useFormat } from '../../format/format.ts'
import { debtOf } from '../../format/money.ts'
import { placeTexts } from '../../frame/places.ts'
import { useGo } from '../../patterns/late.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { sumsApart, useSums } from '../../patterns/list/sums.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { Balance } from '../subscribers/balance.tsx'
import { AccountActions } from './many.tsx'
import { States, useStatesOf } from './states.tsx'
import { accountsTexts } from './texts.ts'
import { type Account, accountsEndpoint, addressOfAccount } from './use-account.ts'

const filters = ['chip', 'q'] as const

/** Every account, also those that no subscriber has. */
export default function Accounts() {
  const t = useTexts(accountsTexts)
  const may = useMay()
  const columns = useColumns()
  const sums = useSums(accountsEndpoint, filters)
  const place = useTexts(placeTexts)
  const chips = [
    { value: '', label: place.all },
    { value: 'debtors', label: place.debtors },
    { value: 'plus', label: t.plus },
    { value: 'without_client', label: t.without_client },
  ]
  return (
    <>
      <PageHead
        title={place.accounts}
        says={sums && <Totals sums={sums} />}
        actions={may('change') && <OpenAccount />}
      />
      <DataList
        name="accounts"
        endpoint={accountsEndpoint}
        filters={filters}
        fixed={sumsApart}
        total={sums?.total}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ id }) => t.numbered(id)}
        rowTo={({ id }) => addressOfAccount(id)}
        chips={{ parameter: 'chip', list: chips }}
        {...(may('change') && {
          actions: (marked: readonly Account[], unmark: () => void) => (
            <AccountActions marked={marked} onDone={unmark} />
          ),
        })}
        empty={{ title: t.none, says: t.noneSays }}
      />
    </>
  )
}

type Sums = NonNullable<Answer<typeof accountsEndpoint>['kpi']>

/** Of everything that the filters find. */
function Totals({ sums: { total, debtors, without_client, debt_sum, plus_sum } }: { readonly sums: Sums }) {
  const t = useTexts(accountsTexts)
  const format = useFormat()
  const [{ chip }] = useAddressFilters()
  return (
    <>
      {t.totals(format.number(total), format.money(debtOf(debt_sum) ?? '0'), format.money(plus_sum))}
      {chip === undefined && ` · ${t.counts(format.number(debtors), format.number(without_client))}`}
    </>
  )
}

/** An account by itself, to which a subscriber may be linked. */
function OpenAccount() {
  const t = useTexts(accountsTexts)
  const navigate = useGo()
  const open = useTold('POST /admin/Abonents/accounts_crud/', [accountsEndpoint])
  const run = () =>
    open.run({ body: {} }, ({ account }) => void navigate({ to: addressOfAccount(account.id) as never }))
  return (
    <Button loading={open.isPending} onClick={run}>
      {t.open}
    </Button>
  )
}

type Texts = (typeof accountsTexts)['ru']

function useColumns(): readonly Column<Account>[] {
  const t = useTexts(accountsTexts)
  const format = useFormat()
  const statesOf = useStatesOf()
  const hasMany = useMe().organizations.length > 1
  return useMemo(() => {
    const organization: Column<Account> = {
      id: 'organization',
      title: t.organization,
      cell: (row) => row.organization_name,
      text: (row) => row.organization_name,
    }
    const state: Column<Account> = {
      id: 'state',
      title: t.state,
      isOnCard: true,
      cell: (row) => <States account={row} />,
      text: (row) =>
        statesOf(row)
          .map(({ says }) => says)
          .join(', '),
    }
    return [
      ...whoColumns(t, format),
      ...moneyColumns(t, format),
      state,
      ...lateColumns(t, format),
      ...(hasMany ? [organization] : []),
    ]
  }, [t, format, statesOf, hasMany])
}

const whoColumns = (t: Texts, format: Formats): readonly Column<Account>[] => [
  {
    id: 'id',
    title: t.account,
    sort: 'id',
    width: '9rem',
    cell: ({ id }) => format.numbered(id),
    text: ({ id }) => id,
  },
  {
    id: 'client',
    title: t.client,
    sort: 'name',
    width: '30%',
    isOnCard: true,
    cell: ({ client, clients_count: count, comment }) =>
      client === null
        ? comment
        : [client.name, client.contract_number, count > 1 && t.more(count - 1)].filter(Boolean).join(' · '),
    text: ({ client }) => client?.name,
  },
]

const moneyColumns = (t: Texts, format: Formats): readonly Column<Account>[] => [
  {
    id: 'balance',
    title: t.balance,
    sort: 'balance',
    align: 'right',
    isOnCard: true,
    cell: ({ balance }) => <Balance balance={balance} />,
    text: ({ balance }) => balance,
  },
  {
    id: 'limit',
    title: t.limit,
    sort: 'limit',
    align: 'right',
    cell: ({ limit }) => format.money(limit),
    text: ({ limit }) => limit,
  },
]

const lateColumns = (t: Texts, format: Formats): readonly Column<Account>[] => [
  {
    id: 'created',
    title: t.created,
    sort: 'create_date',
    isExtra: true,
    cell: (row) => format.day(row.create_date),
    text: (row) => row.create_date,
  },
  { id: 'comment', title: t.comment, isExtra: true, cell: ({ comment }) => comment, text: ({ comment }) => comment },
]
