export type CsvCell = string | number | bigint | boolean | null

/** One line as spreadsheets of the region read it: `;` between cells, quotes where a cell needs them. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(written).join(';')}\r\n`

/**
 * Where a file begins: spreadsheets take it for UTF-8 by this. It waits for the first lines, so that a source that
 * fails at once is an ordinary error and no broken file.
 */
export async function* markedCsv(lines: AsyncIterable<string>): AsyncGenerator<string | Uint8Array> {
  let isBegun = false
  for await (const line of lines) {
    if (!isBegun) yield csvMark
    isBegun = true
    yield line
  }
  if (!isBegun) yield csvMark
}

export const csvMark = Buffer.from('\ufeff')

const numberForm = /^[+-]?\d+(?:[.,]\d+)?$/

/**
 * A text that somebody may have written for the spreadsheet to run (`=HYPERLINK(…)`, also by a full-width sign) gets an
 * apostrophe; a number stays one.
 */
export const plainText = (text: string | null): string | null =>
  text !== null && /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !numberForm.test(text) ? `'${text}` : text

function written(cell: CsvCell): string {
  const text = cell === null ? '' : String(cell)
  return /[;"\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
