import { Button, Select } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo } from 'react'
import { useMe } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { wholeMonth } from '../../format/days.ts'
import { type Formats, useFormat } from '../../format/format.ts'
import { operatorName } from '../../format/operator-name.ts'
import { type Filters, useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { sumsApart, useSums } from '../../patterns/list/sums.ts'
import type { Back } from '../../patterns/back-link.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { sources, sourceTexts } from '../../texts/sources.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Operation, useOperationColumns } from '../subscriber/operation.tsx'
import { moneyTexts } from '../subscriber/texts.ts'
import styles from './operations.module.css'
import { operationsTexts } from './texts.ts'

/** Both lists take the same filters and have the same rows. */
type OperationsEndpoint = 'GET /admin/Abonents/finops_json/' | 'GET /admin/reports/PayLog/'

type ListProps = {
  readonly name: string
  readonly endpoint: OperationsEndpoint
  /** The address of the list behind `/admin`. */
  readonly at: string
  /** Where files of everything that the filters find come from. */
  readonly files: string
  readonly title: string
  readonly back?: Back | undefined
  readonly says?: string
  readonly none: string
  /** What of the columns is shown without being chosen, besides those that every list of operations has. */
  readonly shown: readonly string[]
}

const filters = [
  ...['q', 'op_type', 'source', 'cashier', 'tarif', 'organization_id', 'account_id', 'abonent_id'],
  ...['date_from', 'date_to'],
] as const

/** A whole life is asked for of one account, and of nothing else without saying so. */
const narrowing = ['date_from', 'date_to', 'account_id', 'abonent_id', 'q'] as const

/** Operations of this month, or as the address says (specification 4.12 rule 2). */
export function OperationList({ name, endpoint, at, files, title, back, says, none, shown }: ListProps) {
  const t = useTexts(operationsTexts)
  const [address, change] = useAddressFilters()
  const sourceNames = useTexts(sourceTexts)
  const columns = useColumns(shown)
  const sums = useSums(endpoint, filters)
  const channels = [
    { value: '', label: t.all },
    ...sources.map((source) => ({ value: source, label: sourceNames[source] })),
  ]
  const { isoDay } = useFormat()
  const isAsked = narrowing.some((filter) => address[filter])
  useEffect(() => {
    const { from, to } = wholeMonth(isoDay(new Date().toISOString()).slice(0, 7))
    if (!isAsked) change({ date_from: from, date_to: to }, { replaces: true })
  }, [isAsked, isoDay, change])
  return (
    <>
      <PageHead
        title={title}
        {...(back && { back })}
        actions={isAsked && <FileLink files={files} address={address} />}
        says={
          <>
            {says && <p>{says}</p>}
            {isAsked && sums && <Totals sums={sums} />}
          </>
        }
      />
      {isAsked && (
        <DataList
          name={name}
          endpoint={endpoint}
          filters={filters as never}
          fixed={sumsApart as never}
          total={sums?.total}
          columns={columns}
          rowKey={({ op_id }) => op_id}
          rowName={({ op_id }) => t.numbered(op_id)}
          rowTo={({ op_id }) => `${at}${op_id}/${searchOf(address)}`}
          chips={{ parameter: 'source', list: channels }}
          more={<TypeChoice />}
          empty={{ title: none, says: t.noneSays }}
        />
      )}
      <Outlet />
    </>
  )
}

