import type { SheetColumn } from '../../../platform/formats/xlsx.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { csvStream } from '../../../platform/http/downloads.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import type { LongQuery } from '../../../platform/storage/transactions.ts'
import { refusals } from '../doors.ts'
import { accountFrom } from './account-shape.ts'
import { commaParameter, csvLines, exportsMax, type FileExports, hasDecimalComma } from '../file-exports.ts'
import { filterParameters, readFilter } from './filter.ts'
import { accountKeys } from './keys.ts'
import type { Statement } from './statements.ts'

const day = (column: string): string => `to_char(${column}, 'DD.MM.YYYY HH24:MI')`

const text = (title: string, sql: string) => ({ title, kind: 'text', sql }) as const
const amount = (title: string, column: string) => ({ title, kind: 'amount', sql: rublesSql(column) }) as const

/** Titles, and SQL over `account`, its main client and what they refer to. */
const columns: readonly (Pick<SheetColumn, 'title' | 'kind'> & { readonly sql: string })[] = [
  text('Счёт', 'account.id::text'),
  text('Клиент', 'main.name'),
  text('Договор', 'main.contract_number'),
  text('Клиентов', '(SELECT count(*)::text FROM abonents WHERE account_id = account.id)'),
  amount('Баланс', 'account.ostatok'),
  amount('Поступило', 'account.debit'),
  amount('Списано', 'account.credit'),
  amount('Порог отключения', 'account."limit"'),
  text('Без отключения', `CASE WHEN account.unlimited THEN 'да' ELSE 'нет' END`),
  text('Без отключения до', day('account.unlimited_date')),
  amount('Порог предупреждения', 'account.warn'),
  amount('Бонусы', 'account.bonus_score'),
  text('Валюта', 'currency.code'),
  text('Заморожен до', day('account.sleep_date')),
  text('Создан', day('account.create_date')),
  text('Организация', 'organization.name'),
  text('Комментарий', 'account.comment'),
]

/** GET accounts_csv: all accounts that match the filter, in the order of the list. */
export function exportAccounts(exports: FileExports, call: Call): Reply {
  const asked = readFilter(call.query, visibleTo(call))
  if ('refused' in asked) return asked.refused
  const withComma = hasDecimalComma(call)
  if (typeof withComma === 'object') return withComma.refused
  const batches = exports.batches(queryOf(accountKeys(asked.filter, asked.sort)))
  return csvStream('accounts.csv', csvLines(columns, batches, withComma))
}

/**
 * Reads the rows one by one in the order of the keys. OFFSET 0 keeps the planner from joining first and losing that
 * order.
 */
const queryOf = ({ text, values }: Statement): LongQuery => ({
  text: `SELECT line.* FROM (${text}) AS page, LATERAL (
      SELECT ${columns.map(({ sql }, at) => `${sql} AS c${at}`).join(', ')}
      FROM admin_accounts AS account ${accountFrom} WHERE account.id = page.id OFFSET 0) AS line`,
  values,
})

export const csvDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: 'The accounts of a filter as a file',
  query: { ...filterParameters, ...commaParameter },
  answers: {
    200: {
      doc: 'UTF-8 with a byte order mark, `;` between the cells, amounts with two places.',
      contentType: 'text/csv',
    },
    ...refusals({ 400: 'A parameter cannot be read' }),
    503: { doc: `${exportsMax} exports are being made already` },
  },
}
