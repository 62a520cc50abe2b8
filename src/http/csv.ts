import type { Reply } from './call.ts'

export type CsvCell = string | number | bigint | boolean | null

/** One line as spreadsheets of the region read it: `;` between cells, quotes where a cell needs them. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(written).join(';')}\r\n`

/** A file to download, UTF-8 with a byte order mark. `name` is plain ASCII. */
export const csvFile = (name: string, lines: Buffer, headers: NonNullable<Reply['headers']> = []): Reply => ({
  status: 200,
  headers: [['Content-Disposition', `attachment; filename="${name}"`], ...headers],
  contentType: 'text/csv; charset=utf-8',
  body: Buffer.concat([byteOrderMark, lines]),
})

const byteOrderMark = Buffer.from('\ufeff')

function written(cell: CsvCell): string {
  const text = cell === null ? '' : String(cell)
  return /[;"\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
