import { type Day, startOfDay } from '../../domain/calendar.ts'
import { readDate } from '../../domain/iso-dates.ts'
import { fault, type SoapFault } from './fault.ts'
import { type Payment, readSum } from './payment.ts'

/** Without a limit, a megabyte of the shortest lines would take minutes. Empty lines between them count by half. */
const linesMax = 10_000

const fieldLengthMax = 255
const commentLengthMax = 1_000

/** A line of ACT_LIST that is not empty. Line numbers begin at 1 and count empty lines too. */
export type ActLine = { readonly number: number; readonly text: string }

export function splitActList(list: string): readonly ActLine[] | SoapFault {
  const lines = list.split(/\r\n|\n|\r/, 2 * linesMax + 1)
  const filled = lines.map((line, at) => ({ number: at + 1, text: line.trim() })).filter(({ text }) => text !== '')
  if (lines.length > 2 * linesMax || filled.length > linesMax)
    return fault('Client.TooManyLines', `ACT_LIST has more than ${linesMax} lines.`)
  return filled
}

/** The comment is the rest of the line and may contain anything. */
const lineForm = /^([^;]*);([^;]*);([^;]*)(?:;([^;]*)(?:;(.*))?)?$/

/** Reads `CONTRACT;SUM;PAY_ID_STR;DATE;COMMENT`. */
export function readActLine(line: string, operator: string, timeZone: string): Payment | SoapFault {
  const fields = lineForm
    .exec(line)
    ?.slice(1)
    .map((field) => (field ?? '').trim())
  if (!fields) return fault('Client.BadParameter', 'A line is CONTRACT;SUM;PAY_ID_STR;DATE;COMMENT.')
  const [contract = '', sum = '', payId = '', date = '', comment = ''] = fields
  if (contract === '') return fault('Client.MissingParameter', 'CONTRACT is empty.')
  // Lists are repeated as a whole, so every line without an id would be paid twice.
  if (payId === '') return fault('Client.MissingParameter', 'PAY_ID_STR is empty.')
  if ([contract, sum, payId, date].some(({ length }) => length > fieldLengthMax) || comment.length > commentLengthMax)
    return fault('Client.BadParameter', 'A field is too long.')
  const amount = readSum(sum)
  if (amount === null || amount === 0n)
    return fault('Client.BadSum', 'SUM is rubles above zero with at most two places after a comma or a point.')
  const day = date === '' ? null : readDay(date)
  if (date !== '' && day === null) return fault('Client.BadDate', 'DATE is YYYY-MM-DD or DD.MM.YYYY.')
  return { contract, amount, operator, payId, movedAt: day && startOfDay(day, timeZone), comment }
}

/** Reads YYYY-MM-DD or DD.MM.YYYY. Returns null when there is no such day or it cannot be the day of a payment. */
export function readDay(text: string): Day | null {
  const day = readDate(text.replace(/^(\d{2})\.(\d{2})\.(\d{4})$/, '$3-$2-$1'))
  return day !== null && day >= '1900-01-01' ? day : null
}
