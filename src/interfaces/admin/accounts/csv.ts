import { csvLine, plainText } from '../../../platform/formats/csv.ts'
import { csvStream } from '../../../platform/http/downloads.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { type LongQuery, readingBatches, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { Unavailable } from '../../../platform/unavailable.ts'
import { errorSchema } from '../provider/dictionaries/docs.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { readFilter } from './filter.ts'
import { accountKeys, type Statement } from './keys.ts'
import { filterParameters } from './list.ts'

/** Rows held at once: some milliseconds of the main thread, between which everything else has its turn. */
const batchRows = 500
/** The first batch may sort a million accounts. */
const batchMs = 60_000
/** Each holds a connection and a snapshot for as long as its client reads. */
const exportsMax = 2
/** After this the rest is not worth a snapshot that keeps the database from tidying up. */
const exportMs = 30 * 60_000

type Cells = (string | null)[]

const day = (column: string): string => `to_char(${column}, 'DD.MM.YYYY HH24:MI')`

/** Titles, and SQL over `account`, its main client and what they refer to. Text that somebody wrote is `isWords`. */
const columns: readonly { readonly title: string; readonly sql: string; readonly isWords?: true }[] = [
  { title: 'Счёт', sql: 'account.id::text' },
  { title: 'Клиент', sql: 'main.name', isWords: true },
  { title: 'Договор', sql: 'main.contract_number', isWords: true },
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
  { title: 'Организация', sql: 'organization.name', isWords: true },
  { title: 'Комментарий', sql: 'account.comment', isWords: true },
]

/** GET accounts_csv: all that the filter of the list lets through, in its order, however many they are. */
export class AccountExports {
  readonly #scope: TransactionScope
  #running = 0

  constructor(scope: TransactionScope) {
    this.#scope = scope
  }

  answer(call: Call): Reply {
    const asked = readFilter(call.query, visibleTo(call))
    if ('refused' in asked) return asked.refused
    return csvStream('accounts.csv', this.#lines(queryOf(accountKeys(asked.filter, asked.sort))))
  }

  async *#lines(query: LongQuery): AsyncGenerator<string, void, undefined> {
    if (this.#running >= exportsMax) throw new Unavailable('mailboxFull', 'Other exports are being made.')
    this.#running++
    const endsMs = performance.now() + exportMs
    try {
      let text = csvLine(columns.map(({ title }) => title))
      for await (const rows of readingBatches<Cells>(this.#scope, query, { batchRows, timeoutMs: batchMs })) {
        yield text + rows.map(lineOf).join('')
        text = ''
        if (performance.now() > endsMs) throw new Unavailable('deadline', 'The export is read too slowly.')
      }
      if (text !== '') yield text
    } finally {
      this.#running--
    }
  }
}

const lineOf = (cells: Cells): string =>
  csvLine(cells.map((cell, at) => (columns[at]?.isWords ? plainText(cell) : cell)))

/** Row by row after the keys: OFFSET 0 keeps the database from joining first and losing their order. */
const queryOf = ({ text, values }: Statement): LongQuery => ({
  text: `SELECT line.* FROM (${text}) AS page, LATERAL (
      SELECT ${columns.map(({ sql }, at) => `${sql} AS c${at}`).join(', ')}
      FROM admin_accounts AS account JOIN currencies AS currency ON currency.id = account.currency_id
        LEFT JOIN LATERAL (SELECT * FROM abonents WHERE account_id = account.id ORDER BY abonents.id LIMIT 1) AS main ON true
        LEFT JOIN organizations AS organization ON organization.id = main.organization_id
      WHERE account.id = page.id OFFSET 0) AS line`,
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
    400: { doc: 'A parameter cannot be read', schema: errorSchema },
    503: { doc: `${exportsMax} exports are being made already` },
  },
}
