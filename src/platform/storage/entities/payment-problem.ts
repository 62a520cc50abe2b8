import { createdNow, id, integer, looseId, moment, money, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A notice of a gateway, or of somebody in its name, that was not credited: for the operator to look at. */
export const PaymentProblem = entity('payment_problems', {
  columns: {
    id: id(),
    created_at: createdNow(),
    last_at: createdNow(),
    /** How often the same came. */
    times: integer().default(1),
    gateway: text(),
    protocol: text(),
    reason: text(),
    detail: text(),
    order_id: looseId(),
    subscriber_id: looseId(),
    organization_id: looseId(),
    gateway_id: text().nullable(),
    /** Paid, as the notice says. */
    amount: money().nullable(),
    /** Who sent it. */
    address: text().nullable(),
    /** As it came, without its signature. */
    notice: text(),
    /** What makes two of them the same. */
    fingerprint: text().unique('payment_problems_fingerprint'),
    resolved_at: moment().nullable(),
    resolved_by: looseId(),
    resolved_name: text().nullable(),
    comment: text().nullable(),
  },
  indexes: [
    {
      name: 'payment_problems_last',
      expression: 'CREATE INDEX payment_problems_last ON payment_problems (last_at DESC, id DESC)',
    },
  ],
})
