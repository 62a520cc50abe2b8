import { rublesSql } from '../../platform/storage/rubles.ts'

/** A refund as operators see it. */
export type ShownRefund = {
  readonly id: number
  readonly state: (typeof refundStates)[number]
  readonly amount: string
  readonly paid: string
  /** Given by the gateway. */
  readonly refund_id: string | null
  readonly error: string | null
  readonly comment: string | null
  readonly asked_by: string
  readonly created_at: string
  readonly done_at: string | null
}

export const refundStates = ['asked', 'sent', 'done', 'failed', 'by_hand'] as const

/** SQL: the row `refund` of payment_refunds as operators see it. */
export const refundSql = `json_build_object('id', refund.id, 'state', refund.state, 'amount', ${rublesSql('refund.amount')},
  'paid', ${rublesSql('refund.paid')}, 'refund_id', refund.refund_id, 'error', refund.error, 'comment', refund.comment,
  'asked_by', refund.staff_name, 'created_at', refund.created_at, 'done_at', refund.done_at)`
