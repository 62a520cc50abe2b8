import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, money } from './columns.ts'

/**
 * What stands behind every "already taken": a transaction id or a payment id of an operator, kept for ever. Without foreign keys,
 * because a deleted operation must not be taken a second time.
 */
export const MoneyKey = defineEntity({
  name: 'MoneyKey',
  tableName: 'money_keys',
  properties: {
    key: p.text().primary(),
    account_id: p.bigint('number'),
    op_id: p.bigint('number').nullable(),
    amount: money().nullable(),
    created_at: createdNow(),
  },
})
