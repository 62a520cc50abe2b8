import { createdNow, id, int8, looseId, moment, money, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** What a client wanted to pay through a gateway, and what became of it. Kept for ever. */
export const PaymentOrder = entity('payment_orders', {
  columns: {
    id: id(),
    subscriber_id: int8(),
    account_id: looseId(),
    organization_id: looseId(),
    gateway: text<'gwa' | 'gwb'>(),
    protocol: text<'rest' | 'http' | 'form'>(),
    /** `notice`: the gateway reported a payment that nobody had ordered here. */
    origin: text<'client' | 'notice'>().default('client'),
    /** To be credited. */
    amount: money(),
    /** To be paid: amount + commission. */
    payable: money(),
    commission: money(),
    state: text<'created' | 'sent' | 'paid' | 'failed' | 'expired'>().default('created'),
    /** The payment's id at the gateway. */
    gateway_id: text().nullable(),
    /** Sent with the creation, and again with every repeat of it. */
    idempotence_key: text(),
    /** The body of the creation, so that a repeat is the same request. */
    request: text().nullable(),
    return_url: text().nullable(),
    confirmation_url: text().nullable(),
    operation_id: looseId(),
    error: text().nullable(),
    created_at: createdNow(),
    sent_at: moment().nullable(),
    paid_at: moment().nullable(),
    /** When the gateway was last asked about it. */
    checked_at: moment().nullable(),
  },
  checks: [
    { name: 'payment_orders_gateway', expression: `gateway IN ('gwa', 'gwb')` },
    { name: 'payment_orders_protocol', expression: `protocol IN ('rest', 'http', 'form')` },
    { name: 'payment_orders_origin', expression: `origin IN ('client', 'notice')` },
    { name: 'payment_orders_state', expression: `state IN ('created', 'sent', 'paid', 'failed', 'expired')` },
    {
      name: 'payment_orders_amounts',
      expression: 'amount > 0 AND commission >= 0 AND payable = amount + commission',
    },
  ],
  indexes: [
    {
      name: 'payment_orders_subscriber',
      expression: 'CREATE INDEX payment_orders_subscriber ON payment_orders (subscriber_id, id DESC)',
    },
    { name: 'payment_orders_open', columns: ['id'], where: `state IN ('created', 'sent')` },
    { name: 'payment_orders_gateway_id', columns: ['gateway_id'], where: 'gateway_id IS NOT NULL' },
    {
      name: 'payment_orders_from_notice',
      expression: `CREATE UNIQUE INDEX payment_orders_from_notice ON payment_orders (gateway, gateway_id) WHERE origin = 'notice'`,
    },
  ],
})
