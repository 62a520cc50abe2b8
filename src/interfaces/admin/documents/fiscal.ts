import Type from 'typebox'
import { listReceipts, type ReceiptQuery, receiptStates } from '../../../billing/fiscal/listing.ts'
import {
  type OrderQuery,
  prepareOrder,
  queueOrder,
  type ReceiptOrder,
  retryOrder,
} from '../../../billing/fiscal/order.ts'
import { type ReceiptRefusal, receiptRefusalText } from '../../../billing/fiscal/receipt.ts'
import { readId } from '../../../domain/ids.ts'
import { formatRubles } from '../../../domain/money.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { choice, field, id } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import type { FiscalReceipt } from '../../../platform/storage/entities/payments.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { readQuery, readSentBody, wrongInWords } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { pageParameters, readPage } from '../paging.ts'

export type FiscalParts = TransactionScope & {
  /** Called when a receipt is due. */
  readonly fiscal: { wake(): void }
  readonly clock: { now(): Date }
}

const base = '/admin/Abonents'

/** Receipts to the fiscal data operator (finops_fiscalize of specification 4.12). */
export const fiscalRoutes = (parts: FiscalParts): Route[] => [
  post(`${base}/finops_fiscalize/:op_id`, docs.fiscalize, (call) => fiscalize(parts, call), {
    right: recordRights.operation.create,
  }),
  get(`${base}/finops_fiscal_queue`, docs.queue, (call) => queue(parts, call)),
  post(`${base}/finops_fiscal_retry/:op_id`, docs.retry, (call) => retry(parts, call), {
    right: recordRights.operation.create,
  }),
]

type Asked = OrderQuery & { readonly isConfirmed: boolean }

function readAsked(parts: FiscalParts, call: Call): Asked | { refused: Reply } {
  const operationId = readId(call.params.op_id)
  if (operationId === null) return { refused: notFoundReply() }
  const read = readSentBody(call, docs.fiscalize.body.properties, { refuse: wrongInWords })
  if ('refused' in read) return read
  const { config_id: configId = null, confirm: isConfirmed = false } = read.values
  return {
    operationId,
    configId,
    isConfirmed,
    visible: visibleTo(call),
    timeZone: parts.timeZone(),
    now: parts.clock.now(),
  }
}

/** A receipt cannot be taken back, so what would be sent is shown before it is. */
async function fiscalize(parts: FiscalParts, call: Call): Promise<Reply> {
  const asked = readAsked(parts, call)
  if ('refused' in asked) return asked.refused
  const prepared = await writing(parts, async (client) => {
    const outcome = await prepareOrder(client, asked)
    if (outcome.kind !== 'ready' || !asked.isConfirmed) return outcome
    const { order } = outcome
    await queueOrder(client, order, authorOf(call), asked.now)
    return outcome
  })
  if (prepared.kind === 'missing') return notFoundReply()
  if (prepared.kind === 'refused') return notNow(prepared.reason)
  const { order } = prepared
  if (!asked.isConfirmed) {
    const error = 'A receipt cannot be taken back. Look at what would be sent, and send confirm=1 to have it printed.'
    const code = 'needs_confirmation'
    return json({ ok: false, error, code, needs_confirmation: true, receipt: previewOf(order) }, 400)
  }
  parts.fiscal.wake()
  return await shownAfter(parts, call, order.operationId)
}

async function retry(parts: FiscalParts, call: Call): Promise<Reply> {
  const asked = readAsked(parts, call)
  if ('refused' in asked) return asked.refused
  const outcome = await writing(parts, async (client) => {
    const retried = await retryOrder(client, asked)
    if (retried.kind !== 'queued') return retried
    const { rows } = await client.query<RowOf<typeof FiscalReceipt, 'organization_id'>>(
      'SELECT organization_id FROM fiscal_receipts WHERE op_id = $1',
      [asked.operationId],
    )
    await writeAudit(client, {
      author: authorOf(call),
      table: 'FINANCE_OPERATIONS',
      id: String(asked.operationId),
      action: 'fiscalize',
      diff: { retry: [retried.before, 'waiting'] },
      organizationId: rows[0]?.organization_id == null ? null : Number(rows[0].organization_id),
    })
    return retried
  })
  if (outcome.kind === 'missing') return notFoundReply()
  if (outcome.kind === 'refused') return notNow(outcome.reason)
  parts.fiscal.wake()
  return await shownAfter(parts, call, asked.operationId)
}

