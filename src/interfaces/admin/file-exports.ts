import { languages } from '../../domain/language.ts'
import { csvLine } from '../../platform/formats/csv.ts'
import type { SheetColumn } from '../../platform/formats/xlsx.ts'
import type { Call } from '../../platform/http/call.ts'
import { choice } from '../../platform/http/fields.ts'
import { namedLanguage } from '../../platform/http/languages.ts'
import { type LongQuery, readingBatches, type TransactionScope } from '../../platform/storage/transactions.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { type Refused, readQuery, trimmed } from './body.ts'

/** Rows read at once. They take some milliseconds of the main thread; other work runs in between. */
const batchRows = 500
/** The first batch may sort a million rows, and a filter that few rows match may read the whole table for one batch. */
const batchMs = 60_000
/** Each export holds a connection and a snapshot for as long as its client reads. */
export const exportsMax = 2
/** A longer export is cut off, because its snapshot keeps the database from removing old rows. */
const exportMs = 30 * 60_000

/** One line of a file, by column. */
export type Cells = (string | null)[]

/** Reads the rows of files to download, few files at once. */
export class FileExports {
  readonly #scope: TransactionScope
  #running = 0

  constructor(scope: TransactionScope) {
    this.#scope = scope
  }

  /**
   * Starts when the first batch is asked for. Throws Unavailable when too many exports run or the client reads too
   * slowly.
   */
  async *batches(query: LongQuery): AsyncGenerator<Cells[], void, undefined> {
    if (this.#running >= exportsMax) throw new Unavailable('mailboxFull', 'Other exports are being made.')
    this.#running++
    const endsMs = performance.now() + exportMs
    try {
      for await (const batch of readingBatches<Cells>(this.#scope, query, { batchRows, timeoutMs: batchMs })) {
        yield batch
        if (performance.now() > endsMs) throw new Unavailable('deadline', 'The export is read too slowly.')
      }
    } finally {
      this.#running--
    }
  }
}

/** Of a CSV file whose titles have one language. */
export const commaParameter = {
  language: {
    doc: 'ru: amounts have a decimal comma, as a spreadsheet in Russian reads them; left out: where Accept-Language prefers Russian',
    schema: choice(languages),
  },
} as const

/** Whether the amounts of a CSV file have a decimal comma. A program names no language and gets the point. */
export function hasDecimalComma(call: Pick<Call, 'query' | 'header'>): boolean | Refused {
  const read = readQuery(commaParameter, trimmed(call.query))
  if ('refused' in read) return read
  return (read.values.language ?? namedLanguage(call.header('accept-language'))) === 'ru'
}

type Column = Pick<SheetColumn, 'title' | 'kind'>

/** One line of a CSV file, with a decimal comma in its amounts where that is asked for. */
export const csvRow = (columns: readonly Column[], cells: Cells, withComma: boolean): string =>
  csvLine(
    withComma
      ? cells.map((text, at) => (columns[at]!.kind === 'amount' ? (text?.replace('.', ',') ?? null) : text))
      : cells,
  )

/** The lines of a CSV file, the first with the titles. */
export async function* csvLines(
  columns: readonly Column[],
  batches: AsyncIterable<Cells[]>,
  withComma: boolean,
): AsyncGenerator<string, void, undefined> {
  let head = csvLine(columns.map(({ title }) => title))
  for await (const batch of batches) {
    yield head + batch.map((cells) => csvRow(columns, cells, withComma)).join('')
    head = ''
  }
  if (head !== '') yield head
}
