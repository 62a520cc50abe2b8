import {
  bigint,
  boolean,
  createdNow,
  id,
  int8,
  integer,
  json,
  looseId,
  moment,
  money,
  moneyFromZero,
  oneOf,
  reference,
  sealed,
  text,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** What a client wanted to pay through a gateway, and what became of it. Kept for ever. */
export const PaymentOrder = entity('payment_orders', {
  columns: {
    id: id(),
    subscriber_id: int8(),
    account_id: looseId(),
    organization_id: looseId(),
    gateway: oneOf('gwa', 'gwb'),
    protocol: oneOf('rest', 'http', 'form'),
    /** `notice`: the gateway reported a payment that nobody had ordered here. */
    origin: oneOf('client', 'notice').default('client'),
    /** To be credited. */
    amount: money(),
    /** To be paid: amount + commission. */
    payable: money(),
    commission: money(),
    state: oneOf('created', 'sent', 'paid', 'failed', 'expired').default('created'),
    /** The payment's id at the gateway. */
    gateway_id: text().nullable(),
    /** Sent with the creation, and again with every repeat of it. */
    idempotence_key: text(),
    /** The body of the creation, so that a repeat is the same request. */
    request: text().nullable(),
    return_url: text().nullable(),
    /** In the address to which the gateway sends the client back: who carries it may see whether the order was paid. */
    result_token: text().nullable(),
    confirmation_url: text().nullable(),
    operation_id: looseId(),
    error: text().nullable(),
    created_at: createdNow(),
    sent_at: moment().nullable(),
    paid_at: moment().nullable(),
    /** When the gateway was last asked about it. */
    checked_at: moment().nullable(),
  },
  checks: {
    payment_orders_amounts: 'amount > 0 AND commission >= 0 AND payable = amount + commission',
  },
  indexes: {
    payment_orders_subscriber: '(subscriber_id, id DESC)',
    payment_orders_open: `(id) WHERE state IN ('created', 'sent')`,
    payment_orders_gateway_id: '(gateway_id) WHERE gateway_id IS NOT NULL',
    payment_orders_from_notice: `UNIQUE (gateway, gateway_id) WHERE origin = 'notice'`,
  },
})

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
    /** Null: nobody has settled it, or it was marked as seen before there were several ways. */
    settlement: oneOf('credited', 'given_back', 'noted').nullable(),
    /** That credits it. */
    operation_id: looseId(),
  },
  indexes: {
    payment_problems_last: '(last_at DESC, id DESC)',
    payment_problems_operation: '(operation_id) WHERE operation_id IS NOT NULL',
  },
})

/** Money that a gateway returns to a payer, once for a payment. Kept for ever. */
export const PaymentRefund = entity('payment_refunds', {
  columns: {
    id: id(),
    gateway: oneOf('gwa'),
    /** The payment's id at the gateway. */
    payment_id: text(),
    amount: money(),
    /** All that was paid, with the commission. */
    paid: money(),
    /** The payment that was not credited. */
    problem_id: looseId(),
    /** The operation that had credited the payment, and its reversal. */
    operation_id: looseId(),
    reversal_id: looseId(),
    subscriber_id: looseId(),
    organization_id: looseId(),
    /** Sent with the request, and again with every repeat of it. */
    idempotence_key: text().unique('payment_refunds_key'),
    /** The body as it is sent, each time the same. */
    request: text(),
    /** `by_hand`: the gateway refused, and somebody has returned the money in its office. */
    state: oneOf('asked', 'sent', 'done', 'failed', 'by_hand').default('asked'),
    /** Given by the gateway. */
    refund_id: text().nullable(),
    /** How often it was sent. */
    attempts: integer().default(0),
    /** Calls since it last came forward; the wait for the next grows with them. */
    tries: integer().default(0),
    due_at: createdNow(),
    /** What went wrong last. */
    error: text().nullable(),
    /** What was done about it by hand. */
    comment: text().nullable(),
    staff_id: looseId(),
    staff_name: text(),
    created_at: createdNow(),
    done_at: moment().nullable(),
  },
  uniques: { payment_refunds_payment: ['gateway', 'payment_id'] },
  checks: { payment_refunds_amounts: 'amount > 0 AND amount <= paid' },
  indexes: {
    payment_refunds_due: `(due_at) WHERE state IN ('asked', 'sent')`,
    payment_refunds_open: `(state, id) WHERE state IN ('asked', 'sent', 'failed')`,
    payment_refunds_problem: '(problem_id) WHERE problem_id IS NOT NULL',
    payment_refunds_operation: '(operation_id) WHERE operation_id IS NOT NULL',
    payment_refunds_reversal: '(reversal_id) WHERE reversal_id IS NOT NULL',
  },
})

/** Where an organization has its receipts issued (atol_config of specification 2.4), and what stands on them. */
export const FiscalConfig = entity('fiscal_configs', {
  columns: {
    id: id(),
    organization_id: reference('organizations'),
    name: text(),
    /** The interface without the group: `https://online.atol.ru/possystem/v4`. */
    url: text(),
    login: text(),
    password: sealed(),
    /** The cash registers that may print it. */
    group_code: text(),
    inn: text(),
    payment_address: text(),
    company_email: text(),
    tax_system: text(),
    vat: text().default('none'),
    payment_method: text().default('full_prepayment'),
    payment_object: text().default('service'),
    enabled: boolean().default(true),
    /** Taken when nobody names one; one an organization. */
    is_default: boolean().default(false),
  },
  indexes: { fiscal_configs_default: 'UNIQUE (organization_id) WHERE is_default' },
})

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
    direction: oneOf('sell', 'sell_refund'),
    /** By it the receiver knows a receipt that is sent again. */
    external_id: text().unique('fiscal_receipts_external_id'),
    amount: money(),
    /** E-mail or telephone of the buyer. */
    contact: text(),
    /** The body as it is sent, each time the same. */
    request: text(),
    state: oneOf('waiting', 'sent', 'done', 'refused').default('waiting'),
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
  indexes: {
    fiscal_receipts_due: `(due_at) WHERE state IN ('waiting', 'sent')`,
    fiscal_receipts_open: `(state, id) WHERE state <> 'done'`,
    fiscal_receipts_config: '(config_id)',
  },
})

/** What was received and given back by one type of operation in one way; money in units, as text. */
export type CashTotal = {
  readonly typeId: number
  readonly typeName: string
  readonly way: 'cash' | 'other'
  readonly receivedCount: number
  readonly received: string
  readonly returnedCount: number
  readonly returned: string
}

/** A shift of a cashier. */
export const CashShift = entity('cash_shifts', {
  columns: {
    id: id(),
    staff_id: reference('staff'),
    opened_at: createdNow(),
    /** In the drawer at the beginning. */
    opening_cash: moneyFromZero(),
    /** Null while it goes on. */
    closed_at: moment().nullable(),
    /** In the drawer at the end, as the cashier has counted it. */
    counted_cash: money().nullable(),
    /** Written at the end, so that the paper stays as it was. */
    totals: json<readonly CashTotal[]>().nullable(),
  },
  indexes: {
    cash_shifts_open: 'UNIQUE (staff_id) WHERE closed_at IS NULL',
    cash_shifts_staff: '(staff_id, id DESC)',
  },
})

/** An operation that a closed shift has counted; without a foreign key, because it may be deleted and was counted. */
export const CashShiftOperation = entity('cash_shift_operations', {
  columns: {
    op_id: bigint().primary(),
    shift_id: reference('cash_shifts'),
  },
  indexes: { cash_shift_operations_shift: '(shift_id)' },
})
