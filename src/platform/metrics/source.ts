import type { Metric } from 'prom-client'
import { help, type MetricName } from './help.ts'

/** A number that is read when Prometheus asks. Unset, failing or late sources leave their metric out of the answer. */
export type Sourced<T> = { source: (() => T | Promise<T>) | null }
export const unsourced = <T>(): Sourced<T> => ({ source: null })

/** Cumulative numbers of requests answered within each bound, as a Prometheus histogram wants them. */
export type DurationCounts = { bounds: readonly { seconds: number; count: number }[]; sum: number; count: number }

const sourceDeadlineMs = 2000

export async function readSource<T>({ source }: Sourced<T>): Promise<T | null> {
  if (!source) return null
  try {
    return await withinDeadline(source())
  } catch {
    return null
  }
}

/** A histogram counted elsewhere. prom-client's own can only be filled one observation at a time. */
export function durations<T>(
  name: MetricName,
  sourced: Sourced<T>,
  pick: (value: T) => DurationCounts | undefined,
): Metric {
  const bucketOf = (le: string, value: number) => ({ labels: { le }, value, metricName: `${name}_bucket` })
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
    return { name, help: help[name], type: 'histogram', aggregator: 'sum', values }
  }
  // The registry only ever calls get() and reads the name.
  return { name, help: help[name], get, reset() {} } as unknown as Metric
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
