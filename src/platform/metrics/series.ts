import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { help, type MetricName } from './help.ts'
import { labelBound, type LabelName, type Labels } from './labels.ts'
import { readSource, type Sourced, unsourced } from './source.ts'

/** The values of series, by their labels. */
type Samples<Label extends LabelName> = readonly (readonly [labels: Labels<Label>, value: number])[]

/**
 * Declares metrics in one registry. `counter`, `gauge` and `histogram` return the function that records a value; the
 * others are read from a source at every scrape.
 */
export class Series {
  readonly registry: Registry
  readonly #bounded = labelBound()

  constructor(registry: Registry) {
    this.registry = registry
  }

  counter<Label extends LabelName>(name: MetricName, labelNames: readonly Label[]) {
    const counter = new Counter(this.#described(name, labelNames))
    return (labels: Labels<Label>, count = 1) => counter.inc(this.#bounded(labels), count)
  }

  gauge<Label extends LabelName>(name: MetricName, labelNames: readonly Label[]) {
    const gauge = new Gauge(this.#described(name, labelNames))
    return (labels: Labels<Label>, value: number) => gauge.set(this.#bounded(labels), value)
  }

  histogram<Label extends LabelName>(name: MetricName, labelNames: readonly Label[], buckets: number[]) {
    const histogram = new Histogram({ ...this.#described(name, labelNames), buckets })
    return (labels: Labels<Label>, value: number) => histogram.observe(this.#bounded(labels), value)
  }

  sourcedCounter<Label extends LabelName, T>(
    name: MetricName,
    labelNames: readonly Label[],
    source: Sourced<T>,
    samples: (value: T) => Samples<Label>,
  ): void {
    fillFrom(source, new Counter(this.#described(name, labelNames)), samples)
  }

  sourcedGauge<Label extends LabelName, T>(
    name: MetricName,
    labelNames: readonly Label[],
    source: Sourced<T>,
    samples: (value: T) => Samples<Label>,
  ): void {
    fillFrom(source, new Gauge(this.#described(name, labelNames)), samples)
  }

  /** A gauge without labels. Null, or no answer of the source, leaves it out. */
  sourcedNumber<T>(name: MetricName, source: Sourced<T>, pick: (value: T) => number | null): void {
    const gauge = new Gauge(this.#described(name, []))
    collectorOf(gauge).collect = async () => {
      const value = await readSource(source)
      const number = value === null ? null : pick(value)
      if (number === null) gauge.remove()
      else gauge.set(number)
    }
  }

  /** A gauge without labels whose value is what its source returns. */
  number(name: MetricName): Sourced<number> {
    const source = unsourced<number>()
    this.sourcedNumber(name, source, (value) => value)
    return source
  }

  #described<Label extends string>(name: MetricName, labelNames: readonly Label[]) {
    return { name, help: help[name], labelNames, registers: [this.registry] }
  }
}

type Collected<Label extends LabelName> = { reset(): void; inc(labels: Labels<Label>, value: number): void }

/** Fills a metric anew from its source at every scrape. A scrape never fails because one source does. */
function fillFrom<Label extends LabelName, T>(
  source: Sourced<T>,
  metric: Collected<Label>,
  samples: (value: T) => Samples<Label>,
): void {
  collectorOf(metric).collect = async () => {
    const value = await readSource(source)
    // Nothing is awaited from here on, so two scrapes at once cannot add to each other.
    metric.reset()
    const bounded = labelBound()
    for (const [labels, count] of value === null ? [] : samples(value)) metric.inc(bounded(labels), count)
  }
}

/** prom-client calls `collect` before it reads a metric; its types know it as an option of the constructor only. */
const collectorOf = (metric: object) => metric as { collect?: () => Promise<void> }
