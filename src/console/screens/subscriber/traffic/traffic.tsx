import { Button, SegmentedControl } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useFormat } from '../../../format/format.ts'
import { TimeChart } from '../../../patterns/chart/time-chart.tsx'
import { Panel } from '../../../patterns/panel.tsx'
import { PlainTable } from '../../../patterns/plain-table.tsx'
import { useSayRefusal } from '../../../texts/refusals.ts'
import { useTexts } from '../../../texts/texts.ts'
import { type Points, sumsOf, useUsage } from './sums.ts'
import { trafficTexts } from './texts.ts'
import styles from './traffic.module.css'

const periods = ['day', 'week', 'month'] as const
type Period = (typeof periods)[number]

/** How it is drawn, and how it is told in a table, which has fewer lines. */
const waysOf = {
  day: { days: 1, step: '5m', tableStep: 'hour' },
  week: { days: 7, step: 'hour', tableStep: 'day' },
  month: { days: 30, step: 'hour', tableStep: 'day' },
} as const

const stepSeconds = { '5m': 300, hour: 3_600 } as const

/** How much all logins of a subscriber received and sent, over a day, a week or a month. */
export function Traffic({ abonent }: { readonly abonent: number }) {
  const t = useTexts(trafficTexts)
  const [period, setPeriod] = useState<Period>('day')
  const [isTable, setIsTable] = useState(false)
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label={t.period}
      value={period}
      onChange={(value) => setPeriod(value as Period)}
      data={periods.map((one) => ({ value: one, label: t[one] }))}
    />
  )
  return (
    <Panel title={t.traffic} actions={choice}>
      <Chart abonent={abonent} period={period} />
      <div className={styles.table}>
        <Button variant="default" size="xs" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? t.asChart : t.asTable}
        </Button>
        {isTable && <Table abonent={abonent} period={period} />}
      </div>
    </Panel>
  )
}

function Chart({ abonent, period }: { readonly abonent: number; readonly period: Period }) {
  const t = useTexts(trafficTexts)
  const format = useFormat()
  const say = useSayRefusal()
  const { step } = waysOf[period]
  const { data, error } = useUsage({ abonent, step, ...useBegin(period) })
  const chart = useMemo(() => data && chartOf(data.points, stepSeconds[step]), [data, step])
  const lines = useMemo(
    () =>
      chart
        ? ([
            { title: t.received, colour: '--info', look: 'area', values: chart.received },
            { title: t.sent, colour: '--good', look: 'dashes', values: chart.sent },
          ] as const)
        : [],
    [chart, t],
  )
  if (error && !data) return <p className={styles.none}>{say(error)}</p>
  if (!data || !chart) return <div className={styles.waiting} aria-busy="true" />
  const { received, sent } = sumsOf(data.points)
  if (received + sent === 0n) return <p className={styles.none}>{t.none}</p>
  const [receivedText, sentText] = [format.bytes(String(received)), format.bytes(String(sent))]
  return (
    <>
      <p className={styles.sums}>
        <span>
          {t.received}: <b>{receivedText}</b>
        </span>
        <span>
          {t.sent}: <b>{sentText}</b>
        </span>
      </p>
      <TimeChart
        key={period}
        label={t.chart(receivedText, sentText)}
        begins={chart.begins}
        end={chart.end}
        lines={lines}
        value={format.speed}
        moment={format.secondsAt}
      />
    </>
  )
}

function Table({ abonent, period }: { readonly abonent: number; readonly period: Period }) {
  const t = useTexts(trafficTexts)
  const format = useFormat()
  const { tableStep: step } = waysOf[period]
  const { data } = useUsage({ abonent, step, ...useBegin(period) })
  if (!data) return <div className={styles.waiting} aria-busy="true" />
  return (
    <PlainTable
      label={t.traffic}
      rows={data.points.toReversed()}
      rowKey={({ at }) => at}
      none={t.none}
      columns={[
        { title: t.at, cell: ({ at }) => (step === 'day' ? format.day(at) : format.moment(at)) },
        { title: t.received, align: 'right', cell: ({ out }) => format.bytes(out) },
        { title: t.sent, align: 'right', cell: (point) => format.bytes(point.in) },
      ]}
    />
  )
}

const dayMs = 86_400_000

/**
 * A day is the last 24 hours, which the endpoint takes by itself; the others begin with a day of the setting's zone.
 */
function useBegin(period: Period): { readonly from?: string } {
  const { timeZone } = useFormat()
  const { days } = waysOf[period]
  if (days === 1) return {}
  const isoDay = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return { from: isoDay.format(Date.now() - (days - 1) * dayMs) }
}

/** Bits a second of each step, which is what a line can do; the step that is not over would look like a fall. */
function chartOf(all: Points, seconds: number) {
  const points = all.slice(0, -1)
  const speed = (octets: number | string) => (Number(octets) * 8) / seconds
  const begins = points.map(({ at }) => Date.parse(at) / 1000)
  return {
    begins,
    end: (begins.at(-1) ?? 0) + seconds,
    received: points.map(({ out }) => speed(out)),
    sent: points.map((point) => speed(point.in)),
  }
}
