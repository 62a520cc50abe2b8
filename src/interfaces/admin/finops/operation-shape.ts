import Type from 'typebox'
import { sourceSql } from '../../../billing/accounts/operation-source.ts'
import { operationSources } from '../../../domain/operation-source.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { FinanceOperation, snapshotColumns } from '../../../platform/storage/entities/accounts.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import type { Client } from '../../../platform/storage/sql.ts'

/** An operation as lists of the web admin show it, in SQL: JSON of the row `row` of finance_operations. */
export const operationSql = (row: string): string => `(SELECT json_build_object(
    'op_id', ${row}.op_id, 'op_date', ${row}.op_date, 'system_date', ${row}.system_date,
    'op_summa', ${rublesSql(`${row}.op_summa`)}, 'amount', ${rublesSql(`${row}.op_summa`)},
    'op_type', ${row}.op_type_id, 'op_type_id', ${row}.op_type_id, 'op_type_name', type.op_name, 'op_sign', type.op_sign,
    'account', ${row}.account_id, 'account_id', ${row}.account_id,
    'abonent', ${row}.abonent_id, 'abonent_id', ${row}.abonent_id, 'abonent_name', client.name, 'contract_number', client.contract_number,
    'owner', ${row}.owner_id, 'owner_id', ${row}.owner_id, 'owner_name', author.username,
    'descr', ${row}.descr, 'number', ${row}.number, 'admin_comment', ${row}.admin_comment, 'txn', ${row}.txn,
    'storno', ${row}.storno, 'related_operation', ${row}.related_operation_id, 'related_operation_id', ${row}.related_operation_id,
    'usluga', ${row}.usluga_id, 'usluga_id', ${row}.usluga_id, 'usluga_name', service.name,
    'fin_op', ${row}.fin_op_id, 'fin_op_id', ${row}.fin_op_id, 'credit_type', ${row}.credit_type_id, 'credit_type_id', ${row}.credit_type_id,
    'operator', ${row}.operator_id, 'operator_id', ${row}.operator_id, 'code1c', ${row}.code1c, 'source', ${sourceSql(row)},
    'operator_name', ${row}.operator_name, 'operator_pay_id_str', ${row}.operator_pay_id_str, 'is_cash', ${row}.is_cash,
    'isbuhdoc', ${row}.isbuhdoc, 'sync1c', ${row}.sync1c, 'kkm_printed', ${row}.kkm_printed,
    'aa_ostatok', ${rublesSql(`${row}.aa_ostatok`)}, 'organization', ${row}.organization_id, 'organization_id', ${row}.organization_id,
    'organization_name', place.name)
  FROM (SELECT) AS always
    LEFT JOIN fin_types AS type ON type.type_id = ${row}.op_type_id
    LEFT JOIN abonents AS client ON client.id = ${row}.abonent_id
    LEFT JOIN staff AS author ON author.id = ${row}.owner_id
    LEFT JOIN uslugas AS service ON service.id = ${row}.usluga_id
    LEFT JOIN organizations AS place ON place.id = ${row}.organization_id)`

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
    `SELECT ${operationSql('operation')} AS operation FROM (
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

/** The account just before the operation, as arguments of json_build_object: amounts first. */
export const snapshotSql = (row: string): string => {
  const isMoney = (column: (typeof snapshotColumns)[number]) => FinanceOperation.columns[column].type.kind === 'bigint'
  const amounts = snapshotColumns.filter(isMoney).map((column) => `'${column}', ${rublesSql(`${row}.${column}`)}`)
  const others = snapshotColumns.filter((column) => !isMoney(column)).map((column) => `'${column}', ${row}.${column}`)
  return [...amounts, ...others].join(', ')
}

const { integer, text, boolean, moment, rubles } = schemas
const id = nullable(integer)
const words = nullable(text)

export const operationSchema = Type.Object({
  op_id: integer,
  op_date: moment,
  system_date: moment,
  op_summa: rubles,
  amount: Type.With(rubles, { description: 'The same as op_summa' }),
  op_type: integer,
  op_type_id: integer,
  op_type_name: text,
  op_sign: Type.Enum([1, -1, 0]),
  account: integer,
  account_id: integer,
  abonent: id,
  abonent_id: id,
  abonent_name: words,
  contract_number: words,
  owner: id,
  owner_id: id,
  owner_name: words,
  descr: words,
  number: words,
  admin_comment: words,
  txn: words,
  storno: boolean,
  related_operation: id,
  related_operation_id: id,
  usluga: id,
  usluga_id: id,
  usluga_name: words,
  fin_op: id,
  fin_op_id: id,
  credit_type: id,
  credit_type_id: id,
  operator: id,
  operator_id: id,
  code1c: words,
  source: Type.Enum(operationSources),
  operator_name: words,
  operator_pay_id_str: words,
  is_cash: boolean,
  isbuhdoc: boolean,
  sync1c: boolean,
  kkm_printed: boolean,
  aa_ostatok: Type.With(rubles, { description: 'The balance just before' }),
  organization: id,
  organization_id: id,
  organization_name: words,
})
