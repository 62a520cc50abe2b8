import Type from 'typebox'
import { sourceSql } from '../../../billing/accounts/operation-source.ts'
import { isReversalSql } from '../../../billing/accounts/reversal-sql.ts'
import { operationSources } from '../../../domain/operation-source.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { keyOf, type Members, shapeOf } from '../shapes.ts'

const { integer, text, boolean, moment, rubles } = schemas
const words = nullable(text)

const [schema, sql] = shapeOf('operation', {
  op_id: integer,
  op_date: moment,
  system_date: moment,
  op_summa: rubles,
  amount: [Type.With(rubles, { description: 'The same as op_summa' }), 'op_summa'],
  ...keyOf('op_type', integer),
  op_type_name: [text, 'type.op_name'],
  op_sign: [Type.Enum([1, -1, 0]), 'type.op_sign'],
  ...keyOf('account', integer),
  ...keyOf('abonent'),
  abonent_name: [words, 'client.name'],
  contract_number: [words, 'client.contract_number'],
  ...keyOf('owner'),
  owner_name: [words, 'author.username'],
  descr: words,
  number: words,
  admin_comment: words,
  txn: words,
  storno: Type.With(boolean, { description: 'Reversed, or a reversal' }),
  is_reversal: [boolean, isReversalSql('operation', 'type')],
  ...keyOf('related_operation'),
  ...keyOf('usluga'),
  usluga_name: [words, 'service.name'],
  ...keyOf('fin_op'),
  ...keyOf('credit_type'),
  ...keyOf('operator'),
  code1c: words,
  source: [Type.Enum(operationSources), sourceSql('operation')],
  operator_name: words,
  operator_pay_id_str: words,
  is_cash: boolean,
  isbuhdoc: boolean,
  sync1c: boolean,
  kkm_printed: boolean,
  aa_ostatok: Type.With(rubles, { description: 'The balance just before' }),
  ...keyOf('organization'),
  organization_name: [words, 'place.name'],
})

export const operationSchema = schema

/** Why 404 is answered where an operation is named. */
export const operationMissing = 'There is no such operation, or it is of another organization'

/** An operation as lists of the web admin show it, in SQL: JSON of the row `operation` of finance_operations. */
export const operationSql = `(SELECT ${sql} FROM (SELECT) AS always
    LEFT JOIN fin_types AS type ON type.type_id = operation.op_type_id
    LEFT JOIN abonents AS client ON client.id = operation.abonent_id
    LEFT JOIN staff AS author ON author.id = operation.owner_id
    LEFT JOIN uslugas AS service ON service.id = operation.usluga_id
    LEFT JOIN organizations AS place ON place.id = operation.organization_id)`

/** An operation as JSON. */
type ShownOperation = Readonly<Record<string, unknown>>

/**
 * The operations that match a condition over `operation`, the newest first. $1 stands for the visible organizations,
 * and `values` follow from $2 on.
 */
export async function readOperations(
  client: Client,
  visible: VisibleOrganizations,
  condition: string,
  values: readonly unknown[],
  limit: number,
  offset = 0,
): Promise<ShownOperation[]> {
  const { rows } = await client.query<{ operation: ShownOperation }>(
    `SELECT ${operationSql} AS operation FROM (
        SELECT * FROM finance_operations AS operation
        WHERE ${visibleSql('operation.organization_id', '$1')} AND ${condition}
        ORDER BY op_id DESC LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}) AS operation
      ORDER BY operation.op_id DESC`,
    [visible, ...values],
  )
  return rows.map(({ operation }) => operation)
}

/** Null: it does not exist, or the caller may not see it. */
export const readOperation = async (
  client: Client,
  visible: VisibleOrganizations,
  id: number | string,
): Promise<ShownOperation | null> => (await readOperations(client, visible, 'operation.op_id = $2', [id], 1))[0] ?? null

/** The account just before the operation (specification 2.4). */
export const snapshot: Members = {
  aa_ostatok: rubles,
  aa_debit: rubles,
  aa_credit: rubles,
  aa_credit_adjust: rubles,
  aa_limit_warning: nullable(rubles),
  aa_limit: rubles,
  aa_unlimited: boolean,
  aa_unlimited_date: nullable(moment),
  balance_buh: rubles,
}

const fixed: Members = {
  amount: [rubles, 'op_summa'],
  op_summa: rubles,
  ...keyOf('account', integer),
  ...keyOf('op_type', integer),
  ...snapshot,
}

/** Money, whose it is, and the account just before: never changed after the operation was made (specification 2.4). */
export const fixedFields: readonly string[] = Object.keys(fixed)
export const [, fixedSql] = shapeOf('operation', fixed)
