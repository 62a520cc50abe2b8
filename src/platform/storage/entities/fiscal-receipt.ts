import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, id, looseId, money } from './columns.ts'
import { FiscalConfig } from './fiscal-config.ts'

/** A receipt on its way to the fiscal data operator. One an operation; it outlives the operation, so there is no foreign key. */
export const FiscalReceipt = defineEntity({
  name: 'FiscalReceipt',
  tableName: 'fiscal_receipts',
  properties: {
    id: id(),
    /** Of a return: the reversal. */
    op_id: p.bigint('number').unique('fiscal_receipts_op'),
    /** Of a return: the receipt of money that is given back. */
    original_op_id: looseId(),
    organization_id: looseId(),
    config: () => p.manyToOne(FiscalConfig).deleteRule('restrict').updateRule('no action'),
    direction: p.text().$type<'sell' | 'sell_refund'>(),
    /** By it the receiver knows a receipt that is sent again. */
    external_id: p.text().unique('fiscal_receipts_external_id'),
    amount: money(),
    /** E-mail or telephone of the buyer. */
    contact: p.text(),
    /** The body as it is sent, each time the same. */
    request: p.text(),
    state: p.text().$type<'waiting' | 'sent' | 'done' | 'refused'>().default('waiting'),
    /** Given by the receiver. */
    uuid: p.text().nullable(),
    /** How often it was sent. */
    attempts: p.integer().default(0),
    /** Calls since it last came forward; the wait for the next grows with them. */
    tries: p.integer().default(0),
    due_at: createdNow(),
    /** What went wrong last. */
    error: p.text().nullable(),
    /** What the cash register printed. */
    result: p.json<Record<string, unknown>>().nullable(),
    staff_id: looseId(),
    created_at: createdNow(),
    done_at: p.datetime().nullable(),
  },
  checks: [
    { name: 'fiscal_receipts_direction', expression: `direction IN ('sell', 'sell_refund')` },
    { name: 'fiscal_receipts_state', expression: `state IN ('waiting', 'sent', 'done', 'refused')` },
  ],
  indexes: [
    { name: 'fiscal_receipts_due', properties: ['due_at'], where: `state IN ('waiting', 'sent')` },
    { name: 'fiscal_receipts_open', properties: ['state', 'id'], where: `state <> 'done'` },
    { name: 'fiscal_receipts_config', properties: ['config'] },
  ],
})
