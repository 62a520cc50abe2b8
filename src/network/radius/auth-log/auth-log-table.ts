import { dayMs } from '../../../domain/calendar.ts'
import type { Pool } from 'pg'
import { copyIn } from '../../../platform/storage/copy-in.ts'
import type { AuthRow } from './auth-row.ts'

const columns = [
  'id',
  'at',
  'accepted',
  'reason',
  'login',
  'abonent_id',
  'organization_id',
  'nas_id',
  'mac',
  'port',
  'count',
] as const
const target = { table: 'radius_auth_log', columns }
const copyTimeoutMs = 5_000
/** The migration gives so many ids at once. */
export const rowsAtOnce = 5_000

/** The partitioned table of the log. */
export class AuthLogTable {
  readonly #pool: Pool
  /** Days of UTC that are known to have a partition. */
  readonly #days = new Set<number>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Writes at most `rowsAtOnce` rows. */
  async write(rows: readonly AuthRow[]): Promise<void> {
    const days = new Set(rows.map(({ atMs }) => Math.floor(atMs / dayMs)))
    for (const day of days) {
      if (!this.#days.has(day)) await this.#addDay(day)
    }
    const { rows: ids } = await this.#pool.query<{ first: string }>(`SELECT nextval('radius_auth_log_ids') AS first`)
    const first = Number(ids[0]!.first)
    const values = rows.map((row, index) => [
      first + index,
      new Date(row.atMs),
      row.accepted,
      row.reason,
      row.login,
      row.subscriberId,
      row.organizationId,
      row.nasId,
      row.mac,
      row.port,
      row.count,
    ])
    try {
      await copyIn(this.#pool, target, values, copyTimeoutMs)
    } catch (error) {
      // A partition may have been dropped meanwhile.
      this.#days.clear()
      throw error
    }
  }

  async #addDay(day: number): Promise<void> {
    const date = new Date(day * dayMs).toISOString().slice(0, 10)
    await this.#pool.query('SELECT radius_auth_log_add_day($1::date)', [date])
    this.#days.add(day)
  }
}
