import type { Pool } from 'pg'

/**
 * What must be true of the tables. `committed`: at every moment, seen from any other connection. `settled`: also the
 * debt flag, once nobody but the ledger has written since the last turn.
 */
export async function violations(pool: Pool, when: 'committed' | 'settled'): Promise<unknown[]> {
  const { rows } = await pool.query({
    // Some look after each step of thousands, and to plan it takes six times as long as to execute it.
    name: 'violations',
    text: `SELECT 'balance is not receipts - write-offs' AS what, id FROM admin_accounts WHERE ostatok <> debit - credit
    UNION ALL
    SELECT 'balance is not the sum of the operations', id FROM admin_accounts WHERE ostatok <>
      (SELECT coalesce(sum(op_summa), 0) FROM finance_operations WHERE account_id = admin_accounts.id)
    UNION ALL
    SELECT 'enabled disagrees with the flags', abonents.id FROM abonents LEFT JOIN abonents_block ON abonent_id = abonents.id
      WHERE NOT deleted AND enabled = coalesce(b_negbal OR b_admin OR b_own OR b_sys, false)
    UNION ALL
    SELECT 'a login disagrees with its subscriber', users.id FROM users JOIN abonents ON abonents.id = abonent_id
      WHERE NOT deleted AND users.enabled <> (abonents.enabled AND NOT disabled_by_hand)
    UNION ALL
    SELECT 'a block record without a flag', abonent_id FROM abonents_block WHERE NOT (b_negbal OR b_admin OR b_own OR b_sys)
    UNION ALL
    SELECT 'the main client of an account is not its first', abonents.id FROM abonents
      WHERE is_main <> (id = (SELECT min(id) FROM abonents AS any_client WHERE any_client.account_id = abonents.account_id))
    UNION ALL
    SELECT 'an operation was reversed twice', related_operation_id FROM finance_operations
      WHERE related_operation_id IS NOT NULL GROUP BY related_operation_id HAVING count(*) > 1
    UNION ALL
    SELECT 'a key points to no operation', op_id FROM money_keys
      WHERE NOT EXISTS (SELECT FROM finance_operations WHERE finance_operations.op_id = money_keys.op_id)
    UNION ALL
    SELECT 'the debt flag disagrees with the balance', abonents.id FROM abonents
      JOIN admin_accounts ON admin_accounts.id = account_id LEFT JOIN abonents_block ON abonent_id = abonents.id
      WHERE $1 AND NOT deleted AND coalesce(b_negbal, false) <>
        (ostatok < "limit" AND NOT (unlimited AND (unlimited_date IS NULL OR unlimited_date > now())))`,
    values: [when === 'settled'],
  })
  return rows
}
