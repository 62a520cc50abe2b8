import type { Pool } from 'pg'
import { systemAuthor } from '../../domain/author.ts'
import { type AccountId, accountId } from '../../domain/ids.ts'
import type { Accounts } from '../accounts/messages.ts'
import { inFlightTolerant } from './in-flight.ts'
import type { Job } from './jobs.ts'
import { type Ask, asking, idRanges } from './reads.ts'

const pageSize = 20_000

/**
 * SQL: accounts with inconsistent rows at the time $1, after account $2 up to $3: a financial block that disagrees with
 * the debt, an enabled flag that disagrees with the blocks, or a block record without a flag. The predicate is the same
 * as `inDebt` and `settled` of the domain.
 *
 * PostgreSQL does not conclude the range of one side of a join from that of the other, so both have it: it merges two
 * short scans then, where it looked each subscriber up by itself and read the blocks of all for each page.
 */
export const suspects = `SELECT DISTINCT account.id
  FROM admin_accounts AS account JOIN abonents AS abonent ON abonent.account_id = account.id
    LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id
    CROSS JOIN LATERAL (SELECT
      NOT (account.unlimited AND (account.unlimited_date IS NULL OR account.unlimited_date > $1))
        AND account.ostatok < account."limit" AS in_debt,
      coalesce(block.b_negbal OR block.b_admin OR block.b_own OR block.b_sys, false) AS blocked) AS right_now
  WHERE account.id > $2 AND account.id <= $3 AND abonent.account_id > $2 AND abonent.account_id <= $3
    AND NOT abonent.deleted AND (
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
  async run(now, stopping, tell) {
    const author = systemAuthor('process_blocks')
    let swept = 0
    let settled = 0
    const failures = await inFlightTolerant(found(asking(pool, stopping), now), stopping, async (account) => {
      swept++
      // The rows are inconsistent, so the copy in memory may be as well.
      accounts.invalidate(account)
      await accounts.ask(account, { kind: 'sweep' }, author)
      tell?.(++settled)
    })
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} of ${swept} accounts: ${failures[0]}`)
    return { accounts: swept }
  },
})

async function* found(ask: Ask, now: Date): AsyncGenerator<AccountId> {
  for await (const [after, last] of idRanges(ask, 'admin_accounts', pageSize))
    for (const { id } of await ask<{ id: string }>(suspects, [now, after, last])) yield accountId(id)
}
