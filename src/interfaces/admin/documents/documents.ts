import { findBill, readBillName } from '../../../billing/documents/bill-document.ts'
import { type FoundOperation, findOperation, storeForm } from '../../../billing/documents/operation-document.ts'
import type { Printer } from '../../../billing/documents/printer.ts'
import { readId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { id } from '../../../platform/http/fields.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { isRefused, readQuery } from '../body.ts'
import { get, post, refusals } from '../doors.ts'

export type DocumentParts = TransactionScope & {
  readonly printer: Pick<Printer, 'draw'>
  readonly clock: { now(): Date }
}

/** Printed documents for clients and accountants (specification 4.8). */
export const documentRoutes = (parts: DocumentParts): Route[] => [
  get('/admin/getpdf/:abonent_id/:item_id', docs.operation, (call) => shown(parts, call)),
  post('/admin/getpdf/:abonent_id/:item_id', docs.again, (call) => printed(parts, call)),
  get('/admin/Abonents/get_bills/:filename', docs.bill, (call) => bill(parts, call)),
]

type Printable = FoundOperation & { readonly document: NonNullable<FoundOperation['document']>; readonly id: number }

async function find(parts: DocumentParts, call: Call): Promise<Printable | { refused: Reply }> {
  const subscriberId = readId(call.params.abonent_id)
  const operationId = readId(call.params.item_id)
  if (subscriberId === null || operationId === null) return { refused: notFoundReply() }
  const question = {
    subscriberId,
    operationId,
    visible: visibleTo(call),
    timeZone: parts.timeZone(),
    now: parts.clock.now(),
  }
  const found = await reading(parts, (client) => findOperation(client, question))
  if (!found) return { refused: notFoundReply() }
  const { document } = found
  if (!document) return { refused: refusal('admin', 400, 'The operation moves no money: there is nothing to print.') }
  return { ...found, document, id: operationId }
}

/**
 * The client holds the form that was printed and kept, so that form is served again. Without one the document is drawn
 * and not kept, because a GET writes nothing. A reversed operation is drawn anew with a stamp, and the kept form stays.
 */
async function shown(parts: DocumentParts, call: Call): Promise<Reply> {
  const found = await find(parts, call)
  if ('refused' in found) return found.refused
  const isAsKept = found.storedForm && !found.isReversed
  return pdf(nameOf(found), isAsKept ? found.storedForm : await parts.printer.draw(found.document))
}

async function printed(parts: DocumentParts, call: Call): Promise<Reply> {
  const found = await find(parts, call)
  if ('refused' in found) return found.refused
  const form = await parts.printer.draw(found.document)
  const isKept = await writing(parts, async (client) => {
    if (!(await storeForm(client, found.id, form))) return false
    await writeAudit(client, {
      author: authorOf(call),
      table: 'FINANCE_OPERATIONS',
      id: String(found.id),
      action: 'print',
      diff: { print_form: [found.storedForm ? `${found.storedForm.length} bytes` : null, `${form.length} bytes`] },
      organizationId: found.organizationId,
    })
    return true
  })
  return isKept ? pdf(nameOf(found), form) : notFoundReply()
}

async function bill(parts: DocumentParts, call: Call): Promise<Reply> {
  const name = call.params.filename ?? ''
  const asked = readBillName(name)
  if (!asked) return notFoundReply()
  const read = readQuery(docs.bill.query, call.query)
  if (isRefused(read)) return read.refused
  const { abonent = null } = read.values
  const question = { ...asked, abonent, visible: visibleTo(call), timeZone: parts.timeZone(), now: parts.clock.now() }
  const found = await reading(parts, (client) => findBill(client, question))
  return found ? pdf(name, await parts.printer.draw(found)) : notFoundReply()
}

const nameOf = ({ document, contractNumber, id }: Printable): string => `${document.kind}-${contractNumber}-${id}.pdf`

export const pdf = (name: string, body: Buffer): Reply => ({
  status: 200,
  headers: [
    ['Content-Disposition', dispositionOf(name)],
    ['Cache-Control', 'private, no-store'],
  ],
  contentType: 'application/pdf',
  body,
})

/**
 * The browser shows the file, and saves it under a name that is valid on every system. RFC 6266 allows the name with
 * Cyrillic letters beside it.
 */
function dispositionOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '_')
  const full = encodeURIComponent(name.replace(/[\p{Cc}\p{Cs}/\\:*?"<>|]+/gu, '_')).replace(/['()*]/g, percent)
  return `inline; filename="${plain}"; filename*=UTF-8''${full}`
}

const percent = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`

const tag = 'Documents'
const pdfAnswer = { doc: 'The PDF', contentType: 'application/pdf' }
const ids = { abonent_id: { doc: 'Subscriber' }, item_id: { doc: 'Operation (op_id)' } }
const printable = {
  200: pdfAnswer,
  ...refusals({
    400: 'The operation moves no money',
    404: 'There is no such subscriber or operation, they do not belong together, or one is of another organization',
  }),
}

const docs = {
  operation: {
    tag,
    summary: 'The printed document of an operation',
    description:
      'An invoice for a charge or a promise payment, a receipt for money received, a note for a reversal or a recalculation. What was printed and kept is served again, and anything else is drawn without being kept; a reversed operation is drawn anew with a stamp',
    params: ids,
    answers: printable,
  },
  again: {
    tag,
    summary: 'Print the document of an operation and keep it, in place of an earlier one',
    params: ids,
    answers: printable,
  },
  bill: {
    tag,
    summary: 'The bill of a month',
    description:
      'Opening balance, operations of the month in TIME_ZONE, closing balance and what is to be paid. It is made when it is asked for',
    params: { filename: { doc: '`bill-<contract number or subscriber id>-<YYYY-MM>.pdf`' } },
    query: { abonent: { doc: 'The subscriber, where several may have the number in the name', schema: id } },
    answers: {
      200: pdfAnswer,
      ...refusals({
        400: 'abonent is not an id',
        404: 'No such subscriber visible, another form of name, or a month to come',
      }),
    },
  },
} as const satisfies Record<string, RouteDoc>
