import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { CsvReader, csvFaultText, detectDelimiter } from '../../importing/csv.ts'
import type { Encoding } from '../../importing/file.ts'
import { type Row, SourceFault } from './tables.ts'

/** Rows of a CSV file have their line under this name, which no column has. */
const lineColumn = '\n'

/** A CSV file whose first line names the columns. */
export type CsvFile = { readonly name: string; readonly columns: readonly string[]; readonly rows: readonly Row[] }

/** Throws SourceFault where a line cannot be read, so that nobody is left out without a word. */
export function readCsv(path: string, encoding: Encoding): CsvFile {
  const name = basename(path)
  const text = decoded(path, encoding)
  const end = text.indexOf('\n')
  const reader = new CsvReader(detectDelimiter(end < 0 ? text : text.slice(0, end)))
  const [head, ...records] = [...reader.push(text), ...reader.end()]
  if (!head || 'fault' in head) throw new SourceFault(`${name} has no header in its first line.`)
  const columns = head.fields.map((field) => field.trim().toLowerCase())
  const rows: Row[] = []
  for (const record of records) {
    if ('fault' in record) throw new SourceFault(`${name} line ${record.line}: ${csvFaultText[record.fault]}.`)
    const { line, fields } = record
    if (fields.every((field) => field.trim() === '')) continue
    if (fields.length !== columns.length)
      throw new SourceFault(`${name} line ${line}: it has ${fields.length} fields, the header ${columns.length}.`)
    rows.push({ [lineColumn]: String(line), ...Object.fromEntries(columns.map((column, at) => [column, fields[at]!])) })
  }
  return { name, columns, rows }
}

export const placeOf = ({ name }: CsvFile, row: Row): string => `${name} line ${row[lineColumn]}`

function decoded(path: string, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new SourceFault(`${path} cannot be read: ${message}.`)
    throw new SourceFault(`${path} is not ${encoding}; name its encoding with --encoding.`)
  }
}
