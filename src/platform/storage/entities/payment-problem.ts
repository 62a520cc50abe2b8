import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, id, looseId, money } from './columns.ts'

/** A notice of a gateway, or of somebody in its name, that was not credited: for the operator to look at. */
export const PaymentProblem = defineEntity({
  name: 'PaymentProblem',
  tableName: 'payment_problems',
  properties: {
    id: id(),
    created_at: createdNow(),
    last_at: createdNow(),
    /** How often the same came. */
    times: p.integer().default(1),
    gateway: p.text(),
    protocol: p.text(),
    reason: p.text(),
    detail: p.text(),
    order_id: looseId(),
    subscriber_id: looseId(),
    organization_id: looseId(),
    gateway_id: p.text().nullable(),
    /** Paid, as the notice says. */
    amount: money().nullable(),
    /** Who sent it. */
    address: p.text().nullable(),
    /** As it came, without its signature. */
    notice: p.text(),
    /** What makes two of them the same. */
    fingerprint: p.text().unique('payment_problems_fingerprint'),
    resolved_at: p.datetime().nullable(),
    resolved_by: looseId(),
    resolved_name: p.text().nullable(),
    comment: p.text().nullable(),
  },
  indexes: [
    {
      name: 'payment_problems_last',
      expression: 'CREATE INDEX payment_problems_last ON payment_problems (last_at DESC, id DESC)',
    },
  ],
})
