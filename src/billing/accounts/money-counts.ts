import type { Pool } from 'pg'

/** How much financial work is open now, over all organizations. */
export type MoneyCounts = {
  /** Promise payments that have not ended. */
  promises: number
  /** Online payments that clients have begun and not completed. */
  openOrders: number
  /** Notices of gateways that were not credited and that nobody has resolved. */
  problems: number
}

const text = `SELECT (SELECT count(*) FROM abonents WHERE promise_date_end >= now())::int4 AS promises,
    (SELECT count(*) FROM payment_orders WHERE state IN ('created', 'sent'))::int4 AS "openOrders",
    (SELECT count(*) FROM payment_problems WHERE resolved_at IS NULL)::int4 AS problems`

/** Reads the counts in one statement. */
export async function readMoneyCounts(pool: Pool): Promise<MoneyCounts> {
  return (await pool.query<MoneyCounts>(text)).rows[0]!
}
