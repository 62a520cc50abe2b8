import { useMemo } from 'react'
import { type Answer, Refused } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { beginOf, monthAfter, wholeMonth } from '../../format/days.ts'
import { useFormat } from '../../format/format.ts'
import { TimeChart } from '../../patterns/chart/time-chart.tsx'
import { type Filters, useAddressFilters } from '../../patterns/list/address.ts'
import { Period } from '../../patterns/list/period.tsx'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { ReportFrame } from './frame.tsx'
import styles from './reports.module.css'
import { SumsTable } from './sums-table.tsx'
import { reportTexts } from './texts.ts'

const endpoint = 'GET /admin/reports/subscribers/'
type Report = Answer<typeof endpoint>

/** Who came and left month by month, and what a subscriber brings. */
export default function Subscribers() {
  const t = useTexts(reportTexts)
  const say = useSayRefusal()
  const [{ date_from, date_to }, change] = useAddressFilters()
  const asked = { date_from, date_to }
  const { data, error } = useEndpoint(endpoint, { query: asked })
  if (error && !(error instanceof Refused)) throw error
  return (
    <ReportFrame report="subscribers" says={t.subscribersSays} asked={asked}>
      <div className={styles.choices}>
        <Period
          filters={['date_from', 'date_to']}
          address={asked}
          otherwise={data ? monthsOf(data) : {}}
          onChange={change}
        />
      </div>
      {error && <p className={styles.none}>{say(error)}</p>}
      {!error && !data && <div className={styles.waiting} aria-busy="true" />}
      {data && <Chart report={data} />}
      {data && <Table report={data} />}
    </ReportFrame>
  )
}

/** The period that a report is of. */
function monthsOf({ items }: Report): Filters {
  const [first, last] = [items[0]?.month, items.at(-1)?.month]
  return first === undefined || last === undefined
    ? {}
    : { date_from: wholeMonth(first).from, date_to: wholeMonth(last).to }
}

function Chart({ report: { items, totals } }: { readonly report: Report }) {
  const t = useTexts(reportTexts)
  const format = useFormat()
  const { timeZone } = format
  const steps = useMemo(() => {
    const startOf = (month: string) => beginOf(`${month}-01`, timeZone)
    const months = items.map(({ month }) => month)
    return { begins: months.map(startOf), end: startOf(monthAfter(months.at(-1)!, 1)) }
  }, [items, timeZone])
  const lines = useMemo(
    () =>
      [
        { title: t.came, colour: '--good', look: 'area', values: items.map(({ came }) => came) },
        { title: t.left, colour: '--bad', look: 'dashes', values: items.map(({ left }) => left) },
      ] as const,
    [items, t],
  )
  if (items.length < 2) return null
  return (
    <div className={styles.chart}>
      <TimeChart
        label={t.people(format.number(totals.came), format.number(totals.left))}
        begins={steps.begins}
        end={steps.end}
        lines={lines}
        value={format.number}
        moment={(seconds) => format.month(items[steps.begins.indexOf(seconds)]?.month ?? '')}
      />
    </div>
  )
}

function Table({ report: { items, totals } }: { readonly report: Report }) {
  const t = useTexts(reportTexts)
  const format = useFormat()
  return (
    <SumsTable
      label={t.subscribers}
      columns={[
        ...[t.month, t.began, t.came, t.left, t.ended],
        ...[t.charged, t.received, t.chargedEach, t.receivedEach],
      ]}
      rows={items}
      rowKey={({ month }) => month}
      cells={(row) => [
        format.month(row.month),
        ...[row.began, row.came, row.left, row.ended].map(format.number),
        ...[row.charged, row.received, row.charged_each, row.received_each].map(format.money),
      ]}
      totals={[
        t.total,
        '',
        format.number(totals.came),
        format.number(totals.left),
        '',
        format.money(totals.charged),
        format.money(totals.received),
        '',
        '',
      ]}
    />
  )
}
