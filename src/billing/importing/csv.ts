/** Why a record cannot be parsed. */
export const csvFaultText = {
  quoteNotClosed: 'a quoted field is not closed',
  textAfterQuote: 'text follows the closing quote of a field',
  recordTooLong: 'the line is longer than 65,536 characters, or a quoted field is not closed',
} as const

type CsvFault = keyof typeof csvFaultText

/** `line`: the line of the file on which the record begins, counted from 1. */
export type CsvRecord =
  | { readonly line: number; readonly fields: readonly string[] }
  | { readonly line: number; readonly fault: CsvFault }

export type Delimiter = ',' | ';'

const recordCharactersMax = 65_536
/**
 * The lines of one record. No field may have a line break, so such a record is refused in any case; without the limit
 * each line of a file whose quotes never fit would be read up to the same distant fault.
 */
const recordLinesMax = 10
const quote = '"'
const carriageReturn = 13

/** The delimiter of a file: the one that occurs more often in its header outside quotes. */
export function detectDelimiter(header: string): Delimiter {
  const bare = header.replaceAll(/"[^"]*"/g, '')
  return bare.split(';').length > bare.split(',').length ? ';' : ','
}

/**
 * A parser of RFC 4180 with LF or CRLF that accepts text in pieces of any size. Empty lines are skipped. After a record
 * that cannot be read it continues with the next line of the file, so that a missing quote costs one line and not the
 * rest.
 */
export class CsvReader {
  readonly #delimiter: Delimiter
  /** The text from the beginning of the record that is not complete yet. */
  #rest = ''
  #line: number
  /** Whether the rest of a line that is too long is being skipped. */
  #isDropping = false

  constructor(delimiter: Delimiter, firstLine = 1) {
    this.#delimiter = delimiter
    this.#line = firstLine
  }

  push(text: string): CsvRecord[] {
    return this.#read(this.#rest + text, false)
  }

  /** Returns the last records. The last one may lack its line break. */
  end(): CsvRecord[] {
    return this.#read(this.#rest, true)
  }

  #read(text: string, isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = []
    let at = 0
    while (at < text.length) {
      const newline = text.indexOf('\n', at)
      const next = newline < 0 ? text.length : newline + 1
      if (this.#isDropping || isTooLong(newline, at, text.length)) {
        if (!this.#isDropping) records.push({ line: this.#line, fault: 'recordTooLong' })
        this.#isDropping = newline < 0
        if (newline >= 0) this.#line++
        at = next
        continue
      }
      if (newline < 0 && !isEnd) break
      const end = newline < 0 ? text.length : newline
      const line = text.slice(at, end > at && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end)
      if (!line.includes(quote)) {
        if (line !== '') records.push({ line: this.#line, fields: line.split(this.#delimiter) })
        this.#line++
        at = next
        continue
      }
      const last = endOfLines(text, at, recordLinesMax)
      const quoted =
        last < 0
          ? readQuoted(text, at, this.#delimiter, isEnd)
          : readQuoted(text.slice(0, last), at, this.#delimiter, false)
      if ('fields' in quoted) {
        records.push({ line: this.#line, fields: quoted.fields })
        this.#line += linesIn(text, at, quoted.end)
        at = quoted.end
        continue
      }
      const isUnfinished = quoted.fault === 'unfinished'
      if (isUnfinished && last < 0 && !isEnd && text.length - at <= recordCharactersMax) break
      const fault =
        quoted.fault !== 'unfinished' ? quoted.fault : isEnd && last < 0 ? 'quoteNotClosed' : 'recordTooLong'
      records.push({ line: this.#line++, fault })
      at = next
    }
    this.#rest = text.slice(at)
    return records
  }
}

/** Whether a line, as far as it has been read, exceeds the limit. */
const isTooLong = (newline: number, at: number, textEnd: number): boolean =>
  (newline < 0 ? textEnd : newline) - at > recordCharactersMax

type Quoted = { fields: string[]; end: number } | { fault: 'unfinished' | 'textAfterQuote' }

/** Parses a record with quotes from `start`. `end` is the position after its line break. */
function readQuoted(text: string, start: number, delimiter: Delimiter, isEnd: boolean): Quoted {
  const fields: string[] = []
  for (let at = start; ; ) {
    const field = text[at] === quote ? quotedField(text, at + 1, isEnd) : bareField(text, at, delimiter)
    if (field === null) return { fault: 'unfinished' }
    fields.push(field.value)
    const after = text[field.end]
    if (after === delimiter) {
      at = field.end + 1
      continue
    }
    if (after === '\n') return { fields, end: field.end + 1 }
    if (after === '\r' && text[field.end + 1] === '\n') return { fields, end: field.end + 2 }
    const isCut = after === undefined || (after === '\r' && field.end + 1 === text.length)
    if (!isCut) return { fault: 'textAfterQuote' }
    return isEnd ? { fields, end: text.length } : { fault: 'unfinished' }
  }
}

/**
 * Parses a quoted field; `from` is the position after its opening quote. A doubled quote is a literal one. Null: the
 * closing quote has not arrived.
 */
function quotedField(text: string, from: number, isEnd: boolean): { value: string; end: number } | null {
  let value = ''
  for (let at = from; ; ) {
    const close = text.indexOf(quote, at)
    if (close < 0 || (close + 1 === text.length && !isEnd)) return null
    if (text[close + 1] !== quote) return { value: value + text.slice(at, close), end: close + 1 }
    value += text.slice(at, close + 1)
    at = close + 2
  }
}

function bareField(text: string, at: number, delimiter: Delimiter): { value: string; end: number } {
  let end = at
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++
  if (text[end - 1] === '\r' && end > at && (text[end] === '\n' || end === text.length)) end--
  return { value: text.slice(at, end), end }
}

/** The position after so many lines from `at` on, or -1 where the text has fewer. */
function endOfLines(text: string, at: number, lines: number): number {
  let end = at
  for (let line = 0; line < lines; line++) {
    const newline = text.indexOf('\n', end)
    if (newline < 0) return -1
    end = newline + 1
  }
  return end
}

function linesIn(text: string, start: number, end: number): number {
  let lines = 0
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
