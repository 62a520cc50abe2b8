import { readFileSync } from 'node:fs'
import { dayOf, monthOf, wholeMonth } from '../../../domain/calendar.ts'
import { operationSources } from '../../../domain/operation-source.ts'
import { fillTemplate, markup } from '../../../platform/formats/html.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { html } from '../../../platform/http/reply.ts'
import { sourceNames } from './report.ts'

/** The list of operations and PayLog are the same page over two lists. */
const kinds = {
  list: {
    title: 'Финансовые операции',
    list: '/admin/Abonents/finops_json/',
    files: '/admin/Abonents/download_operations/',
  },
  payLog: {
    title: 'Журнал платежей',
    list: '/admin/reports/PayLog/?format=json',
    files: '/admin/reports/PayLog/',
  },
} as const

export const file = (name: string): URL => new URL(`./page/${name}`, import.meta.url)

const template = readFileSync(file('finops.html'), 'utf8')

const sources = operationSources.map((source) => markup`<option value="${source}">${sourceNames[source]}</option>`)

/** The period is the current month of TIME_ZONE until somebody chooses another (specification 4.12 rule 2). */
export function operationsPage(
  { timeZone }: { timeZone: () => string },
  call: Call,
  kind: keyof typeof kinds,
  now = new Date(),
): Reply {
  const { title, list, files } = kinds[kind]
  const month = wholeMonth(monthOf(dayOf(now, timeZone())))
  const pieces = {
    title,
    list,
    files,
    sources,
    date_from: month.from,
    date_to: month.to,
    username: call.staff?.username,
  }
  return html(fillTemplate(template, pieces), 200, [['Cache-Control', 'no-store']])
}
