import type { Pool } from 'pg'
import { type Accounts, systemAuthor } from '../accounts/messages.ts'
import { accountId } from '../domain/ids.ts'
import type { Job } from './jobs.ts'

const pageSize = 2_000

/** Enough that many turns share one commit, few enough that the mailboxes of others stay short. */
const atOnce = 250

/**
 * Accounts whose tables do not say what they should: a financial block that disagrees with the debt, a switch that
 * disagrees with the flags, a block record without a flag. The same predicate as `inDebt` and `settled` of the domain.
 */
const suspects = `SELECT account.id
  FROM admin_accounts AS account
  WHERE account.id > $2 AND EXISTS (
    SELECT FROM abonents AS abonent LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id
      CROSS JOIN LATERAL (SELECT
        NOT (account.unlimited AND (account.unlimited_date IS NULL OR account.unlimited_date > $1))
          AND account.ostatok < account."limit" AS in_debt,
        coalesce(block.b_negbal OR block.b_admin OR block.b_own OR block.b_sys, false) AS blocked) AS right_now
    WHERE abonent.account_id = account.id AND NOT abonent.deleted AND (
      right_now.in_debt <> coalesce(block.b_negbal, false)
      OR abonent.enabled = right_now.blocked
      OR (block.abonent_id IS NOT NULL AND NOT right_now.blocked)
      OR EXISTS (SELECT FROM users AS login WHERE login.abonent_id = abonent.id
        AND login.enabled <> (abonent.enabled AND NOT login.disabled_by_hand))))
  ORDER BY account.id LIMIT ${pageSize}`

/**
 * process_blocks (specification 3.2): finds accounts that may need it with one query and lets each decide for itself,
 * through the same turns as every payment.
 */
export const blockSweep = (pool: Pool, accounts: Accounts): Job => ({
  name: 'process_blocks',
  periodMs: 5 * 60_000,
  async run(now) {
    const author = systemAuthor('process_blocks')
    const sweep = async (id: number) => {
      const account = accountId(id)
      // The tables are in doubt, so memory is as well.
      accounts.invalidate(account)
      return accounts.ask(account, { kind: 'sweep' }, author)
    }
    let swept = 0
    let after = 0
    for (;;) {
      const { rows } = await pool.query(suspects, [now, after])
      const ids = (rows as { id: string }[]).map(({ id }) => Number(id))
      for (let from = 0; from < ids.length; from += atOnce) {
        await Promise.all(ids.slice(from, from + atOnce).map(sweep))
      }
      swept += ids.length
      after = ids.at(-1) ?? after
      if (ids.length < pageSize) return { accounts: swept }
    }
  },
})
