import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { zero } from '../../domain/money.ts'
import type { Secrets } from '../../platform/storage/secrets.ts'
import { analyzeTables, becomeWriter, createChunk } from './creation.ts'
import type { CsvRecord } from './csv.ts'
import type { SubscriberFile } from './file.ts'
import { type Dictionaries, loadDictionaries } from './names.ts'
import { openAccount } from './opening.ts'
import type { Progress } from './progress.ts'
import { copyIntoStaging, createStaging, judgeChunk, judgeStaging, stagingRow } from './staging.ts'
import { readLine } from './subscriber-line.ts'

export type ImportOrder = {
  /** A connection of its own; the staging table goes with it. */
  readonly client: ClientBase
  readonly file: SubscriberFile
  readonly secrets: Secrets
  /** Otherwise nothing outside the staging table is written. */
  readonly apply: boolean
  readonly progress: Progress
  readonly now: Date
}

/** About half a second of PostgreSQL: as long as anybody waits who takes one of its contract numbers meanwhile. */
const chunkLines = 5_000
const triesMax = 5

/**
 * Another writer took a contract number, a login or a key between our look and our write, or waited for us crosswise.
 */
const raced = new Set(['23505', '40P01'])

/**
 * Reads the file into a staging table, judges it as a whole, then goes through it by the chunk: each is judged against
 * the tables as they are and, to apply, created in the same transaction. An import that was cut off has done whole
 * chunks, and the next one finds them known. What became of each line is in the staging table (staging.ts tally,
 * remarks).
 */
export async function importSubscribers({ client, file, secrets, apply, progress, now }: ImportOrder): Promise<void> {
  await createStaging(client)
  const dictionaries = await loadDictionaries(client)
  const rows = stagedRows(file, dictionaries, (password) => (apply ? secrets.seal(password) : null), progress, now)
  progress.begin('reading', file.bytes)
  await pipeline(Readable.from(rows, { objectMode: true }), copyIntoStaging(client))
  await judgeStaging(client)
  if (apply) await becomeWriter(client)
  const { rows: ends } = await client.query<{ last: number | null; lines: number }>(
    'SELECT max(line) AS last, count(*)::int4 AS lines FROM import_lines',
  )
  const last = ends[0]?.last ?? 0
  progress.begin(apply ? 'importing' : 'checking', last)
  for (let after = 0; after < last; after += chunkLines) {
    const upTo = Math.min(last, after + chunkLines)
    await takeChunk(client, after, upTo, apply)
    progress.at(upTo)
  }
  progress.end(ends[0]?.lines ?? 0)
  if (apply) await analyzeTables(client)
}

async function* stagedRows(
  file: SubscriberFile,
  dictionaries: Dictionaries,
  sealed: (password: string) => string | null,
  progress: Progress,
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
    progress.at(lines, file.bytesRead)
    if (text !== '') yield Buffer.from(text)
  }
  progress.end(lines)
}

/** Spreadsheets save rows that once held something as `;;;;`. */
const isBlank = (record: CsvRecord) => 'fields' in record && record.fields.every((field) => field.trim() === '')

async function takeChunk(client: ClientBase, after: number, upTo: number, apply: boolean): Promise<void> {
  for (let tries = 1; ; tries++) {
    await client.query('BEGIN')
    try {
      await judgeChunk(client, after, upTo)
      if (apply) await createChunk(client, after, upTo)
      await client.query('COMMIT')
      return
    } catch (error) {
      // The first error says what happened.
      await client.query('ROLLBACK').catch(() => {})
      // The winner has committed: another look sees what it wrote.
      if (tries === triesMax || !raced.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}
