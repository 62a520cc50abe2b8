import type { JobRun } from '../jobs/endpoints.ts'

type LedgerFault = {
  readonly account_id: number
  readonly op_id: number | null
  readonly kind: string
  readonly sentence: string
  /** Runs of before the update have neither. */
  readonly stored?: string | null
  readonly due?: string | null
}

/** What a whole run of verify_ledger comes to (src/billing/jobs/ledger-check.ts). */
export type Proof = {
  readonly accounts: number
  readonly operations: number
  readonly removed: number
  readonly unsettled: number
  readonly broken: number
  readonly faults: readonly LedgerFault[]
}

/** Null: it ended before it had looked at everything, or its result is not shown to the user. */
export const proofOf = (run: JobRun | null): Proof | null =>
  run?.result && 'broken' in run.result ? (run.result as unknown as Proof) : null
