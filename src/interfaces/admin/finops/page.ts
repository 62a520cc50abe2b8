import { dayOf, monthOf, wholeMonth } from '../../../domain/calendar.ts'
import { operationSources } from '../../../domain/operation-source.ts'
import { markup } from '../../../platform/formats/html.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { AdminPage } from '../pages.ts'
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

export const page = new AdminPage(new URL('./page/', import.meta.url), 'finops')

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
  return page.show(call, { title, list, files, sources, date_from: month.from, date_to: month.to })
}
