import type { TObject } from 'typebox'
import { type Language, languages } from '../../../domain/language.ts'
import { xlsxType } from '../../../platform/formats/xlsx.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice } from '../../../platform/http/fields.ts'
import { preferredLanguage } from '../../../platform/http/languages.ts'
import { json } from '../../../platform/http/reply.ts'
import type { ParameterDoc, RouteDoc } from '../../../platform/http/route-doc.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { isRefused, readQuery, trimmed } from '../body.ts'
import { countedAnswers, preferHeader } from '../countings.ts'
import { get } from '../doors.ts'
import { Remembered } from '../remembered.ts'
import { type Debts, debtsSchema, readDebts } from './debts.ts'
import { debtsTable, fileFormats, fileOf, movementsTable, subscribersTable } from './files.ts'
import { moneyParameters, moneySchema, readGrouping, readMoney } from './money.ts'
import {
  movementParameters,
  movementsSchema,
  periodParameters,
  readMovements,
  readQuestion,
  type ReportParts,
} from './movements.ts'
import { periodOf, readSubscribers, subscribersSchema } from './subscribers.ts'

/** Reports on money and subscribers, each as JSON and as a file. */
export function reportRoutes(parts: ReportParts): Route[] {
  const debts = new Remembered<Debts>(parts.clock, (visible) => readDebts(parts, JSON.parse(visible)))
  const report = (name: keyof typeof docs, show: (call: Call) => Promise<Reply>) =>
    get(`/admin/reports/${name}`, docs[name], (call) => parts.countings.answer(call, () => show(call)))
  return [
    report('movements', (call) => showMovements(parts, call)),
    report('money', (call) => showMoney(parts, call)),
    report('debts', (call) => showDebts(debts, call)),
    report('subscribers', (call) => showSubscribers(parts, call)),
  ]
}

const fileParameters = {
  format: { doc: 'A file instead of JSON', schema: choice(['json', ...fileFormats]) },
  language: {
    doc: 'Of a file: its titles and the decimal comma; left out: as Accept-Language',
    schema: choice(languages),
  },
} as const

async function showMovements(parts: ReportParts, call: Call): Promise<Reply> {
  const question = readQuestion(parts, call)
  if (isRefused(question)) return question.refused
  return answer(call, 'movements', await readMovements(parts, question), movementsTable)
}

/** A file of it has the columns of `movements`. */
async function showMoney(parts: ReportParts, call: Call): Promise<Reply> {
  const question = readGrouping(parts, call)
  if (isRefused(question)) return question.refused
  const read = readQuery(fileParameters, trimmed(call.query))
  if (isRefused(read)) return read.refused
  const { format = 'json' } = read.values
  if (format !== 'json') return answer(call, 'money', await readMovements(parts, question), movementsTable)
  const report = await readMoney(parts, question)
  return isRefused(report) ? report.refused : json({ ok: true, ...report })
}

async function showDebts(debts: Remembered<Debts>, call: Call): Promise<Reply> {
  return answer(call, 'debts', await debts.get(JSON.stringify(visibleTo(call))), debtsTable)
}

async function showSubscribers(parts: ReportParts, call: Call): Promise<Reply> {
  const read = readQuery(periodParameters, trimmed(call.query))
  if (isRefused(read)) return read.refused
  const period = periodOf(parts, read.values.date_from, read.values.date_to)
  const report = await readSubscribers(parts, { ...period, visible: visibleTo(call) })
  return answer(call, 'subscribers', report, subscribersTable)
}

/** The report as it was asked for, or the refusal that came instead. */
function answer<Report extends object>(
  call: Call,
  name: string,
  report: Report | { readonly refused: Reply },
  tableOf: (report: Report, language: Language) => Parameters<typeof fileOf>[3],
): Reply {
  if (isRefused(report)) return report.refused
  const read = readQuery(fileParameters, trimmed(call.query))
  if (isRefused(read)) return read.refused
  const { format = 'json', language = preferredLanguage(call.header('accept-language')) } = read.values
  if (format === 'json') return json({ ok: true, ...report })
  return fileOf(name, format, language, tableOf(report as Report, language))
}

function docOf(
  summary: string,
  description: string,
  query: Readonly<Record<string, ParameterDoc>>,
  shape: TObject,
): RouteDoc {
  const refusedToo = {
    400: 'A parameter is wrong, or the table would be too large (`report_too_large`)',
    503: 'The sums are being made (`reports_not_ready`), or it takes too long',
  }
  const { 200: found, ...refusals } = countedAnswers('The report, or a file of it', shape.properties, refusedToo)
  return {
    tag: 'Reports',
    summary,
    description,
    headers: preferHeader,
    query: { ...query, ...fileParameters },
    answers: { 200: { ...found!, otherTypes: ['text/csv', xlsxType] }, ...refusals },
  }
}

const docs = {
  movements: docOf(
    'Money by type, day, month, channel, cashier, tariff or organization',
    'Of the organizations that the caller sees, up to this moment. An operation that was reversed and its reversal both count, each on its day',
    movementParameters,
    movementsSchema,
  ),
  money: docOf(
    'The sums of `movements` as rows of one kind',
    'Like `movements`, with the period as `from` and `to`, and for two groups a row for each pair that has operations; a file has the columns of `movements`',
    moneyParameters,
    moneySchema,
  ),
  debts: docOf(
    'Debts by their age',
    'Of this moment, on a large base of some seconds ago. Left out are debts of organizations that the caller does not see',
    {},
    debtsSchema,
  ),
  subscribers: docOf(
    'New and lost subscribers by month, and the revenue of a subscriber',
    'Whole months, those of the last year where no period is named, at most 120',
    periodParameters,
    subscribersSchema,
  ),
}
