import type { ClientBase } from 'pg'
import { suspects } from '../block-sweep.ts'
import { type Ask, idRanges } from '../reads.ts'
import type { TellProgress } from '../job-progress.ts'
import { type Facts, type Fault, type FaultKind, faultOf } from './faults.ts'
import { keyProof, pageProof } from './page-sql.ts'
import { limited } from '../../../platform/storage/sql.ts'

export type Verification = {
  readonly accounts: number
  readonly operations: number
  /** Removed operations, whose links are kept in the chain. */
  readonly removed: number
  /**
   * Accounts whose blocks disagree with their debt at the moment. That is no fault of the ledger; process_blocks
   * repairs them.
   */
  readonly unsettled: number
  /** Accounts with at least one fault. */
  readonly broken: number
  /** The first fault of each account, ordered by account, at most `faultsMax`. */
  readonly faults: readonly Fault[]
}

/**
 * Large enough to make a page worth its statement, small enough to sort in memory and not to hold an old snapshot for
 * long.
 */
const pageAccounts = 2_000
const pageKeys = 50_000
/** More faults than anybody reads. */
const faultsMax = 1_000
/** A page usually takes a fraction of a second, but a single account with millions of operations is also one page. */
const queryTimeoutMs = 600_000

type Page = {
  accounts: number
  operations: number
  removed: number
  broken: readonly { account_id: number; fault: FaultKind; facts: Facts }[]
}

type Keys = { last: string | null; wrong: readonly { account_id: number; facts: Facts }[] }

type VerifyOptions = {
  readonly signal?: AbortSignal
  /** How many accounts are one page. */
  readonly page?: number
  /** Hears of how many accounts there are how many are verified. */
  readonly tell?: TellProgress
}

/**
 * Recomputes every account: its balance and sums from its operations, its chain from the first link to the head, each
 * snapshot from the one before, the marks of reversals and the idempotency keys. It only reads, page by page, and takes
 * no locks, so it may run beside the program. Rejects with the signal's reason when the signal is aborted between two
 * pages.
 */
export async function verifyLedger(
  client: ClientBase,
  { signal, page: pageSize = pageAccounts, tell }: VerifyOptions = {},
): Promise<Verification> {
  const sum = { accounts: 0, operations: 0, removed: 0, unsettled: 0 }
  const broken = new Set<number>()
  const faults: Fault[] = []
  const found = (id: number, kind: FaultKind, facts: Facts) => {
    if (broken.has(id)) return
    broken.add(id)
    if (faults.length < faultsMax) faults.push(faultOf(id, kind, facts))
  }
  const [ask, askForPage] = [snapshotOf(client, usual), snapshotOf(client, wholePages)]
  const total = tell ? await countAccounts(ask) : null
  for await (const [after, last] of idRanges(ask, 'admin_accounts', pageSize)) {
    signal?.throwIfAborted()
    const [page] = await askForPage<Page>(pageProof, [after, last])
    sum.accounts += page!.accounts
    sum.operations += page!.operations
    sum.removed += page!.removed
    sum.unsettled += (await ask(suspects, [new Date(), after, last])).length
    for (const { account_id, fault, facts } of page!.broken) found(account_id, fault, facts)
    tell?.(sum.accounts, total)
  }
  for (let after = ''; ; ) {
    signal?.throwIfAborted()
    const [keys] = await ask<Keys>(keyProof, [after, pageKeys])
    if (!keys || keys.last === null) break
    for (const { account_id, facts } of keys.wrong) found(account_id, 'key', facts)
    after = keys.last
  }
  faults.sort((a, b) => a.accountId - b.accountId)
  return { ...sum, broken: broken.size, faults }
}

async function countAccounts(ask: Ask): Promise<number> {
  const [row] = await ask<{ count: number }>('SELECT count(*)::int4 AS count FROM admin_accounts', [])
  return row!.count
}

/**
 * One statement sees one snapshot. The planner would compile these statements (JIT), which takes longer than running
 * them.
 */
const usual = "BEGIN READ ONLY; SET LOCAL jit = off; SET LOCAL work_mem = '64MB'"

/** After an import the planner expects a row or two per page and would choose nested loops over all records. */
const wholePages = `${usual}; SET LOCAL enable_nestloop = off`

const snapshotOf =
  (client: ClientBase, begin: string): Ask =>
  async <Row>(text: string, values: readonly unknown[]) => {
    const query = limited({ text, values: [...values] }, queryTimeoutMs)
    await client.query(begin)
    const answer = await client.query(query)
    await client.query('COMMIT')
    return answer.rows as Row[]
  }
