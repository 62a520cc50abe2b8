import type { Call, Reply } from '../../../platform/http/call.ts'
import { csvStream } from '../../../platform/http/downloads.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import type { LongQuery } from '../../../platform/storage/transactions.ts'
import { refusals } from '../doors.ts'
import { accountFrom } from './account-shape.ts'
import { csvLines, exportsMax, type FileExports } from '../file-exports.ts'
import { filterParameters, readFilter } from './filter.ts'
import { accountKeys } from './keys.ts'
import type { Statement } from './statements.ts'

const day = (column: string): string => `to_char(${column}, 'DD.MM.YYYY HH24:MI')`

/** Titles, and SQL over `account`, its main client and what they refer to. */
const columns: readonly { readonly title: string; readonly sql: string }[] = [
  { title: 'Счёт', sql: 'account.id::text' },
  { title: 'Клиент', sql: 'main.name' },
  { title: 'Договор', sql: 'main.contract_number' },
  { title: 'Клиентов', sql: '(SELECT count(*)::text FROM abonents WHERE account_id = account.id)' },
  { title: 'Баланс', sql: rublesSql('account.ostatok') },
  { title: 'Поступило', sql: rublesSql('account.debit') },
  { title: 'Списано', sql: rublesSql('account.credit') },
  { title: 'Порог отключения', sql: rublesSql('account."limit"') },
  { title: 'Без отключения', sql: `CASE WHEN account.unlimited THEN 'да' ELSE 'нет' END` },
  { title: 'Без отключения до', sql: day('account.unlimited_date') },
  { title: 'Порог предупреждения', sql: rublesSql('account.warn') },
  { title: 'Бонусы', sql: rublesSql('account.bonus_score') },
  { title: 'Валюта', sql: 'currency.code' },
  { title: 'Заморожен до', sql: day('account.sleep_date') },
  { title: 'Создан', sql: day('account.create_date') },
  { title: 'Организация', sql: 'organization.name' },
  { title: 'Комментарий', sql: 'account.comment' },
]

/** GET accounts_csv: all accounts that match the filter, in the order of the list. */
export function exportAccounts(exports: FileExports, call: Call): Reply {
  const asked = readFilter(call.query, visibleTo(call))
  if ('refused' in asked) return asked.refused
  const batches = exports.batches(queryOf(accountKeys(asked.filter, asked.sort)))
  return csvStream('accounts.csv', csvLines(columns, batches))
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
  query: filterParameters,
  answers: {
    200: {
      doc: 'UTF-8 with a byte order mark, `;` between the cells, amounts with two places.',
      contentType: 'text/csv',
    },
    ...refusals({ 400: 'A parameter cannot be read' }),
    503: { doc: `${exportsMax} exports are being made already` },
  },
}
