import { PassThrough, pipeline, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { isFormula } from './csv.ts'
import { escapeXml } from './xml.ts'

/**
 * A workbook of Office Open XML (ECMA-376) that is written while it is sent, so that only one batch of rows is in
 * memory at a time. The parts of the package are written by hand, because a report needs nothing but a table.
 */
export type SheetColumn = {
  readonly title: string
  readonly kind: keyof typeof cellWriters
  /** The width of the column in characters. */
  readonly width: number
}

/**
 * The cells of a row in the order of the columns. `amount` and `whole` are decimal numbers, `moment` is a serial day of
 * spreadsheets (see serialDaySql); null is an empty cell.
 */
export type SheetRow = readonly (string | null)[]

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The format allows so many rows in a sheet, the row of titles included. */
const sheetRowsMax = 1_048_576

/**
 * The bytes of a workbook as a stream. Rows that do not fit into one sheet continue on the next. Destroying the stream
 * ends `batches`, and an error of `batches` becomes an error of the stream.
 */
export function workbook(
  name: string,
  columns: readonly SheetColumn[],
  batches: AsyncIterator<readonly SheetRow[]>,
  { rowsMax = sheetRowsMax } = {},
): Readable {
  const zip = new ZipFile()
  const output = new PassThrough()
  const rows = new RowFeed(batches)
  let sheet: Readable | null = null
  let sheets = 0

  function addSheet(): void {
    sheets++
    sheet = Readable.from(sheetXml(columns, rows, rowsMax, next), { objectMode: false, highWaterMark: 256 * 1024 })
    sheet.on('error', (error) => output.destroy(error))
    zip.addReadStream(sheet, `xl/worksheets/sheet${sheets}.xml`, { compress: true, compressionLevel: 3 })
  }
  /** Called at the end of each sheet. The parts that list the sheets come last, when their number is known. */
  function next(hasMore: boolean): void {
    if (hasMore) {
      addSheet()
      return
    }
    for (const [path, xml] of frameParts(name, sheets)) zip.addBuffer(Buffer.from(xml), path)
    zip.end()
  }
  addSheet()
  pipeline(zip.outputStream, output, () => {
    sheet?.destroy()
    batches.return?.().catch(() => {})
  })
  return output
}

/** Hands out the rows of the batches one portion after another. */
class RowFeed {
  readonly #batches: AsyncIterator<readonly SheetRow[]>
  #batch: readonly SheetRow[] = []

  constructor(batches: AsyncIterator<readonly SheetRow[]>) {
    this.#batches = batches
  }

  /** The next rows, at most `max`; an empty array only at the end. */
  async take(max: number): Promise<readonly SheetRow[]> {
    if (this.#batch.length === 0) {
      const next = await this.#batches.next()
      this.#batch = next.done ? [] : next.value
    }
    const taken = this.#batch.slice(0, max)
    this.#batch = this.#batch.slice(max)
    return taken
  }

  /** Puts rows back that were taken only to see whether there are more. */
  putBack(rows: readonly SheetRow[]): void {
    this.#batch = [...rows, ...this.#batch]
  }
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

async function* sheetXml(
  columns: readonly SheetColumn[],
  feed: RowFeed,
  rowsMax: number,
  next: (hasMore: boolean) => void,
): AsyncGenerator<string> {
  const widths = columns.map(
    ({ width }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  )
  const titles = columns.map(({ title }) => textCell(title, ' s="1"'))
  yield `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData><row>${titles.join('')}</row>`
  for (let left = rowsMax - 1; left > 0; ) {
    const rows = await feed.take(left)
    if (rows.length === 0) break
    left -= rows.length
    yield rows.map((row) => rowXml(columns, row)).join('')
  }
  yield '</sheetData></worksheet>'
  const more = await feed.take(1)
  feed.putBack(more)
  next(more.length > 0)
}

const rowXml = (columns: readonly SheetColumn[], row: SheetRow): string => {
  let cells = ''
  for (const [at, { kind }] of columns.entries()) cells += cellWriters[kind](row[at] ?? null)
  return `<row>${cells}</row>`
}

const textCell = (text: string, style = ''): string =>
  `<c${style} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

const numberCell =
  (style: number) =>
  (text: string | null): string =>
    text === null ? '<c/>' : `<c s="${style}"><v>${text}</v></c>`

/** Keeps a text that looks like a formula a text, also after somebody has edited the cell. */
const quoted = ' s="5"'

/** The numbers are indexes into `cellXfs` of the styles below. */
const cellWriters = {
  text: (text: string | null): string =>
    text === null || text === '' ? '<c/>' : textCell(text, isFormula(text) ? quoted : ''),
  moment: numberCell(2),
  amount: numberCell(3),
  whole: numberCell(4),
} as const

/** The format allows at most so many characters in a cell. */
const textMax = 32_767

/**
 * Escapes the text of a cell. Characters that XML does not allow are left out. Readers would decode `_x0041_` to `A`,
 * so the underscore of such a sequence is escaped the way the format prescribes.
 */
function escaped(text: string): string {
  const cut = text.length > textMax ? text.slice(0, textMax) : text
  // The fast path matters: there are millions of cells and most are plain.
  if (!/[^ !#-%'-;=?-^`-~А-яЁё№«»–—→]/.test(cut)) return cut
  return escapeXml(cut.replace(/\r\n?/g, '\n').replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'), '')
}

/**
 * SQL for the serial day of a timestamp: days since 30 December 1899, as local time in the time zone of the session. It
 * is null before 1 March 1900, because spreadsheets count a day in February 1900 that did not exist.
 */
export const serialDaySql = (column: string): string =>
  `CASE WHEN ${column} >= '1900-03-01' THEN round(extract(epoch FROM ${column}::timestamp - timestamp '1899-12-30') / 86400, 9)::text END`

/** The parts of the package other than the sheets. */
function frameParts(name: string, sheets: number): readonly (readonly [path: string, xml: string])[] {
  const numbers = Array.from({ length: sheets }, (_, at) => at + 1)
  const packageTypes = 'http://schemas.openxmlformats.org/package/2006'
  const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const each = (write: (number: number) => string): string => numbers.map(write).join('')
  const sheetName = (number: number) => escaped(number === 1 ? name : `${name} ${number}`)
  return [
    [
      'xl/styles.xml',
      `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs></styleSheet>`,
    ],
    [
      'xl/workbook.xml',
      `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${each((n) => `<sheet name="${sheetName(n)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${declaration}<Relationships xmlns="${packageTypes}/relationships">${each((n) => `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheets + 1}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      '_rels/.rels',
      `${declaration}<Relationships xmlns="${packageTypes}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `${declaration}<Types xmlns="${packageTypes}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${contentType}.styles+xml"/>${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${contentType}.worksheet+xml"/>`)}</Types>`,
    ],
  ]
}
