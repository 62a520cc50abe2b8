import { systemAuthor } from '../../domain/author.ts'
import { dayMs } from '../../domain/calendar.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import type { Client } from '../../platform/storage/sql.ts'
import type { Settled } from './delivery-table.ts'

export type OffReason = 'staff' | 'gone' | 'failing'

/** An endpoint that the program has switched off. */
export type SwitchedOff = { readonly id: number; readonly url: string; readonly reason: OffReason }

/** Switched off when nothing has succeeded for so long and it was tried all the while. */
const failingMaxMs = 5 * dayMs
/** More than the longest wait between two attempts: failures further apart are not one outage. */
const outageGapMs = 1.5 * dayMs

/** Notes what attempts say of their endpoints, and switches off those that are gone or have failed for days. */
export async function noteOutcomes(client: Client, settled: readonly Settled[]): Promise<SwitchedOff[]> {
  const off: SwitchedOff[] = []
  for (const [id, ofEndpoint] of Map.groupBy(settled, ({ delivery }) => delivery.endpointId)) {
    const inOrder = ofEndpoint.toSorted((one, other) => +one.at - +other.at)
    const failingSince = await noteHealth(client, id, inOrder)
    const last = inOrder.at(-1)!
    const isGone = inOrder.some(({ attempt }) => attempt.kind === 'gone')
    const isFailing = failingSince !== null && +last.at - +failingSince >= failingMaxMs
    if (!isGone && !isFailing) continue
    const reason = isGone ? 'gone' : 'failing'
    const url = await switchOff(client, id, reason, last.at)
    if (url !== null) off.push({ id, url, reason })
  }
  return off
}

/** Since when nothing has succeeded; null: the last attempt was a success. */
async function noteHealth(client: Client, id: number, inOrder: readonly Settled[]): Promise<Date | null> {
  const isSuccess = ({ attempt }: Settled) => attempt.kind === 'delivered'
  const success = inOrder.findLast(isSuccess)
  const sinceSuccess = inOrder.slice(inOrder.findLastIndex(isSuccess) + 1)
  const failure = sinceSuccess.at(-1)
  const { rows } = await client.query<{ failing_since: Date | null }>(
    `UPDATE webhook_endpoints SET delivered_at = coalesce($2, delivered_at), failed_at = coalesce($3, failed_at), last_error = $4,
        failing_since = CASE WHEN $3::timestamptz IS NULL THEN NULL
          WHEN $2::timestamptz IS NOT NULL OR failing_since IS NULL OR failed_at < $6 THEN $5 ELSE failing_since END
      WHERE id = $1 RETURNING failing_since`,
    [
      id,
      success?.at ?? null,
      failure?.at ?? null,
      failure?.attempt.error ?? null,
      sinceSuccess[0]?.at ?? null,
      failure ? new Date(+failure.at - outageGapMs) : null,
    ],
  )
  return rows[0]?.failing_since ?? null
}

/** The address of what was switched off now; null: it was off, or is deleted. */
async function switchOff(client: Client, id: number, reason: OffReason, at: Date): Promise<string | null> {
  const { rows } = await client.query<{ url: string }>(
    'UPDATE webhook_endpoints SET enabled = false, off_reason = $2, off_at = $3 WHERE id = $1 AND enabled RETURNING url',
    [id, reason, at],
  )
  const [row] = rows
  if (!row) return null
  const diff = { enabled: [true, false], off_reason: [null, reason] } as const
  const what = { table: 'WEBHOOK_ENDPOINTS', id: String(id), action: 'change', organizationId: null } as const
  await writeAudit(client, { author: systemAuthor('webhooks'), ...what, diff: { ...diff } })
  return row.url
}
