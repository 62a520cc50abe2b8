import {
  markPattern,
  type OperationSource,
  type SourceCondition,
  type SourceRule,
  sourceRules,
} from '../../domain/operation-source.ts'

/** The table of domain/operation-source in SQL. `row` is an alias of finance_operations. */

/** The source of a row, as text. */
export const sourceSql = (row: string): string =>
  `CASE ${sourceRules.map((rule) => `WHEN ${anySql(rule, row)} THEN '${rule.source}'`).join(' ')} ELSE 'other' END`

/**
 * A condition that holds for the rows of one source. Its own rule comes first and alone, so that the indexes on type and service
 * can serve it; then none of the rules before may hold.
 */
export function isOfSourceSql(row: string, source: OperationSource): string {
  const at = sourceRules.findIndex((rule) => rule.source === source)
  const own = sourceRules[at]
  const earlier = own ? sourceRules.slice(0, at) : sourceRules
  return [...(own ? [anySql(own, row)] : []), ...earlier.map((rule) => `NOT ${anySql(rule, row)}`)].join(' AND ')
}

/** N of the mark `[<mark>:N]` in the text of a row; else null. */
export const markedSql = (row: string, mark: string): string => `substring(${row}.descr FROM '${markPattern(mark)}')`

const anySql = ({ any }: SourceRule, row: string): string =>
  `(${any.map((condition) => conditionSql(condition, row)).join(' OR ')})`

/** Never null, so that NOT means what it says. */
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
    case 'broughtOver':
      return `(coalesce(${row}.code1c, '') <> '' AND ${row}.op_date < ${row}.system_date)`
    case 'usluga':
      return `coalesce(${row}.usluga_id, 0) IN (${condition.ids.join(', ')})`
    case 'type':
      return `${row}.op_type_id IN (${condition.ids.join(', ')})`
  }
}

/** The C collation, whose lower case knows ASCII only, as the domain's does. */
const nameSql = (row: string): string => `lower(btrim(coalesce(${row}.operator_name, '')) COLLATE "C")`

const descrSql = (row: string): string => `coalesce(${row}.descr, '')`

/** The plain text is looked for first: a regular expression costs ten times as much, and few rows have a mark. */
const isMarkedSql = (row: string, mark: string): string =>
  `(strpos(${descrSql(row)}, '[${mark}:') > 0 AND ${descrSql(row)} ~ '${markPattern(mark)}')`
