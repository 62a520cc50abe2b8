import type { ClientBase, Pool } from 'pg'
import { type Job, JobFailure } from './jobs.ts'
import { type Verification, verifyLedger } from './ledger/verification.ts'

/** How many faults the record of a run keeps. The command prints all of them. */
const keptMax = 20

/**
 * verify_ledger: the nightly proof that nobody but Tollgate has written money. A run that finds a fault counts as
 * failed.
 */
export const ledgerCheck = (pool: Pool): Job => ({
  name: 'verify_ledger',
  async run(_, signal, tell) {
    const client = await pool.connect()
    // After an error a transaction may still be open, so the connection is closed instead of being returned to the
    // pool.
    let isSound = false
    try {
      const found = await verifyLedger(client, { signal, ...(tell && { tell }) })
      isSound = true
      if (found.broken > 0) throw new JobFailure(summaryOf(found), resultOf(found))
      return resultOf(found)
    } finally {
      client.release(!isSound)
    }
  },
})

/**
 * How many accounts the last complete verification found broken, in this program or another; null before the first one.
 */
export async function lastVerification(
  pool: Pick<Pool, 'query'> | Pick<ClientBase, 'query'>,
): Promise<{ broken: number; at: Date } | null> {
  const { rows } = await pool.query<{ broken: number; ended_at: Date }>(
    `SELECT (result->>'broken')::int4 AS broken, ended_at FROM job_runs
      WHERE name = 'verify_ledger' AND result ? 'broken' AND ended_at IS NOT NULL ORDER BY started_at DESC LIMIT 1`,
  )
  return rows[0] ? { broken: rows[0].broken, at: rows[0].ended_at } : null
}

/** The result in one sentence, for people. */
export const summaryOf = ({ accounts, operations, removed, broken }: Verification): string => {
  const checked = `${accounts} accounts and ${operations} operations checked${removed > 0 ? ` (and ${removed} removed ones)` : ''}`
  return `${checked}: ${broken === 0 ? 'all agree' : `${broken} ${broken === 1 ? 'account is' : 'accounts are'} wrong`}.`
}

const resultOf = ({ faults, ...sums }: Verification) => ({
  ...sums,
  faults: faults.slice(0, keptMax).map(({ accountId, operationId, kind, sentence, stored, due }) => ({
    account_id: accountId,
    op_id: operationId,
    kind,
    sentence,
    stored,
    due,
  })),
})
