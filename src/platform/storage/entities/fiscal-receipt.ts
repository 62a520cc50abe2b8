import { createdNow, id, int8, integer, json, looseId, moment, money, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * A receipt on its way to the fiscal data operator. One an operation; it outlives the operation, so there is no foreign
 * key.
 */
export const FiscalReceipt = entity('fiscal_receipts', {
  columns: {
    id: id(),
    /** Of a return: the reversal. */
    op_id: int8().unique('fiscal_receipts_op'),
    /** Of a return: the receipt of money that is given back. */
    original_op_id: looseId(),
    organization_id: looseId(),
    config_id: reference('fiscal_configs'),
    direction: text<'sell' | 'sell_refund'>(),
    /** By it the receiver knows a receipt that is sent again. */
    external_id: text().unique('fiscal_receipts_external_id'),
    amount: money(),
    /** E-mail or telephone of the buyer. */
    contact: text(),
    /** The body as it is sent, each time the same. */
    request: text(),
    state: text<'waiting' | 'sent' | 'done' | 'refused'>().default('waiting'),
    /** Given by the receiver. */
    uuid: text().nullable(),
    /** How often it was sent. */
    attempts: integer().default(0),
    /** Calls since it last came forward; the wait for the next grows with them. */
    tries: integer().default(0),
    due_at: createdNow(),
    /** What went wrong last. */
    error: text().nullable(),
    /** What the cash register printed. */
    result: json<Record<string, unknown>>().nullable(),
    staff_id: looseId(),
    created_at: createdNow(),
    done_at: moment().nullable(),
  },
  checks: [
    { name: 'fiscal_receipts_direction', expression: `direction IN ('sell', 'sell_refund')` },
    { name: 'fiscal_receipts_state', expression: `state IN ('waiting', 'sent', 'done', 'refused')` },
  ],
  indexes: [
    { name: 'fiscal_receipts_due', columns: ['due_at'], where: `state IN ('waiting', 'sent')` },
    { name: 'fiscal_receipts_open', columns: ['state', 'id'], where: `state <> 'done'` },
    { name: 'fiscal_receipts_config', columns: ['config_id'] },
  ],
})
