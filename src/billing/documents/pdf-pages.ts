import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'

const require = createRequire(import.meta.url)
const fontFile = (name: string) => require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)
/** DejaVu has Cyrillic, the ruble sign and the numero sign. Only the glyphs in use are embedded. */
const fonts = { plain: fontFile('DejaVuSansCondensed'), bold: fontFile('DejaVuSansCondensed-Bold') }

export type Weight = keyof typeof fonts
type Align = 'left' | 'center' | 'right'
export type Column = { readonly title: string; readonly width: number; readonly align: Align }
type Style = { readonly size?: number; readonly weight?: Weight; readonly align?: Align; readonly gap?: number }

const margin = 42
const footerHeight = 26
const cellPadding = 3
const tableSize = 9
/** A cell is cut at this length, because a row taller than a page would never fit on one. */
const cellCharactersMax = 400

/**
 * Writes A4 pages from top to bottom. Lengths are in points. Text wraps and continues on the next page; footers are
 * drawn at the end.
 */
export class PdfPages {
  readonly #pdf: PDFKit.PDFDocument
  readonly #chunks: Buffer[] = []
  readonly #done: Promise<Buffer>
  readonly left = margin
  readonly width: number

  constructor(title: string, author: string, at: Date) {
    this.#pdf = new PDFDocument({
      size: 'A4',
      margins: { top: margin, left: margin, right: margin, bottom: margin + footerHeight },
      bufferPages: true,
      // No default font: pdfkit would open a font again for each name it is registered under.
      font: '',
      info: { Title: cleaned(title), Author: cleaned(author), Creator: 'Tollgate', CreationDate: at, ModDate: at },
      lang: 'ru',
      displayTitle: true,
    })
    this.width = this.#pdf.page.width - 2 * margin
    for (const [name, file] of Object.entries(fonts)) this.#pdf.registerFont(name, file)
    this.#done = new Promise((resolve, reject) => {
      this.#pdf.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
      this.#pdf.on('end', () => resolve(Buffer.concat(this.#chunks)))
      this.#pdf.on('error', reject)
    })
  }

  text(text: string, { size = 10, weight = 'plain', align = 'left', gap = 0 }: Style = {}): void {
    const options = { width: this.width, align, lineGap: 1 }
    const shown = cleaned(text)
    this.#pdf.font(weight).fontSize(size)
    // When pdfkit breaks the page inside a text, the rest of it loses its font.
    this.reserve(this.#pdf.heightOfString(shown, options))
    this.#pdf.font(weight).fontSize(size).text(shown, this.left, this.#pdf.y, options)
    this.space(gap)
  }

  space(points: number): void {
    this.#pdf.y += points
  }

  /** Starts a new page unless at least this height is left on the current one. */
  reserve(points: number): void {
    if (this.#pdf.y + points > this.#bottom) this.#pdf.addPage()
  }

  rule(lineWidth = 0.8): void {
    this.#line(this.left, this.left + this.width, this.#pdf.y, lineWidth)
    this.space(6)
  }

  /** A name on the left with its value beside it. */
  pair(name: string, value: string, { weight = 'plain' }: { weight?: Weight } = {}): void {
    const nameWidth = 108
    const pdf = this.#pdf
    const shown = cleaned(value)
    const width = this.width - nameWidth
    pdf.font(weight).fontSize(10)
    const height = pdf.heightOfString(shown, { width, lineGap: 1 })
    this.reserve(Math.min(height, 200))
    const { y } = pdf
    pdf
      .font('plain')
      .fontSize(10)
      .fillColor('#444')
      .text(name, this.left, y, { width: nameWidth - 6 })
    const afterName = pdf.y
    pdf
      .font(weight)
      .fillColor('black')
      .text(shown, this.left + nameWidth, y, { width, lineGap: 1 })
    pdf.y = Math.max(pdf.y, afterName) + 3
  }

  /** A table with borders, whose head is repeated on every page. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const titles = columns.map(({ title }) => title)
    const head = this.#rowHeight(columns, titles, 'bold')
    const first = rows[0] ? this.#rowHeight(columns, rows[0], 'plain') : 0
    this.reserve(head + first)
    this.#row(columns, titles, head, 'bold')
    for (const row of rows) {
      const height = this.#rowHeight(columns, row, 'plain')
      if (this.#pdf.y + height > this.#bottom) {
        this.#pdf.addPage()
        this.#row(columns, titles, head, 'bold')
      }
      this.#row(columns, row, height, 'plain')
    }
  }

  /** A line with a sum under a table: its name is right-aligned before the last column. */
  sum(name: string, value: string, valueWidth: number, weight: Weight = 'bold'): void {
    this.reserve(16)
    const { y } = this.#pdf
    this.#pdf.font(weight).fontSize(10)
    this.#pdf.text(name, this.left, y, { width: this.width - valueWidth - 6, align: 'right' })
    this.#pdf.text(value, this.left + this.width - valueWidth, y, { width: valueWidth - cellPadding, align: 'right' })
    this.space(3)
  }

  /**
   * Draws bordered boxes at given positions, as in the bank details of an invoice. `x` and `y` are relative to the
   * current position.
   */
  boxes(height: number, boxes: readonly Box[]): void {
    this.reserve(height)
    const top = this.#pdf.y
    for (const { x, y, width, height: own, text, caption } of boxes) {
      this.#frame(this.left + x, top + y, width, own, 0.6)
      this.#pdf.font('plain').fontSize(tableSize)
      const options = { width: width - 2 * cellPadding, height: own - cellPadding, ellipsis: true, lineGap: 0 }
      this.#pdf.text(cleaned(text), this.left + x + cellPadding, top + y + cellPadding, options)
      if (caption)
        this.#pdf
          .font('plain')
          .fontSize(7)
          .text(caption, this.left + x + cellPadding, top + y + own - 11, options)
    }
    this.#pdf.y = top + height + 10
  }

  /** Signature lines such as `Руководитель ________ (Иванов И. И.)`, two in a row. */
  signatures(signers: readonly { readonly role: string; readonly name: string | null }[]): void {
    this.reserve(52)
    this.space(22)
    const width = this.width / 2
    const { y } = this.#pdf
    for (const [at, { role, name }] of signers.entries()) {
      const x = this.left + at * width
      this.#pdf.font('plain').fontSize(10).text(role, x, y, { lineBreak: false })
      const lineFrom = x + this.#pdf.widthOfString(role) + 6
      const lineTo = x + width - 12
      this.#line(lineFrom, lineTo, y + 12, 0.5)
      if (name) {
        const options = { width: lineTo - lineFrom, align: 'center', height: 20, ellipsis: true } as const
        this.#pdf.fontSize(8).text(cleaned(`(${name})`), lineFrom, y + 14, options)
      }
    }
    this.#pdf.y = y + 34
  }

  /** Stamps a document that is no longer valid. */
  stamp(text: string): void {
    const pdf = this.#pdf
    const { y } = pdf
    pdf.font('bold').fontSize(11)
    const width = pdf.widthOfString(text) + 16
    this.#frame(this.left + this.width - width, y, width, 22, 1.2, '#b00020')
    pdf.fillColor('#b00020').text(text, this.left + this.width - width + 8, y + 4, { lineBreak: false })
    pdf.fillColor('black')
    pdf.y = y + 30
  }

  /** Numbers the pages, writes the footers and returns the bytes of the PDF. */
  finish(footer: string): Promise<Buffer> {
    const pdf = this.#pdf
    const { start, count } = pdf.bufferedPageRange()
    for (let at = start; at < start + count; at++) {
      pdf.switchToPage(at)
      // Without this, text below the margin would start another page.
      pdf.page.margins.bottom = 0
      const y = pdf.page.height - margin - 10
      this.#line(this.left, this.left + this.width, y - 5, 0.4, '#888')
      pdf.font('plain').fontSize(7.5).fillColor('#555')
      const numberWidth = 90
      const options = { width: this.width - numberWidth, height: 10, ellipsis: true }
      pdf.text(cleaned(footer), this.left, y, options)
      const page = `Страница ${at - start + 1} из ${count}`
      pdf.text(page, this.left + this.width - numberWidth, y, { width: numberWidth, align: 'right' })
    }
    pdf.end()
    return this.#done
  }

  #line(from: number, to: number, y: number, lineWidth: number, color = 'black'): void {
    this.#pdf.lineWidth(lineWidth).moveTo(from, y).lineTo(to, y).stroke(color)
  }

  #frame(x: number, y: number, width: number, height: number, lineWidth: number, color = 'black'): void {
    this.#pdf.lineWidth(lineWidth).rect(x, y, width, height).stroke(color)
  }

  get #bottom(): number {
    return this.#pdf.page.height - margin - footerHeight
  }

  #rowHeight(columns: readonly Column[], cells: readonly string[], weight: Weight): number {
    this.#pdf.font(weight).fontSize(tableSize)
    const heights = columns.map(({ width }, at) =>
      this.#pdf.heightOfString(cell(cells[at]), { width: width - 2 * cellPadding }),
    )
    return Math.max(...heights) + 2 * cellPadding
  }

  /** A row in bold is the head. */
  #row(columns: readonly Column[], cells: readonly string[], height: number, weight: Weight): void {
    const isHead = weight === 'bold'
    const { y } = this.#pdf
    let x = this.left
    for (const [at, { width, align }] of columns.entries()) {
      if (isHead) this.#pdf.rect(x, y, width, height).fill('#eeeeee').fillColor('black')
      this.#frame(x, y, width, height, 0.5)
      this.#pdf.font(weight).fontSize(tableSize)
      this.#pdf.text(cell(cells[at]), x + cellPadding, y + cellPadding, {
        width: width - 2 * cellPadding,
        align: isHead ? 'center' : align,
      })
      x += width
    }
    this.#pdf.y = y + height
  }
}

export type Box = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly text: string
  readonly caption?: string
}

const cell = (text: string | undefined): string => {
  const clean = cleaned(text ?? '')
  return clean.length > cellCharactersMax ? `${clean.slice(0, cellCharactersMax - 1)}…` : clean
}

/** Replaces control characters, which have no glyph, and direction marks, which would reverse a name, by spaces. */
const cleaned = (text: string): string => text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
