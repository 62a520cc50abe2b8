import type { Pool } from 'pg'
import { systemAuthor } from '../../domain/author.ts'
import { type AccountId, accountId } from '../../domain/ids.ts'
import type { Accounts } from '../accounts/messages.ts'
import type { Job } from './jobs.ts'

/** Accounts examined by one statement, so that each takes a fraction of a second however many accounts there are. */
const pageSize = 20_000

/** Enough turns to share one commit, few enough to keep the mailboxes of other accounts short. */
const atOnce = 250

const queryTimeoutMs = 30_000

const lastOfPage = `SELECT max(id) AS id FROM (
  SELECT id FROM admin_accounts WHERE id > $1 ORDER BY id LIMIT ${pageSize}) AS page`

/**
 * SQL: accounts with inconsistent rows at the time $1, after account $2 up to $3: a financial block that disagrees with
 * the debt, an enabled flag that disagrees with the blocks, or a block record without a flag. The predicate is the same
 * as `inDebt` and `settled` of the domain.
 */
export const suspects = `SELECT DISTINCT account.id
  FROM admin_accounts AS account JOIN abonents AS abonent ON abonent.account_id = account.id
    LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id
    CROSS JOIN LATERAL (SELECT
      NOT (account.unlimited AND (account.unlimited_date IS NULL OR account.unlimited_date > $1))
        AND account.ostatok < account."limit" AS in_debt,
      coalesce(block.b_negbal OR block.b_admin OR block.b_own OR block.b_sys, false) AS blocked) AS right_now
  WHERE account.id > $2 AND account.id <= $3 AND NOT abonent.deleted AND (
    right_now.in_debt <> coalesce(block.b_negbal, false)
    OR abonent.enabled = right_now.blocked
    OR (block.abonent_id IS NOT NULL AND NOT right_now.blocked)
    OR EXISTS (SELECT FROM users AS login WHERE login.abonent_id = abonent.id
      AND login.enabled <> (abonent.enabled AND NOT login.disabled_by_hand)))
  ORDER BY account.id`

/**
 * process_blocks (specification 3.2): finds accounts that may need a change, page by page, and lets each of them decide
 * in its own turn, as for every payment.
 */
export const blockSweep = (pool: Pool, accounts: Accounts): Job => ({
  name: 'process_blocks',
  async run(now, stopping) {
    const author = systemAuthor('process_blocks')
    const failures: unknown[] = []
    const sweep = async (account: AccountId) => {
      // The rows are inconsistent, so the copy in memory may be as well.
      accounts.invalidate(account)
      // An account that fails now must not hold up the others.
      await accounts.ask(account, { kind: 'sweep' }, author).catch((error: unknown) => failures.push(error))
    }
    const ids = async (text: string, values: unknown[]) => {
      const { rows } = await pool.query({ text, values, query_timeout: queryTimeoutMs } as { text: string })
      return (rows as { id: string | null }[]).flatMap(({ id }) => (id === null ? [] : [accountId(id)]))
    }
    let swept = 0
    let after = accountId(0)
    while (!stopping.aborted) {
      const [last] = await ids(lastOfPage, [after])
      if (last === undefined) break
      const found = await ids(suspects, [now, after, last])
      for (let from = 0; from < found.length && !stopping.aborted; from += atOnce) {
        await Promise.all(found.slice(from, from + atOnce).map(sweep))
        if (failures.length >= atOnce) throw failures[0]
      }
      swept += found.length
      after = last
    }
    stopping.throwIfAborted()
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} of ${swept} accounts: ${failures[0]}`)
    return { accounts: swept }
  },
})
