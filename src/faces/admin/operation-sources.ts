import { promiseServices } from '../../domain/promise.ts'

/** Where an operation came from (specification 4.12 rule 4, contract section 5): computed, never stored. */
export const operationSources = [
  'gwa',
  'gwb',
  'bank',
  'legacy',
  'promise',
  'manual',
  'monthly',
  'tariff_change',
  'other',
] as const

export type OperationSource = (typeof operationSources)[number]

/** How the number of a row of the bank's statement is written into the text of the operation it became. */
const bankMark = String.raw`\[bank_op:([^\]]+)\]`

/** The mark `[bank_op:N]` of a row of finance_operations, in SQL: N as text, else null. */
export const bankRowSql = (row: string): string => `substring(${row}.descr FROM '${bankMark}')`

/**
 * The source of a row of finance_operations, in SQL. The first that fits: the name of the payment operator decides before
 * any mark in the text, and `[txn:N]` means gateway A only where no operator is named.
 */
export function sourceSql(row: string): string {
  const name = `lower(coalesce(${row}.operator_name, ''))`
  const cases: readonly (readonly [OperationSource, string])[] = [
    ['gwa', `${name} = 'gwa' OR (${name} = '' AND ${row}.descr ~ '\\[txn:[^\\]]+\\]')`],
    ['gwb', `${name} = 'gwb' OR strpos(${name}, 'wallet') > 0`],
    ['bank', `${name} = 'bank' OR ${row}.descr ~ '${bankMark}'`],
    [
      'legacy',
      `starts_with(${row}.descr, '[legacy]') OR (${row}.code1c <> '' AND ${row}.op_date::date < ${row}.system_date::date)`,
    ],
    ['promise', `${row}.usluga_id IN (${Object.values(promiseServices).join(', ')})`],
    ['manual', `${row}.op_type_id IN (7, 9)`],
    ['monthly', `${row}.op_type_id IN (3, 31, 32)`],
    ['tariff_change', `starts_with(${row}.descr, 'Смена тарифа')`],
  ]
  return `CASE ${cases.map(([source, when]) => `WHEN ${when} THEN '${source}'`).join(' ')} ELSE 'other' END`
}
