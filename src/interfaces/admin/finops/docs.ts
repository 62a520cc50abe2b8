import Type, { type TSchema } from 'typebox'
import { xlsxType } from '../../../platform/formats/xlsx.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import { isWritable, type Model } from '../../../platform/records/model.ts'
import { bodySchema } from '../../../platform/records/schema.ts'
import { pageParameters } from '../paging.ts'
import { describedOperation, postedOperation } from './fields.ts'
import { filterParameters } from './filters.ts'
import { cursorFields } from './list.ts'
import { operationSchema } from './operation-shape.ts'
import { totalsSchema } from './totals.ts'

const tag = 'Finance operations'
const { integer, text, boolean, moment, rubles } = schemas

const wrong = { doc: 'A parameter or field is wrong, or a refusal in words', schema: errorSchema }
const notFound = { doc: 'There is no such operation, or it is of another organization', schema: errorSchema }
const notVisible = { doc: 'A subscriber it names does not exist or is of another organization', schema: errorSchema }
const taken = { doc: 'The transaction or the Idempotency-Key was used before for something else', schema: errorSchema }

const cursor = Type.Object({ after_date: moment, after_id: integer })

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
  },
  answers: {
    200: {
      doc: 'A batch of 50, the newest first',
      schema: okObject({
        items: Type.Array(operationSchema),
        total: Type.Integer({ description: 'Of the first batch; later ones say -1, unchanged' }),
        has_more: boolean,
        next_cursor: nullable(cursor),
        page: Type.Optional(integer),
        per_page: Type.Optional(integer),
        show_org: Type.Boolean({ description: 'The caller sees more than one organization' }),
        kpi: Type.Optional(Type.With(totalsSchema, { description: 'Of the first batch' })),
      }),
    },
    400: wrong,
  },
} as const satisfies Omit<RouteDoc, 'summary'>

const offered = (extra: Readonly<Record<string, TSchema>>): NonNullable<RouteDoc['answers']> => ({
  200: {
    doc: 'At most twenty',
    schema: okObject({ items: Type.Array(Type.Object({ id: integer, name: text, ...extra })) }),
  },
})

const q = { q: { doc: 'What somebody typed' } }

