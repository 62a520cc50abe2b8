import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { useFormat } from '../../format/format.ts'
import styles from './time-chart.module.css'

type Line = {
  readonly title: string
  /** A variable of styles.css, such as `--info`. */
  readonly colour: string
  /** One is told from the other without its colour. */
  readonly look: 'area' | 'dashes'
  /** One for each step. */
  readonly values: readonly number[]
}

type TimeChartProps = {
  /** What it shows, for those who do not see it. */
  readonly label: string
  /** Begins of the steps, in seconds since 1970. */
  readonly begins: readonly number[]
  /** When the last step ends. */
  readonly end: number
  readonly lines: readonly Line[]
  readonly value: (value: number) => string
  /** The moment of a step. */
  readonly moment: (seconds: number) => string
}

/** As large as letters are; of those on its axes the browser's own size does not change by itself. */
const rems = { height: 13.75, bottom: 1.875, left: 4.875, letters: 0.6875, between: 3.5 }
/** Ticks this far apart are days. */
const daySeconds = 86_400

/**
 * Values by time in steps. The arrows, Home and End walk along the steps of the chart that has the focus, and what
 * stands at the step is said in words below it.
 */
export function TimeChart({ label, begins, end, lines, value, moment }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const [at, setAt] = useState<number | null>(null)
  const { locale, timeZone } = useFormat()
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    const holder = place.current
    if (!holder) return
    // A chart that changes its size forgets the pointer, but not where the keys have led.
    const onStep = (step: number | null) => (step !== null || document.activeElement !== holder) && setAt(step)
    const shown = new uPlot(
      { ...optionsOf({ lines, value, locale, timeZone, onStep, scheme }), width: holder.clientWidth },
      dataOf(begins, end, lines),
      holder,
    )
    chart.current = shown
    const watch = new ResizeObserver(() => shown.setSize({ width: holder.clientWidth, height: px(rems.height) }))
    watch.observe(holder)
    return () => {
      watch.disconnect()
      shown.destroy()
      chart.current = null
    }
  }, [begins, end, lines, value, locale, timeZone, scheme])
  const last = begins.length - 1
  const walk = (event: KeyboardEvent) => {
    const next = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: last }[event.key]
    if (next === undefined || chart.current === null) return
    event.preventDefault()
    const step = Math.max(0, Math.min(last, next))
    chart.current.setCursor({ left: chart.current.valToPos(begins[step]!, 'x') + 1, top: 0 })
    setAt(step)
  }
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be walked along must be reached by keys */}
      <section ref={place} className={styles.place} tabIndex={0} aria-label={label} onKeyDown={walk} data-chart="" />
      <div className={styles.legend}>
        {lines.map(({ title, colour, look }) => (
          <span key={title} className={styles.line} data-look={look} style={{ color: `var(${colour})` }}>
            <span className={styles.name}>{title}</span>
          </span>
        ))}
        <output className={styles.step} aria-live="polite">
          {at !== null &&
            begins[at] !== undefined &&
            [moment(begins[at]), ...lines.map(({ title, values }) => `${title} ${value(values[at] ?? 0)}`)].join(' · ')}
        </output>
      </div>
    </div>
  )
}

/** A step lasts until the next one begins, the last one until `end`. */
const dataOf = (begins: readonly number[], end: number, lines: readonly Line[]): uPlot.AlignedData => [
  [...begins, end],
  ...lines.map(({ values }) => [...values, values.at(-1) ?? 0]),
]

type Shown = {
  readonly lines: readonly Line[]
  readonly value: (value: number) => string
  readonly locale: string
  readonly timeZone: string
  readonly onStep: (step: number | null) => unknown
  readonly scheme: string
}

/** Whole ones, as uPlot reads no others from a font. */
const px = (rem: number): number =>
  Math.round(rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize))

function optionsOf({ lines, value, locale, timeZone, onStep, scheme }: Shown): Omit<uPlot.Options, 'width'> {
  const look = getComputedStyle(document.documentElement)
  const colourOf = (name: string) => look.getPropertyValue(name).trim()
  const axis = {
    stroke: colourOf('--quiet'),
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { show: false },
    font: `${px(rems.letters)}px ${look.fontFamily || 'sans-serif'}`,
  }
  const clock = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' })
  const day = new Intl.DateTimeFormat(locale, { timeZone, day: 'numeric', month: 'short' })
  const stepped = uPlot.paths.stepped!({ align: 1 })
  return {
    height: px(rems.height),
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { size: 7 } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        size: px(rems.bottom),
        space: px(rems.between),
        values: (_, ticks, __, ___, distance) =>
          ticks.map((tick) => (distance >= daySeconds ? day : clock).format(tick * 1000)),
      },
      { ...axis, size: px(rems.left), space: 44, values: (_, ticks) => ticks.map(value) },
    ],
    series: [
      {},
      ...lines.map(({ colour, look: lineLook }) => ({
        stroke: colourOf(colour),
        width: 1.5,
        paths: stepped,
        points: { show: false },
        ...(lineLook === 'area' ? { fill: `${colourOf(colour)}${scheme === 'dark' ? '33' : '22'}` } : { dash: [5, 3] }),
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx }, data }) => {
          // The end of the last step is no step.
          onStep(idx === null || idx === undefined ? null : Math.min(idx, data[0].length - 2))
        },
      ],
    },
  }
}
