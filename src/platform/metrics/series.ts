import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { onCollect, type Sourced, unsourced } from './source.ts'

/** Declares metrics in one registry; the types of their labels follow from the names. */
export class Series {
  readonly registry: Registry

  constructor(registry: Registry) {
    this.registry = registry
  }

  counter<const Names extends readonly string[]>(name: string, help: string, labelNames: Names) {
    return new Counter<Names[number]>({ name, help, labelNames, registers: [this.registry] })
  }

  gauge<const Names extends readonly string[]>(name: string, help: string, labelNames: Names) {
    return new Gauge<Names[number]>({ name, help, labelNames, registers: [this.registry] })
  }

  histogram<const Names extends readonly string[]>(name: string, help: string, labelNames: Names, buckets: number[]) {
    return new Histogram<Names[number]>({ name, help, labelNames, buckets, registers: [this.registry] })
  }

  /** A gauge without labels whose only value comes from its source. */
  sourcedGauge(name: string, help: string): Sourced<number> {
    const sourced = unsourced<number>()
    const shown = this.gauge(name, help, [])
    onCollect(shown, sourced, (value) => shown.set(value), false)
    return sourced
  }
}