/** The filters stay where a row is opened beside the list. */
const searchOf = (address: Filters): string => {
  const asked = Object.entries(address).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`
}

/** All rows, however many they are. */
function FileLink({ files, address }: { readonly files: string; readonly address: Filters }) {
  const t = useTexts(operationsTexts)
  const asked = Object.fromEntries(filters.map((name) => [name, address[name]]))
  const href = `${files}${searchOf({ ...asked, format: 'xlsx' })}`
  return (
    <Button component="a" variant="default" href={href} aria-label={t.file} download>
      XLSX
    </Button>
  )
}

type Sums = { readonly income_sum: string; readonly expense_sum: string; readonly net_sum: string }

/** Of everything that the filters find. */
function Totals({ sums: { income_sum, expense_sum, net_sum } }: { readonly sums: Sums }) {
  const t = useTexts(operationsTexts)
  const format = useFormat()
  // A minus and its amount stay on one line.
  const money = (sum: string) => format.money(sum).replace('-', '-\u2060')
  return <p>{t.totals(money(income_sum), money(expense_sum), money(net_sum))}</p>
}

function TypeChoice() {
  const words = useProgramWords()
  const t = useTexts(operationsTexts)
  const [address, change] = useAddressFilters()
  const types = useEndpoint('GET /admin/dictionary/fin_types_crud/', { query: { per_page: 200 } }).data?.items ?? []
  return (
    <Choice
      label={t.allTypes}
      value={address.op_type}
      data={types.map(({ type_id, op_name }) => ({ value: String(type_id), label: words(op_name) }))}
      onChange={(op_type) => change({ op_type })}
    />
  )
}

type ChoiceProps = {
  readonly label: string
  readonly value: string | undefined
  readonly data: { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string | undefined) => void
}

export const Choice = ({ label, value, data, onChange }: ChoiceProps) => (
  <Select
    className={styles.choice ?? ''}
    aria-label={label}
    placeholder={label}
    data={data}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
    clearable
    searchable
  />
)

type Texts = (typeof operationsTexts)['ru']

function useColumns(shown: readonly string[]): readonly Column<Operation>[] {
  const words = useProgramWords()
  const t = useTexts(operationsTexts)
  const money = useTexts(moneyTexts)
  const sourceNames = useTexts(sourceTexts)
  const format = useFormat()
  const operation = useOperationColumns()
  const hasMany = useMe().organizations.length > 1
  return useMemo(() => {
    const plain = (id: string, title: string, of: (row: Operation) => string | number | null | undefined) =>
      ({ id, title, cell: of, text: of }) as Column<Operation>
    const columns: readonly Column<Operation>[] = [
      ...operation,
      ...clientColumns(t),
      plain('channel', t.channel, ({ source }) => sourceNames[source]),
      { ...plain('descr', money.descr, ({ descr }) => descr && words(descr)), width: '16%', isElastic: true },
      plain('author', money.author, (row) => row.owner_name),
      plain('number', t.number, (row) => row.op_id),
      plain('paper', t.paper, (row) => row.number),
      plain('operator', t.operator, (row) => operatorName(sourceNames, row.operator_name)),
      plain('payId', t.payId, (row) => row.operator_pay_id_str),
      plain('receipt', t.receipt, (row) => (row.kkm_printed ? t.printed : null)),
      recordedColumn(t, format),
      plain('code1c', t.code1c, ({ code1c }) => code1c),
      ...(hasMany ? [plain('organization', t.organization, (row) => row.organization_name)] : []),
    ]
    const usual = new Set([...operation.map(({ id }) => id), 'client', 'organization', ...shown])
    return columns.map((column) => (usual.has(column.id) ? column : { ...column, isExtra: true as const }))
  }, [t, money, sourceNames, format, words, operation, hasMany, shown])
}

const clientColumns = (t: Texts): readonly Column<Operation>[] => [
  {
    id: 'client',
    title: t.client,
    width: '22%',
    isElastic: true,
    isOnCard: true,
    cell: ({ abonent_id: id, abonent_name: name, account_id }): ReactNode =>
      id === null ? (
        <Link to={`/money/accounts/${account_id}/` as never}>{`${t.account} ${account_id}`}</Link>
      ) : (
        <Link to={`/subscribers/${id}/` as never}>{name}</Link>
      ),
    text: (row) => row.abonent_name,
  },
  {
    id: 'contract',
    title: t.contract,
    cell: (row) => row.contract_number,
    text: (row) => row.contract_number,
  },
]

const recordedColumn = (t: Texts, format: Formats): Column<Operation> => ({
  id: 'recorded',
  title: t.recorded,
  cell: (row) => format.moment(row.system_date),
  text: (row) => row.system_date,
})
