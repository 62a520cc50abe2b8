import type { LRUCache } from 'lru-cache'
import { growingCache } from '../growing-cache.ts'
import type { Client } from '../storage/sql.ts'
import type { Model } from './model.ts'

/** A count that took longer is remembered for a while. */
const costlyMs = 30
const rememberedMs = 30_000
const rememberedMax = 1_000

/** What is counted: the text from FROM on, and its parameters. */
export type Counted = { readonly from: string; readonly values: readonly unknown[] }

/**
 * Counts of filtered lists. A cheap one is counted each time. One that reads a large part of a table is counted once
 * and answered again for half a minute: whether there is a next page is never read from it, see listRecords.
 */
export class Counts {
  readonly #costly: LRUCache<string, number>
  readonly #now: () => number

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#costly = growingCache(rememberedMax, { ttl: rememberedMs, ttlResolution: 0, perf: { now } })
  }

  /** `scope` is what else the meaning of the statement depends on: the time zone. */
  async count(client: Client, { from, values }: Counted, scope: string): Promise<number> {
    const name = JSON.stringify([scope, from, ...values])
    const known = this.#costly.get(name)
    if (known !== undefined) return known
    const startedMs = this.#now()
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) AS count${from}`, [...values])
    const count = Number(rows[0]!.count)
    if (this.#now() - startedMs >= costlyMs) this.#costly.set(name, count)
    return count
  }
}

/** Where a deep page of a whole table begins: after `before` rows, with the keys from here on. */
export type Start = { readonly key: bigint; readonly before: number }

/** Buckets of row_counts hold 2^13 keys. */
const bucketBits = 13n

/**
 * How many rows a list without filters has, exactly, and in which bucket of keys the row after `offset` is; null beyond
 * the last.
 */
export async function countKept(
  client: Client,
  { table }: Model,
  offset: number,
  isDescending: boolean,
): Promise<{ count: number; start: Start | null }> {
  const direction = isDescending ? 'DESC' : 'ASC'
  const text = `WITH buckets AS (SELECT bucket, sum(rows)::int8 AS rows FROM row_counts WHERE table_name = $1 GROUP BY bucket),
      running AS (SELECT bucket, rows, (sum(rows) OVER (ORDER BY bucket ${direction}) - rows)::int8 AS before FROM buckets)
    SELECT (SELECT coalesce(sum(rows), 0) FROM buckets) AS count, here.bucket, here.before
    FROM (SELECT) AS always LEFT JOIN LATERAL (
      SELECT bucket, before FROM running WHERE before <= $2::int8 AND before + rows > $2::int8 LIMIT 1) AS here ON true`
  const { rows } = await client.query<{ count: string; bucket: string | null; before: string }>(text, [table, offset])
  const { count, bucket, before } = rows[0]!
  if (bucket === null) return { count: Number(count), start: null }
  const first = BigInt(bucket) << bucketBits
  const key = isDescending ? first + (1n << bucketBits) - 1n : first
  return { count: Number(count), start: { key, before: Number(before) } }
}
