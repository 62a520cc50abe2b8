import type { Pool } from 'pg'
import type { CoaResult } from '../../../domain/events.ts'
import { type NasId, nasId } from '../../../domain/ids.ts'
import { limited, startReadMs } from '../../../platform/storage/sql.ts'
import { coaRemembered } from './coa-waits.ts'

/** What is kept of the health of NAS over a restart. */
export type NasHealthStore = {
  /** When the last packet of each NAS came, milliseconds since 1970. */
  readonly lastPackets: () => Promise<ReadonlyMap<NasId, number>>
  /** The latest answers of each NAS to Disconnect and CoA, the oldest first. */
  readonly lastAnswers: () => Promise<readonly { nasId: NasId; result: CoaResult; tookMs: number }[]>
  /** `clockAheadSeconds` of a NAS null: what is known of its clock stays. */
  readonly save: (heard: ReadonlyMap<NasId, number>, clockAheadSeconds: (nas: NasId) => number | null) => Promise<void>
}

/** The pool must be one whose writes are not noticed as changes of the record: the NAS would forget what it learned. */
export const nasHealthStore = (pool: Pool, reads: Pool = pool): NasHealthStore => ({
  async lastPackets() {
    const { rows } = await reads.query<{ id: string; at: number }>(
      'SELECT id, extract(epoch FROM last_packet_at)::float8 * 1000 AS at FROM nas WHERE last_packet_at IS NOT NULL',
    )
    return new Map(rows.map(({ id, at }) => [nasId(id), at]))
  },

  async lastAnswers() {
    const text = `SELECT a.nas_id, a.result, a.took
        FROM nas CROSS JOIN LATERAL (
          SELECT c.nas_id, c.result, c.id, c.sent_at,
            coalesce(extract(epoch FROM c.answered_at - c.sent_at)::float8 * 1000, 0) AS took
          FROM coa_requests c WHERE c.nas_id = nas.id AND c.sent_at > now() - interval '1 day' AND c.result IS NOT NULL
          ORDER BY c.sent_at DESC, c.id DESC LIMIT ${coaRemembered}
        ) a ORDER BY a.sent_at, a.id`
    const { rows } = await reads.query<{ nas_id: string; result: CoaResult; took: number }>(
      limited({ text }, startReadMs),
    )
    return rows.map(({ nas_id, result, took }) => ({ nasId: nasId(nas_id), result, tookMs: took }))
  },

  async save(heard, clockAheadSeconds) {
    // Several nodes may hear of the same NAS, so the rows are locked in one order and the later moment stays.
    const text = `WITH h AS (SELECT n.id, h.at, h.ahead
        FROM nas n JOIN unnest($1::int8[], $2::float8[], $3::int8[]) AS h(id, at, ahead) USING (id)
        ORDER BY n.id FOR UPDATE OF n)
      UPDATE nas SET last_packet_at = greatest(last_packet_at, to_timestamp(h.at / 1000)),
        clock_ahead_seconds = coalesce(h.ahead, clock_ahead_seconds) FROM h WHERE nas.id = h.id`
    await pool.query(text, [[...heard.keys()], [...heard.values()], [...heard.keys()].map(clockAheadSeconds)])
  },
})
