import type { Counter, Metric } from 'prom-client'

type Method = { readonly buckets: number[]; sum: number; count: number; readonly statuses: Map<number, number> }

/**
 * HTTP requests, counted for the price of two look-ups: prom-client makes a text of the labels for each of its own, which costs as
 * much as the rest of a small answer. They become metrics when Prometheus asks.
 */
export class RequestCounts {
  readonly #bounds: readonly number[]
  readonly #routes = new Map<string, Map<string, Method>>()

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
  }

  add(method: string, route: string, status: number, seconds: number): void {
    const counts = this.#of(method, route)
    counts.count++
    counts.sum += seconds
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
    let bucket = 0
    while (bucket < this.#bounds.length && seconds > this.#bounds[bucket]!) bucket++
    if (bucket < this.#bounds.length) counts.buckets[bucket]!++
  }

  /** `labelOf`: how a status is shown. */
  fill(counter: Counter, labelOf: (status: number) => string): void {
    counter.reset()
    for (const [labels, { statuses }] of this.#all())
      for (const [status, count] of statuses) counter.inc({ ...labels, status: labelOf(status) }, count)
  }

  /** The durations as a histogram of prom-client; the registry only ever calls get() and reads the name. */
  histogram(name: string, help: string): Metric {
    const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: this.#values(name) })
    return { name, help, get, reset() {} } as unknown as Metric
  }

  #values(name: string): object[] {
    return [...this.#all()].flatMap(([labels, { buckets, sum, count }]) => {
      let below = 0
      const bucketOf = (le: string, value: number) => ({
        labels: { ...labels, le },
        value,
        metricName: `${name}_bucket`,
      })
      return [
        ...this.#bounds.map((bound, at) => {
          below += buckets[at]!
          return bucketOf(String(bound), below)
        }),
        bucketOf('+Inf', count),
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ]
    })
  }

  *#all(): Generator<[{ method: string; route: string }, Method]> {
    for (const [route, methods] of this.#routes)
      for (const [method, counts] of methods) yield [{ method, route }, counts]
  }

  #of(method: string, route: string): Method {
    const methods = this.#routes.get(route) ?? new Map<string, Method>()
    const known = methods.get(method)
    if (known) return known
    const made = { buckets: this.#bounds.map(() => 0), sum: 0, count: 0, statuses: new Map() }
    this.#routes.set(route, methods.set(method, made))
    return made
  }
}
