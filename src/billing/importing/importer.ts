import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import type { Author } from '../../domain/author.ts'
import { zero } from '../../domain/money.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { checkLines, createLines } from './chunks.ts'
import { analyzeTables, commandAuthor } from './creation.ts'
import type { CsvRecord } from './csv.ts'
import type { SubscriberFile } from './file.ts'
import type { ImportRest } from './kept-import.ts'
import { type Dictionaries, loadDictionaries } from './names.ts'
import { openAccount } from './opening.ts'
import type { Shown } from './progress.ts'
import { checkFile, copyIntoStaging, createStaging, stagingRow } from './staging.ts'
import { readLine } from './subscriber-line.ts'

type Importing = {
  /** A dedicated connection. The staging table is dropped when it closes. */
  readonly client: Client
  /** For the connections that create subscribers. */
  readonly url: string
  /** False: a dry run, which writes nothing but the staging table. */
  readonly apply: boolean
  readonly progress: Shown
  /** Named in the audit. Left out: the command. */
  readonly author?: Author
  /** Ends the import between two chunks. */
  readonly signal?: AbortSignal
  /** What is left of it. Left out: all, as of every import that the command makes. */
  readonly rest?: ImportRest
}

export type ImportOrder = Importing & {
  readonly file: SubscriberFile
  readonly secrets: Secrets
  readonly now: Date
}

/**
 * Reads the file into a staging table, checks it as a whole, and then goes through it in chunks: each is checked
 * against the current tables and, with `apply`, created in one transaction. An interrupted import has created whole
 * chunks, which the next import recognizes as known. The staging table then has the result of each line (tally and
 * remarks in staging.ts).
 */
export async function importSubscribers(order: ImportOrder): Promise<void> {
  const { client, file, secrets, apply, progress, now, signal = null } = order
  await createStaging(client)
  const dictionaries = await loadDictionaries(client)
  const rows = stagedRows(file, dictionaries, (password) => (apply ? secrets.seal(password) : null), progress, now)
  progress.begin('reading', file.bytes)
  await pipeline(Readable.from(rows, { objectMode: true }), copyIntoStaging(client), { ...(signal && { signal }) })
  await importStaged(order)
}

/**
 * The rest of it, for lines that are in the staging table. `isMoved`: they are of another server, where a subscriber
 * may have several.
 */
export async function importStaged(order: Importing, { isMoved = false } = {}): Promise<void> {
  const { client, url, apply, progress, author = commandAuthor, signal = null, rest = null } = order
  await checkFile(client)
  const { rows: ends } = await client.query<{ last: number | null; lines: number }>(
    'SELECT max(line) AS last, count(*)::int4 AS lines FROM import_lines',
  )
  const last = ends[0]?.last ?? 0
  progress.begin(apply ? 'importing' : 'checking', last)
  await rest?.endsAt(last)
  await (apply ? createLines : checkLines)({ client, url, last, progress, author, signal, rest, isMoved })
  progress.end(ends[0]?.lines ?? 0)
  if (apply) await analyzeTables(client)
}

/** What to say where the error is that a tariff or folder was removed after the file was read; null: it is another. */
export const removedMeanwhile = (error: unknown): string | null =>
  // SQLSTATE 23503: foreign key violation.
  (error as { code?: string }).code === '23503'
    ? 'A tariff or folder of the file was removed while it was imported. Import the file again.'
    : null

async function* stagedRows(
  file: SubscriberFile,
  dictionaries: Dictionaries,
  sealed: (password: string) => string | null,
  progress: Shown,
  now: Date,
): AsyncGenerator<Buffer> {
  let lines = 0
  for await (const records of file.records()) {
    let text = ''
    for (const record of records) {
      if (isBlank(record)) continue
      const reading = readLine(record, file.columns, dictionaries)
      if (reading.kind === 'bad') {
        text += stagingRow(reading, null, null)
        continue
      }
      const { balance, limit, password } = reading.subscriber
      const opening = openAccount(balance, limit ?? zero, now)
      text += stagingRow(reading, opening, password === null ? null : sealed(password))
    }
    lines += records.length
    progress.at(lines, file.bytesRead())
    if (text !== '') yield Buffer.from(text)
  }
  progress.end(lines)
}

/** Spreadsheets save rows that were cleared as `;;;;`. */
const isBlank = (record: CsvRecord) => 'fields' in record && record.fields.every((field) => field.trim() === '')
