import type { Metric } from 'prom-client'

/** A number that is read when Prometheus asks. Unset, failing or late sources leave their metric out of the answer. */
export type Sourced<T> = { source: (() => T | Promise<T>) | null }
export const unsourced = <T>(): Sourced<T> => ({ source: null })

/** Cumulative numbers of requests answered within each bound, as a Prometheus histogram wants them. */
export type DurationCounts = { bounds: readonly { seconds: number; count: number }[]; sum: number; count: number }

const sourceDeadlineMs = 2000

type Collected = { reset(): void; remove(): void; collect?: () => void | Promise<void> }

/** Fills a metric anew from its source at every scrape. A scrape never fails because one source does. */
export function onCollect<T>(metric: Collected, sourced: Sourced<T>, fill: (value: T) => void, labelled = true): void {
  metric.collect = async () => {
    const value = await readSource(sourced)
    // Nothing is awaited from here on, so two scrapes at once cannot add to each other.
    metric.reset()
    if (value !== null) fill(value)
    else if (!labelled) metric.remove()
  }
}

async function readSource<T>({ source }: Sourced<T>): Promise<T | null> {
  if (!source) return null
  try {
    return await withinDeadline(source())
  } catch {
    return null
  }
}

/** A histogram counted elsewhere. prom-client's own can only be filled one observation at a time. */
export function durations<T>(
  name: string,
  help: string,
  sourced: Sourced<T>,
  pick: (value: T) => DurationCounts | undefined,
): Metric {
  const get = async () => {
    const value = await readSource(sourced)
    const counted = value === null ? undefined : pick(value)
    const values = counted
      ? [
          ...counted.bounds.map(({ seconds, count }) => bucketOf(String(seconds), count)),
          bucketOf('+Inf', counted.count),
          { labels: {}, value: counted.sum, metricName: `${name}_sum` },
          { labels: {}, value: counted.count, metricName: `${name}_count` },
        ]
      : []
    return { name, help, type: 'histogram', aggregator: 'sum', values }
  }
  const bucketOf = (le: string, value: number) => ({ labels: { le }, value, metricName: `${name}_bucket` })
  // The registry only ever calls get() and reads the name.
  return { name, help, get, reset() {} } as unknown as Metric
}

async function withinDeadline<T>(value: T | Promise<T>): Promise<T> {
  if (!(value instanceof Promise)) return value
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The source of a metric did not answer.')), sourceDeadlineMs)
    timer.unref()
  })
  return Promise.race([value, late]).finally(() => clearTimeout(timer))
}

/** Keeps the first `max` different values and replaces the rest by `other`. */
export function cutOffAfter(max: number): (value: string) => string {
  const seen = new Set<string>()
  return (value) => {
    if (seen.has(value)) return value
    if (seen.size >= max) return 'other'
    seen.add(value)
    return value
  }
}
