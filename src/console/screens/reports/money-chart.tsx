import { useMemo } from 'react'
import { beginOf, dayAfter, daysOf, monthAfter } from '../../format/days.ts'
import { useFormat } from '../../format/format.ts'
import { TimeChart } from '../../patterns/chart/time-chart.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Movements } from './movements.ts'
import styles from './reports.module.css'
import { reportTexts } from './texts.ts'

/** A line of more steps has none that can be told apart. */
const stepsMax = 800

/** Money by day or by month; a step without an operation is one of nothing. */
export function MoneyChart({ movements }: { readonly movements: Movements }) {
  const t = useTexts(reportTexts)
  const format = useFormat()
  const chart = useMemo(() => chartOf(movements, format.timeZone), [movements, format.timeZone])
  const lines = useMemo(
    () =>
      chart
        ? ([
            { title: t.income, colour: '--good', look: 'area', values: chart.income },
            { title: t.expense, colour: '--bad', look: 'dashes', values: chart.expense },
          ] as const)
        : [],
    [chart, t],
  )
  if (!chart) return null
  const { income, expense } = movements.totals
  const nameOf = (seconds: number) => {
    const key = chart.keys[chart.begins.indexOf(seconds)] ?? ''
    return movements.by === 'day' ? format.plainDay(key) : format.month(key)
  }
  return (
    <div className={styles.chart}>
      <TimeChart
        label={t.chart(format.money(income), format.money(expense))}
        begins={chart.begins}
        end={chart.end}
        lines={lines}
        value={format.number}
        moment={nameOf}
      />
    </div>
  )
}

/** Begins of the steps in seconds, and the rubles of each without a sign; null: there is nothing to draw. */
function chartOf({ by, items, date_from, date_to }: Movements, timeZone: string) {
  const [first, last] = [items[0]?.key, items.at(-1)?.key]
  if (first === undefined || last === undefined || first === last) return null
  const asked = daysOf({ from: date_from, to: date_to }, drawnWhole + 1)
  // A month or two are drawn as a whole, of anything longer what there is of it.
  const days = () => (asked.length <= drawnWhole ? asked : daysOf({ from: first, to: last }, stepsMax + 1))
  const keys = by === 'day' ? days() : monthsOf(first, last)
  if (keys.length > stepsMax) return null
  const firstDay = (key: string) => (by === 'day' ? key : `${key}-01`)
  const begins = keys.map((key) => beginOf(firstDay(key), timeZone))
  const rows = new Map(items.map((item) => [item.key, item]))
  const values = (of: 'income' | 'expense') => keys.map((key) => Math.abs(Number(rows.get(key)?.[of] ?? 0)))
  const next = by === 'day' ? dayAfter(keys.at(-1)!) : `${monthAfter(keys.at(-1)!, 1)}-01`
  const end = beginOf(next, timeZone)
  return { keys, begins, end, income: values('income'), expense: values('expense') }
}

/** So many days are drawn also where there is nothing of the last of them. */
const drawnWhole = 62

function monthsOf(first: string, last: string): readonly string[] {
  const months: string[] = []
  for (let month = first; month <= last && months.length <= stepsMax; month = monthAfter(month, 1)) months.push(month)
  return months
}
