import { createdNow, int8, money, text } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * What stands behind every "already taken": a transaction id or a payment id of an operator, kept for ever. Without
 * foreign keys, because a deleted operation must not be taken a second time.
 */
export const MoneyKey = entity('money_keys', {
  columns: {
    key: text().primary(),
    account_id: int8(),
    op_id: int8().nullable(),
    amount: money().nullable(),
    created_at: createdNow(),
  },
})
