export type CsvCell = string | number | bigint | boolean | null

/**
 * One CSV line as Russian spreadsheets read it: `;` between cells, and quotes only around cells that need them. No cell
 * is read as a formula, whoever has entered its text.
 */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(written).join(';')}\r\n`

/**
 * Puts the byte order mark before the lines, by which spreadsheets recognize UTF-8. The mark is yielded only together
 * with the first line, so that a source that fails at once can still be answered with an error instead of a broken
 * file.
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
 * Guards against formula injection: text that a spreadsheet would evaluate (`=HYPERLINK(…)`, also with full-width
 * signs) gets an apostrophe in front. Numbers with a sign are left as they are.
 */
export const plainText = (text: string): string => (isFormula(text) ? `'${text}` : text)

/** Whether a spreadsheet would evaluate the text. */
export const isFormula = (text: string): boolean => /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !numberForm.test(text)

function written(cell: CsvCell): string {
  const text = cell === null ? '' : plainText(String(cell))
  return /[;"\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
