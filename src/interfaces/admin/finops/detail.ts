import type { PoolClient } from 'pg'
import Type from 'typebox'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import { givenBackSql } from '../../../billing/accounts/given-back.ts'
import { paymentOfOperationSql } from '../../../billing/payments/refunds.ts'
import { refundSql } from '../../../billing/payments/shown-refund.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import {
  accountOrganization,
  type VisibleOrganizations,
  visibleSql,
} from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading } from '../../../platform/storage/transactions.ts'
import { answers } from '../doors.ts'
import { refundSchema } from '../payments/refund-shape.ts'
import { foundShape, shapeOf } from '../shapes.ts'
import type { FinopsParts } from './parts.ts'
import { operationMissing, operationSchema, operationSql, readOperations, snapshot } from './operation-shape.ts'

const shownMax = 50

/** One operation with everything around it. Records that belong to other organizations are left out. */
export async function showOperation({ payments, ...scope }: FinopsParts, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  return await reading(scope, async (client) => {
    const id = await findVisible(client, 'operation', call.params.op_id, visible)
    if (id === null) return notFoundReply()
    const detail = await readDetail(client, id, visible, payments.refunds.byWhom('rest') === 'gateway')
    const related = (condition: string) => readOperations(client, visible, condition, [id], shownMax)
    const [original] = await related('op_id = (SELECT related_operation_id FROM finance_operations WHERE op_id = $2)')
    const [reversal] = await related('related_operation_id = $2 AND storno')
    const [parent] = await related('op_id = (SELECT fin_op_id FROM finance_operations WHERE op_id = $2)')
    return json({
      ok: true,
      ...detail,
      original: original ?? null,
      reversal: reversal ?? null,
      parent: parent ?? null,
      children: await related('fin_op_id = $2'),
      audit: await readAudit(client, id, visible),
    })
  })
}

async function readDetail(
  client: PoolClient,
  id: number,
  visible: VisibleOrganizations,
  canRefund: boolean,
): Promise<Record<string, unknown>> {
  const { rows } = await client.query<{ detail: Record<string, unknown> }>(detailText, [id, visible, canRefund])
  return rows[0]!.detail
}

const { integer, text, boolean, rubles, moment } = schemas
const words = nullable(text)
const seen = visibleSql('organization_id', '$2')
const person = { id: integer, name: words, contract_number: words }

/**
 * One operation, with the rows it names where the caller may see them. Snapshots show the account just before the
 * operation; `balance_after` is the balance after it.
 */
const [detailSchema, detailSql] = shapeOf('operation', {
  operation: [operationSchema, operationSql],
  direction: [
    Type.Enum(['income', 'expense', 'neutral']),
    `CASE sign(operation.op_summa) WHEN 1 THEN 'income' WHEN -1 THEN 'expense' ELSE 'neutral' END`,
  ],
  can_storno: [
    Type.Boolean({ description: 'It is the last of its account and not reversed' }),
    'NOT operation.storno AND account.last_operation_id = operation.op_id',
  ],
  given_back_by: [
    nullable(Type.Integer({ description: 'The later operation because of which it cannot be reversed' })),
    givenBackSql('operation', `current_setting('TimeZone')`),
  ],
  snapshot: shapeOf('operation', {
    ...snapshot,
    balance_after: [rubles, '(operation.aa_ostatok + operation.op_summa)'],
  }),
  op_type: foundShape('type', 'fin_types AS type WHERE type_id = operation.op_type_id', {
    type_id: integer,
    op_name: text,
    op_sign: Type.Enum([1, -1, 0]),
    op_descr: words,
  }),
  credit_type: foundShape('type', 'fin_types AS type WHERE type_id = operation.credit_type_id', {
    type_id: integer,
    op_name: text,
  }),
  account: foundShape('account', `(SELECT) AS always WHERE ${visibleSql(accountOrganization('account.id'), '$2')}`, {
    id: integer,
    ostatok: rubles,
    debit: rubles,
    credit: rubles,
    limit: rubles,
    unlimited: boolean,
  }),
  abonent: foundShape('abonents', `abonents WHERE id = operation.abonent_id AND ${seen}`, {
    ...person,
    address: words,
    enabled: boolean,
    deleted: boolean,
    organization_id: nullable(integer),
  }),
  operator: foundShape('abonents', `abonents WHERE id = operation.operator_id AND ${seen}`, person),
  owner: foundShape('staff', 'staff WHERE id = operation.owner_id', { id: integer, username: text }),
  usluga: foundShape('uslugas', 'uslugas WHERE id = operation.usluga_id', { id: integer, name: words, price: rubles }),
  organization: foundShape('place', 'organizations AS place WHERE id = operation.organization_id', {
    id: integer,
    name: words,
  }),
  payment: shapeOf('operation', {
    operator_name: words,
    operator_pay_id: nullable(integer),
    operator_pay_id_str: words,
    operator_result: words,
    txn: words,
    is_cash: boolean,
    sync1c: boolean,
    code1c: words,
  }),
  gateway_payment: foundShape('payment', paymentOfOperationSql('operation'), {
    paid: [Type.With(rubles, { description: 'With the commission' }), 'payment.paid'],
    given_back_by: [
      Type.Enum(['gateway', 'office']),
      `CASE WHEN payment.protocol = 'rest' AND $3 THEN 'gateway' ELSE 'office' END`,
    ],
  }),
  refund: [
    nullable(Type.With(refundSchema, { description: 'Of the payment that it credits, or reverses' })),
    `(SELECT ${refundSql} FROM payment_refunds AS refund
      WHERE operation.op_id IN (refund.operation_id, refund.reversal_id) LIMIT 1)`,
  ],
  fiscal: shapeOf('operation', {
    kkm_printed: boolean,
    kkm_storno: boolean,
    kkm_check_id: nullable(integer),
    kkm_check_retry_num: nullable(integer),
    atol_config_id: nullable(integer),
    has_print_form: [boolean, 'operation.print_form IS NOT NULL'],
  }),
  chain: shapeOf('operation', {
    seq: [nullable(integer), 'chain_seq'],
    hash: [words, `encode(operation.chain_hash, 'hex')`],
  }),
  children_total: [
    integer,
    `(SELECT count(*) FROM finance_operations AS child
      WHERE child.fin_op_id = operation.op_id AND ${visibleSql('child.organization_id', '$2')})`,
  ],
})

const detailText = `SELECT ${detailSql} AS detail FROM finance_operations AS operation
  JOIN admin_accounts AS account ON account.id = operation.account_id WHERE operation.op_id = $1`

const [auditSchema, auditSql] = shapeOf('audit_operations', {
  id: integer,
  at: moment,
  user: [words, 'user_name'],
  address: words,
  action: text,
  diff: schemas.any,
})

async function readAudit(client: PoolClient, id: number, visible: VisibleOrganizations): Promise<unknown[]> {
  const { rows } = await client.query<{ item: unknown }>(
    `SELECT ${auditSql} AS item FROM audit_operations WHERE table_name = 'FINANCE_OPERATIONS' AND object_id = $1
        AND ($2::int8[] IS NULL OR organization_id = ANY($2::int8[])) ORDER BY at DESC, id DESC LIMIT ${shownMax}`,
    [String(id), visible],
  )
  return rows.map(({ item }) => item)
}

export const detailAnswers = answers(
  'The operation, the account just before it, and its relatives',
  {
    ...detailSchema.properties,
    original: nullable(operationSchema),
    reversal: nullable(operationSchema),
    parent: nullable(operationSchema),
    children: Type.Array(operationSchema),
    audit: Type.Array(auditSchema),
  },
  { 404: operationMissing },
)
