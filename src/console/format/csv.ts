import type { Language } from '../../domain/language.ts'

type Cell = string | number | null | undefined

/** So that a spreadsheet reads it as UTF-8. */
const mark = '\ufeff'

/** Rows as a spreadsheet of the language opens them: `;` and a decimal comma in Russian, `,` and a point elsewhere. */
export function csvText(rows: readonly (readonly Cell[])[], language: Language): string {
  const separator = language === 'ru' ? ';' : ','
  const lines = rows.map((cells) => cells.map((cell) => quoted(cellOf(cell, language), separator)).join(separator))
  return `${mark}${lines.join('\r\n')}\r\n`
}

/** As endpoints write a moment, by the clock of the office; a spreadsheet knows a date only without the zone. */
const momentOfOffice = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?[+-]\d\d:\d\d$/

function cellOf(value: Cell, language: Language): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  if (language === 'ru' && /^-?\d+\.\d+$/.test(text)) return text.replace('.', ',')
  const [, year, month, day, time] = momentOfOffice.exec(text) ?? []
  if (time !== undefined)
    return language === 'ru' ? `${day}.${month}.${year} ${time}` : `${year}-${month}-${day} ${time}`
  // A spreadsheet would run it as a formula, also after a full-width sign; a number with its sign is none.
  return /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^[+-]?\d+([.,]\d+)?$/.test(text) ? `'${text}` : text
}

const quoted = (text: string, separator: string): string =>
  text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