const files = {
  200: {
    doc: 'The file: CSV is UTF-8 with a byte order mark and `;` between cells',
    contentType: 'text/csv',
    otherTypes: [xlsxType],
  },
  400: wrong,
  503: { doc: 'Two reports are being made already', schema: errorSchema },
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

const created = bodyOf(postedOperation)
const changed = { ...bodyOf(describedOperation), _delete: Type.Boolean({ description: '1 deletes the record' }) }

const named = { id: integer, name: nullable(text) }

const snapshotSchema = Type.Object({
  aa_ostatok: rubles,
  aa_debit: rubles,
  aa_credit: rubles,
  aa_credit_adjust: rubles,
  aa_limit_warning: nullable(rubles),
  aa_limit: rubles,
  aa_unlimited: boolean,
  aa_unlimited_date: nullable(moment),
  balance_buh: rubles,
  balance_after: rubles,
})

const relativeSchemas = {
  op_type: nullable(
    Type.Object({ type_id: integer, op_name: text, op_sign: Type.Enum([1, -1, 0]), op_descr: nullable(text) }),
  ),
  credit_type: nullable(Type.Object({ type_id: integer, op_name: text })),
  account: nullable(
    Type.Object({ id: integer, ostatok: rubles, debit: rubles, credit: rubles, limit: rubles, unlimited: boolean }),
  ),
  abonent: nullable(
    Type.Object({
      ...named,
      contract_number: nullable(text),
      address: nullable(text),
      enabled: boolean,
      deleted: boolean,
      organization_id: nullable(integer),
    }),
  ),
  operator: nullable(Type.Object({ ...named, contract_number: nullable(text) })),
  owner: nullable(Type.Object({ id: integer, username: text })),
  usluga: nullable(Type.Object({ ...named, price: rubles })),
  organization: nullable(Type.Object(named)),
  payment: Type.Object({
    operator_name: nullable(text),
    operator_pay_id: nullable(integer),
    operator_pay_id_str: nullable(text),
    operator_result: nullable(text),
    txn: nullable(text),
    is_cash: boolean,
    sync1c: boolean,
    code1c: nullable(text),
  }),
  fiscal: Type.Object({
    kkm_printed: boolean,
    kkm_storno: boolean,
    kkm_check_id: nullable(integer),
    kkm_check_retry_num: nullable(integer),
    atol_config_id: nullable(integer),
    has_print_form: boolean,
  }),
  chain: Type.Object({ seq: nullable(integer), hash: nullable(text) }),
}

export const docs = {
  list: { ...listDoc, summary: 'Finance operations, batch by batch' },
  payLog: {
    ...listDoc,
    summary: 'The log of payments: financial documents only, as a grid or a file',
    query: { ...listDoc.query, format: { doc: 'Left out: json', schema: Type.Enum(['json', 'csv', 'xlsx', 'html']) } },
    answers: {
      ...listDoc.answers,
      200: { ...listDoc.answers[200], otherTypes: ['text/html', 'text/csv', xlsxType] },
      503: files[503],
    },
  },
  download: {
    tag,
    summary: 'Finance operations as a file',
    query: { ...filterParameters, format: { doc: 'Left out: csv', schema: Type.Enum(['csv', 'xlsx']) } },
    answers: files,
  },
  detail: {
    tag,
    summary: 'One operation with everything around it',
    description: 'Records of other organizations are null',
    answers: {
      200: {
        doc: 'The operation, the account just before it, and its relatives',
        schema: okObject({
          operation: operationSchema,
          direction: Type.Enum(['income', 'expense', 'neutral']),
          can_storno: Type.Boolean({ description: 'It is the last of its account and not reversed' }),
          snapshot: snapshotSchema,
          ...relativeSchemas,
          original: nullable(operationSchema),
          reversal: nullable(operationSchema),
          parent: nullable(operationSchema),
          children: Type.Array(operationSchema),
          children_total: integer,
          audit: Type.Array(
            Type.Object({
              id: integer,
              at: moment,
              user: nullable(text),
              address: nullable(text),
              action: text,
              diff: schemas.any,
            }),
          ),
        }),
      },
      404: notFound,
    },
  },
  create: {
    tag,
    summary: 'Post an operation through the account',
    description:
      'Of abonent_id and account_id one is needed. A transaction that is known answers with the first operation and moves nothing',
    headers: { 'Idempotency-Key': { doc: 'A repeat of the same request gets the first answer again' } },
    body: Type.Object(created),
    isFormToo: true,
    answers: {
      200: { doc: 'The operation', schema: okObject({ duplicate: boolean, operation: operationSchema }) },
      400: wrong,
      403: notVisible,
      404: { doc: 'There is no such account, or it is of another organization', schema: errorSchema },
      409: taken,
    },
  },
  change: {
    tag,
    summary: 'Change what describes an operation, or delete its record',
    description: 'Amount, account, type and snapshots cannot be changed. Deleting a record leaves the balance as it is',
    body: Type.Partial(Type.Object(changed)),
    isFormToo: true,
    answers: {
      200: {
        doc: 'The operation; of a deletion `deleted`',
        schema: okObject({ operation: Type.Optional(operationSchema), deleted: Type.Optional(integer) }),
      },
      400: wrong,
      403: notVisible,
      404: notFound,
      409: taken,
    },
  },
  creditTypes: {
    tag,
    summary: 'Suggestions: types of operations',
    query: q,
    answers: offered({ op_sign: integer, is_common: boolean }),
  },
  staff: { tag, summary: 'Suggestions: staff', query: q, answers: offered({}) },
  services: { tag, summary: 'Suggestions: services', query: q, answers: offered({ price: rubles }) },
  search: {
    tag,
    summary: 'Suggestions: parent operations',
    query: { ...q, exclude: { doc: 'The operation that looks for a parent', schema: integer } },
    answers: {
      200: { doc: 'At most twenty, the newest first', schema: okObject({ items: Type.Array(operationSchema) }) },
      400: wrong,
    },
  },
} as const satisfies Record<string, RouteDoc>
