import {
  markPattern,
  type OperationSource,
  type SourceCondition,
  type SourceRule,
  sourceRules,
} from '../../domain/operation-source.ts'

/** The rules of domain/operation-source.ts in SQL. `row` is an alias of finance_operations. */

/** SQL: the source of a row, as text. */
export const sourceSql = (row: string): string =>
  `CASE ${sourceRules.map((rule) => `WHEN ${anySql(rule, row)} THEN '${rule.source}'`).join(' ')} ELSE 'other' END`

/**
 * SQL: a condition that holds for the rows of one source. The rule of the source comes first and alone, so that the
 * indexes on type and service apply; after it, none of the earlier rules may hold.
 */
export function isOfSourceSql(row: string, source: OperationSource): string {
  const at = sourceRules.findIndex((rule) => rule.source === source)
  const own = sourceRules[at]
  const earlier = own ? sourceRules.slice(0, at) : sourceRules
  return [...(own ? [anySql(own, row)] : []), ...earlier.map((rule) => `NOT ${anySql(rule, row)}`)].join(' AND ')
}

/** SQL: the N of the mark `[<mark>:N]` in the description of a row; null without a mark. */
export const markedSql = (row: string, mark: string): string => `substring(${row}.descr FROM '${markPattern(mark)}')`

const anySql = ({ any }: SourceRule, row: string): string =>
  `(${any.map((condition) => conditionSql(condition, row)).join(' OR ')})`

/** The expression is never null, so that it can be negated with NOT. */
function conditionSql(condition: SourceCondition, row: string): string {
  switch (condition.kind) {
    case 'operatorIs':
      return `${nameSql(row)} = '${condition.name}'`
    case 'operatorHas':
      return `strpos(${nameSql(row)}, '${condition.part}') > 0`
    case 'operatorEmptyAndMarked':
      return `(${nameSql(row)} = '' AND ${isMarkedSql(row, condition.mark)})`
    case 'marked':
      return isMarkedSql(row, condition.mark)
    case 'begins':
      return `starts_with(${descrSql(row)}, '${condition.text}')`
    case 'imported':
      return `(coalesce(${row}.code1c, '') <> '' AND ${row}.op_date < ${row}.system_date)`
    case 'usluga':
      return `coalesce(${row}.usluga_id, 0) IN (${condition.ids.join(', ')})`
    case 'type':
      return `${row}.op_type_id IN (${condition.ids.join(', ')})`
  }
}

/** The C collation changes the case of ASCII letters only, as the domain does. */
const nameSql = (row: string): string => `lower(btrim(coalesce(${row}.operator_name, '')) COLLATE "C")`

const descrSql = (row: string): string => `coalesce(${row}.descr, '')`

/** The plain text is searched first, because a regular expression costs ten times as much and few rows have a mark. */
const isMarkedSql = (row: string, mark: string): string =>
  `(strpos(${descrSql(row)}, '[${mark}:') > 0 AND ${descrSql(row)} ~ '${markPattern(mark)}')`
