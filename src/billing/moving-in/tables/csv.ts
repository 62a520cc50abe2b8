import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { CsvReader, csvFaultText, detectDelimiter } from '../../importing/csv.ts'
import type { Encoding } from '../../importing/file.ts'
import { grouped, type Row, SourceFault } from './tables.ts'

/** Rows of a CSV file have their line under this name, which no column has. */
const lineColumn = '\n'

/** A CSV file whose first line names the columns. */
export type CsvFile = { readonly name: string; readonly columns: readonly string[]; readonly rows: readonly Row[] }

/** Throws SourceFault where a line cannot be read, so that nobody is left out without a word. */
export function readCsv(path: string, encoding: Encoding): CsvFile {
  const name = basename(path)
  const text = decodedFile(path, encoding)
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

/**
 * A file whose lines are those of `first`, each once for every line of `other` that names it, and once where none does.
 * The columns of the other are called `name: column`.
 */
export function joinCsv(first: CsvFile, key: string, other: CsvFile, column: string, name: string): CsvFile {
  const missing = [
    [first, key],
    [other, column],
  ] as const
  for (const [file, wanted] of missing)
    if (!file.columns.includes(wanted.toLowerCase()))
      throw new SourceFault(`${file.name} has no column "${wanted}"; it has ${file.columns.join(', ')}.`)
  const titles = new Map(other.columns.map((one) => [one, `${name}: ${one}`.toLowerCase()]))
  const renamed = (row: Row | null) =>
    Object.fromEntries([...titles].map(([from, to]) => [to, row === null ? '' : (row[from] ?? '')]))
  const byKey = grouped(other.rows, column.toLowerCase())
  const rows = first.rows.flatMap((row) => {
    const others = byKey.get(row[key.toLowerCase()] ?? '') ?? [null]
    return others.map((one) => ({ ...row, ...renamed(one) }))
  })
  return { name: first.name, columns: [...first.columns, ...titles.values()], rows }
}

export const placeOf = ({ name }: CsvFile, row: Row): string => `${name} line ${row[lineColumn]}`

/** The text of a file without its byte order mark. Throws SourceFault where it is in another encoding. */
export function decodedFile(path: string, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new SourceFault(`${path} cannot be read: ${message}.`)
    throw new SourceFault(`${path} is not ${encoding}; name its encoding with --encoding.`)
  }
}
