import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Refused } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { wholeMonth } from '../../format/days.ts'
import { useFormat } from '../../format/format.ts'
import { type Filters, useAddressFilters } from '../../patterns/list/address.ts'
import { Chips } from '../../patterns/list/chips.tsx'
import { useSayRefusal } from '../../texts/refusals.ts'
import { sourceTexts } from '../../texts/sources.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { Choices } from './choices.tsx'
import { ReportFrame } from './frame.tsx'
import { MoneyChart } from './money-chart.tsx'
import { type Movements, movementsEndpoint, type Split } from './movements.ts'
import styles from './reports.module.css'
import { SumsTable } from './sums-table.tsx'
import { reportTexts } from './texts.ts'

const splits = [
  'type',
  'day',
  'month',
  'channel',
  'cashier',
  'tariff',
  'organization',
] as const satisfies readonly Split[]

/** Money by type, day, month, channel, cashier, tariff or organization, in columns of another of them. */
export default function Money() {
  const t = useTexts(reportTexts)
  const { isoDay } = useFormat()
  const [address, change] = useAddressFilters()
  const { from, to } = wholeMonth(isoDay(new Date().toISOString()).slice(0, 7))
  const by = splits.find((split) => split === address.by) ?? 'type'
  const across = splits.find((split) => split === address.across && split !== by)
  const { op_type, source, cashier, tarif, organization_id, date_from = from, date_to = to } = address
  const asked = { by, across, date_from, date_to, op_type, source, cashier, tarif, organization_id }
  return (
    <ReportFrame report="money" says={t.says} asked={asked}>
      <div className={styles.by}>
        <Chips
          label={t.rows}
          parameter="by"
          list={splits.map((value) => ({ value, label: t[value] }))}
          chosen={by}
          onChange={change}
        />
      </div>
      <Choices asked={asked} onChange={change} />
      <Report asked={asked} />
    </ReportFrame>
  )
}

function Report({ asked }: { readonly asked: Filters }) {
  const t = useTexts(reportTexts)
  const say = useSayRefusal()
  const { data, error } = useEndpoint(movementsEndpoint, { query: asked as never })
  if (error instanceof Refused) return <p className={styles.none}>{say(error)}</p>
  if (error) throw error
  if (!data) return <div className={styles.waiting} aria-busy="true" />
  if (data.totals.operations === 0) return <p className={styles.none}>{t.none}</p>
  return (
    <>
      {(data.by === 'day' || data.by === 'month') && <MoneyChart movements={data} />}
      <Table movements={data} asked={asked} />
    </>
  )
}

function Table({ movements, asked }: { readonly movements: Movements; readonly asked: Filters }) {
  const t = useTexts(reportTexts)
  const format = useFormat()
  const nameIn = useNames()
  const { by, across, columns, items, totals } = movements
  const sums = (row: Movements['totals']) => [
    format.number(row.operations),
    format.money(row.income),
    format.money(row.expense),
    format.money(row.net),
  ]
  return (
    <SumsTable
      label={t.money}
      columns={[
        t[by],
        ...[t.operations, t.income, t.expense, t.net],
        ...columns.map((column) => nameIn(across!, column)),
      ]}
      rows={items}
      rowKey={({ key }) => key}
      cells={(row) => [
        <Link key="name" to="/money/payments/" search={operationsOf(asked, by, row.key) as never}>
          {nameIn(by, row)}
        </Link>,
        ...sums(row),
        ...row.cells.map(
          (net, at): ReactNode =>
            net === null ? (
              ''
            ) : (
              <Link
                key={columns[at]!.key}
                to="/money/payments/"
                search={operationsOf(operationsOf(asked, by, row.key), across!, columns[at]!.key) as never}
              >
                {format.money(net)}
              </Link>
            ),
        ),
      ]}
      totals={[t.total, ...sums(totals), ...columns.map(({ net }) => format.money(net))]}
    />
  )
}

const filterOf = {
  ...{ type: 'op_type', channel: 'source', cashier: 'cashier', tariff: 'tarif', organization: 'organization_id' },
} as const

/** The filters of the list of operations that finds those of a row, or of a cell. */
function operationsOf({ by: _, across: __, ...asked }: Filters, split: Split, key: string): Filters {
  if (split === 'day') return { ...asked, date_from: key, date_to: key }
  if (split !== 'month') return { ...asked, [filterOf[split]]: key }
  const { date_from: from = '', date_to: to = '' } = asked
  const month = wholeMonth(key)
  return { ...asked, date_from: month.from > from ? month.from : from, date_to: month.to < to ? month.to : to }
}

/** What a row or a column is called. */
function useNames() {
  const words = useProgramWords()
  const t = useTexts(reportTexts)
  const sources = useTexts(sourceTexts)
  const format = useFormat()
  return (split: Split, { key, name }: { readonly key: string; readonly name: string | null }): string => {
    if (split === 'day') return format.plainDay(key)
    if (split === 'month') return format.month(key)
    if (split === 'channel') return sources[key as keyof typeof sources] ?? key
    if (key === '0') return split === 'cashier' ? t.automatic : t.noTariff
    return name === null ? format.numbered(key) : split === 'type' ? words(name) : name
  }
}