async function queue(parts: FiscalParts, call: Call): Promise<Reply> {
  const paging = readPage(call.query)
  if ('refused' in paging) return paging.refused
  const read = readQuery(docs.queue.query, call.query, ['state', 'op_id'])
  if ('refused' in read) return read.refused
  const { state = null, op_id: operationId = null } = read.values
  const question: ReceiptQuery = { state, operationId, visible: visibleTo(call), ...paging }
  const { items, hasMore } = await reading(parts, (client) => listReceipts(client, question))
  return json({ ok: true, items, has_more: hasMore })
}

async function shownAfter(parts: FiscalParts, call: Call, operationId: number): Promise<Reply> {
  const question: ReceiptQuery = { state: null, operationId, visible: visibleTo(call), page: 1, perPage: 1 }
  const { items } = await reading(parts, (client) => listReceipts(client, question))
  return items[0] ? json({ ok: true, receipt: items[0] }) : notFoundReply()
}

const notNow = (reason: ReceiptRefusal): Reply => refusal('admin', 400, receiptRefusalText[reason])

const previewOf = ({
  operationId,
  originalId,
  direction,
  amount,
  contact,
  configuration,
  externalId,
  request,
}: ReceiptOrder) => ({
  op_id: operationId,
  original_op_id: originalId,
  direction,
  amount: formatRubles(amount),
  contact,
  config: { id: configuration.id, name: configuration.name },
  external_id: externalId,
  request: JSON.parse(request) as unknown,
})

const tag = 'Fiscal receipts'
const ids = { op_id: { doc: 'The operation; of a return the reversal, or the operation it cancelled' } }
const configSchema = Type.Object({ id: schemas.integer, name: schemas.text })
const receiptSchema = Type.Object({
  op_id: schemas.integer,
  original_op_id: nullable(schemas.integer),
  direction: Type.Enum(['sell', 'sell_refund']),
  state: Type.Enum(receiptStates),
  amount: schemas.rubles,
  contact: schemas.text,
  config: configSchema,
  external_id: schemas.text,
  uuid: nullable(schemas.text),
  attempts: Type.Integer({ description: 'How often it was sent' }),
  next_try: nullable(schemas.moment),
  error: nullable(schemas.text),
  result: { description: 'What the cash register printed' },
  staff: nullable(schemas.text),
  created_at: schemas.moment,
  done_at: nullable(schemas.moment),
})
const notFound = 'There is no such operation or receipt, or it is of another organization'
const configField = Type.Optional(Type.With(id, { description: 'Fiscal configuration; left out, the default one' }))
const confirming: readonly unknown[] = [true, 1, 'true', '1']

const docs = {
  fiscalize: {
    tag,
    summary: 'Have the fiscal receipt of an operation printed',
    description:
      'A receipt of money once; of a reversed one that was printed, the return. Without confirm nothing is sent and the answer shows what would be',
    params: ids,
    body: Type.Object({
      confirm: Type.Optional(
        field(Type.Unsafe({ description: 'true or 1', enum: confirming }), 'be true or 1', (sent) =>
          confirming.includes(sent),
        ),
      ),
      config_id: configField,
    }),
    answers: {
      ...answers('It is in the queue', { receipt: receiptSchema }, { 404: notFound }),
      400: {
        doc: 'Not confirmed: `receipt` is what would be sent; or it cannot be printed, in words',
        schema: Type.Object({
          ...errorSchema.properties,
          needs_confirmation: Type.Optional(schemas.boolean),
          receipt: Type.Optional(schemas.any),
        }),
      },
    },
  },
  queue: {
    tag,
    summary: 'Receipts on their way to the fiscal data operator, the newest first',
    query: {
      state: { doc: 'Left out: all that are not done', schema: choice(receiptStates) },
      op_id: { doc: 'Of one operation, in any state', schema: id },
      ...pageParameters,
    },
    answers: answers(
      'One page',
      { items: Type.Array(receiptSchema), has_more: schemas.boolean },
      { 400: 'A filter cannot be read' },
    ),
  },
  retry: {
    tag,
    summary: 'Try a receipt again now',
    description:
      'One that waits goes as it is. One that was refused is made anew, with the contact and configuration of today, under another external id',
    params: ids,
    body: Type.Object({ config_id: configField }),
    answers: answers('It is in the queue', { receipt: receiptSchema }, { 400: 'It cannot be printed', 404: notFound }),
  },
} as const satisfies Record<string, RouteDoc>
