import { csvLine } from '../../platform/formats/csv.ts'
import { type LongQuery, readingBatches, type TransactionScope } from '../../platform/storage/transactions.ts'
import { Unavailable } from '../../platform/unavailable.ts'

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

/** The lines of a CSV file, the first with the titles. */
export async function* csvLines(
  columns: readonly { readonly title: string }[],
  batches: AsyncIterable<Cells[]>,
): AsyncGenerator<string, void, undefined> {
  let head = csvLine(columns.map(({ title }) => title))
  for await (const batch of batches) {
    yield head + batch.map(csvLine).join('')
    head = ''
  }
  if (head !== '') yield head
}
