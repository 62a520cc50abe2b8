import Type, { type TSchema } from 'typebox'
import { xlsxType } from '../../../platform/formats/xlsx.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { isWritable, type Model } from '../../../platform/records/model.ts'
import { bodySchema } from '../../../platform/records/schema.ts'
import { accountMissing } from '../accounts/account-shape.ts'
import { confirmField } from '../accounts/posting-date.ts'
import { notReady, preferHeader } from '../countings.ts'
import { commaParameter } from '../file-exports.ts'
import { answers, refusals } from '../doors.ts'
import { pageParameters } from '../paging.ts'
import { detailAnswers } from './detail.ts'
import { describedOperation, postedOperation } from './fields.ts'
import { filterParameters } from './filters.ts'
import { cursorFields } from './list.ts'
import { operationMissing, operationSchema } from './operation-shape.ts'
import { creditTypeSchema, serviceSchema, staffSchema } from './suggestions.ts'
import { totalsSchema } from './totals.ts'

const tag = 'Finance operations'
const { integer, boolean, moment } = schemas

const wrong = { 400: 'A parameter or field is wrong, or a refusal in words' }
const notWritten = {
  ...wrong,
  403: 'A subscriber it names does not exist or is of another organization, or an unusual date without the right to it',
  409: 'The transaction or the Idempotency-Key was used before for something else',
}

const listDoc = {
  tag,
  query: {
    ...filterParameters,
    ...pageParameters,
    after_date: {
      doc: 'Of next_cursor: takes the rows strictly after it in the order of the list',
      schema: cursorFields.after_date,
    },
    after_id: { doc: 'Of next_cursor', schema: cursorFields.after_id },
    totals: {
      doc: '0: the first batch of a search for a common word comes at once, without `kpi`, and its `total` says how many there are at least',
      schema: Type.Enum(['0']),
    },
  },
  answers: answers(
    'A batch of 50, the newest first',
    {
      items: Type.Array(operationSchema),
      total: Type.Integer({ description: 'Of the first batch; later ones say -1, unchanged' }),
      has_more_than_total: Type.Optional(Type.Boolean({ description: 'It was not counted to the end; without kpi' })),
      has_more: boolean,
      next_cursor: nullable(Type.Object({ after_date: moment, after_id: integer })),
      page: Type.Optional(integer),
      per_page: Type.Optional(integer),
      show_org: Type.Boolean({ description: 'The caller sees more than one organization' }),
      kpi: Type.Optional(Type.With(totalsSchema, { description: 'Of the first batch' })),
    },
    wrong,
  ),
} as const satisfies Omit<RouteDoc, 'summary'>

const offered = (item: TSchema) => answers('At most twenty', { items: Type.Array(item) })

const q = { q: { doc: 'What somebody typed' } }

const busy = { 503: 'Two reports are being made already' }
const files = {
  200: {
    doc: 'The file: CSV is UTF-8 with a byte order mark and `;` between cells',
    contentType: 'text/csv',
    otherTypes: [xlsxType],
  },
  ...refusals({ ...wrong, ...busy }),
}

/** The fields of a body; a relation goes by its name with `_id`. */
function bodyOf(model: Model): Record<string, TSchema> {
  const { properties } = bodySchema(model)
  return Object.fromEntries(
    model.fields
      .filter(isWritable)
      .map(({ name, kind }) => [kind === 'relation' ? `${name}_id` : name, properties[name]!]),
  )
}

const created = { ...bodyOf(postedOperation), confirm: confirmField }
const changed = {
  ...bodyOf(describedOperation),
  confirm: confirmField,
  _delete: Type.Boolean({ description: '1 deletes the record' }),
}

export const docs = {
  list: { ...listDoc, summary: 'Finance operations, batch by batch' },
  payLog: {
    ...listDoc,
    summary: 'The log of payments: financial documents only, as a grid or a file',
    headers: preferHeader,
    query: {
      ...listDoc.query,
      ...commaParameter,
      format: { doc: 'Left out: json', schema: Type.Enum(['json', 'csv', 'xlsx', 'html']) },
    },
    answers: {
      ...listDoc.answers,
      200: { ...listDoc.answers[200]!, otherTypes: ['text/html', 'text/csv', xlsxType] },
      ...notReady,
      ...refusals(busy),
    },
  },
  download: {
    tag,
    summary: 'Finance operations as a file',
    query: {
      ...filterParameters,
      ...commaParameter,
      format: { doc: 'Left out: csv', schema: Type.Enum(['csv', 'xlsx']) },
    },
    answers: files,
  },
  detail: {
    tag,
    summary: 'One operation with everything around it',
    description: 'Records of other organizations are null',
    answers: detailAnswers,
  },
  create: {
    tag,
    summary: 'Post an operation through the account',
    description:
      'Of abonent_id and account_id one is needed. A transaction that is known answers with the first operation and moves nothing',
    headers: { 'Idempotency-Key': { doc: 'A repeat of the same request gets the first answer again' } },
    body: Type.Object(created),
    answers: answers(
      'The operation',
      { duplicate: boolean, operation: operationSchema },
      { ...notWritten, 404: accountMissing },
    ),
  },
  change: {
    tag,
    summary: 'Change what describes an operation, or delete its record',
    description: 'Amount, account, type and snapshots cannot be changed. Deleting a record leaves the balance as it is',
    body: Type.Partial(Type.Object(changed)),
    answers: answers(
      'The operation; of a deletion `deleted`',
      { operation: Type.Optional(operationSchema), deleted: Type.Optional(integer) },
      { ...notWritten, 404: operationMissing },
    ),
  },
  remove: {
    tag,
    summary: 'Delete the record of an operation',
    description: 'The balance stays as it is',
    answers: answers('Its id', { deleted: integer }, { ...notWritten, 404: operationMissing }),
  },
  creditTypes: { tag, summary: 'Suggestions: types of operations', query: q, answers: offered(creditTypeSchema) },
  staff: { tag, summary: 'Suggestions: staff', query: q, answers: offered(staffSchema) },
  services: { tag, summary: 'Suggestions: services', query: q, answers: offered(serviceSchema) },
  search: {
    tag,
    summary: 'Suggestions: parent operations',
    query: { ...q, exclude: { doc: 'The operation that looks for a parent', schema: integer } },
    answers: answers('At most twenty, the newest first', { items: Type.Array(operationSchema) }, wrong),
  },
} as const satisfies Record<string, RouteDoc>
