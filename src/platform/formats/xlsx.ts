import { PassThrough, pipeline, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { escapeXml } from './xml.ts'

/**
 * A workbook of Office Open XML (ECMA-376), written while it is sent: only one batch of rows is ever held. Every part
 * is written here by hand, because a report needs a table and nothing else.
 */
export type SheetColumn = {
  readonly title: string
  readonly kind: keyof typeof cellWriters
  /** In characters. */
  readonly width: number
}

/**
 * By column. `amount` and `whole` are decimal numbers, `moment` is a serial day of spreadsheets (see serialDaySql);
 * null is empty.
 */
export type SheetRow = readonly (string | null)[]

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Rows of one sheet, with the titles: the limit of the format. */
const sheetRowsMax = 1_048_576

/**
 * The bytes of the workbook. What does not fit one sheet goes on to the next. Destroying the stream ends `batches`, and
 * an error of theirs is one of the stream.
 */
export function workbook(
  name: string,
  columns: readonly SheetColumn[],
  batches: AsyncIterator<readonly SheetRow[]>,
  { rowsMax = sheetRowsMax } = {},
): Readable {
  const zip = new ZipFile()
  const output = new PassThrough()
  const rows = new Feed(batches)
  let sheet: Readable | null = null
  let sheets = 0

  function addSheet(): void {
    sheets++
    sheet = Readable.from(sheetXml(columns, rows, rowsMax, next), { objectMode: false, highWaterMark: 256 * 1024 })
    sheet.on('error', (error) => output.destroy(error))
    zip.addReadStream(sheet, `xl/worksheets/sheet${sheets}.xml`, { compress: true, compressionLevel: 3 })
  }
  /** Called when a sheet is through. Only now it is known how many there are, so what lists them comes last. */
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

/** Rows one after another, out of batches. */
class Feed {
  readonly #batches: AsyncIterator<readonly SheetRow[]>
  #batch: readonly SheetRow[] = []

  constructor(batches: AsyncIterator<readonly SheetRow[]>) {
    this.#batches = batches
  }

  /** At most `max` rows, none only at the end. */
  async take(max: number): Promise<readonly SheetRow[]> {
    if (this.#batch.length === 0) {
      const next = await this.#batches.next()
      this.#batch = next.done ? [] : next.value
    }
    const taken = this.#batch.slice(0, max)
    this.#batch = this.#batch.slice(max)
    return taken
  }

  /** Gives back what was taken to see whether there is more. */
  untake(rows: readonly SheetRow[]): void {
    this.#batch = [...rows, ...this.#batch]
  }
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

async function* sheetXml(
  columns: readonly SheetColumn[],
  feed: Feed,
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
  feed.untake(more)
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

/** The numbers are places in the list of styles below. */
const cellWriters = {
  text: (text: string | null): string => (text === null || text === '' ? '<c/>' : textCell(text)),
  moment: numberCell(2),
  amount: numberCell(3),
  whole: numberCell(4),
} as const

/** A cell of a spreadsheet holds no more. */
const textMax = 32_767

/**
 * What XML cannot hold is left out; `_x0041_` would be read as an A, so its underscore is written as the format wants
 * it.
 */
function escaped(text: string): string {
  const cut = text.length > textMax ? text.slice(0, textMax) : text
  // Most cells are plain and there are millions of them.
  if (!/[^ !#-%'-;=?-^`-~А-яЁё№«»–—→]/.test(cut)) return cut
  return escapeXml(cut.replace(/\r\n?/g, '\n').replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'), '')
}

/**
 * The local time of a moment as days since the last of 1899, in SQL: the zone is the session's. Spreadsheets have no
 * day before 1900.
 */
export const serialDaySql = (column: string): string =>
  `CASE WHEN ${column} >= '1900-03-01' THEN round(extract(epoch FROM ${column}::timestamp - timestamp '1899-12-30') / 86400, 9)::text END`

/** Everything of the package but the sheets. */
function frameParts(name: string, sheets: number): readonly (readonly [path: string, xml: string])[] {
  const numbers = Array.from({ length: sheets }, (_, at) => at + 1)
  const packageTypes = 'http://schemas.openxmlformats.org/package/2006'
  const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const each = (write: (number: number) => string): string => numbers.map(write).join('')
  const sheetName = (number: number) => escaped(number === 1 ? name : `${name} ${number}`)
  return [
    [
      'xl/styles.xml',
      `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
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
