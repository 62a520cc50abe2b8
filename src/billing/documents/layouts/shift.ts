import { groupedRubles, momentText } from '../../../domain/wording.ts'
import type { ShiftReport } from '../document.ts'
import { type Column, PdfPages } from '../pdf-pages.ts'
import { finish } from './parties.ts'

/** The height of the sums of cash and the signatures, which stay on one page. */
const totalsHeight = 170
const widths = { way: 90, count: 60, sum: 96 } as const

/** Draws Отчёт по кассовой смене: what was received and given back by type and way, and the cash in the drawer. */
export function drawShift(report: ShiftReport): Promise<Buffer> {
  const { supplier, shiftId, cashier, openedAt, closedAt, lines, cash, timeZone, printedAt } = report
  const title = `Отчёт по кассовой смене № ${shiftId}`
  const pages = new PdfPages(title, supplier.name, printedAt)
  pages.text(title, { size: 15, weight: 'bold', gap: 2 })
  if (!closedAt)
    pages.text(`Промежуточный: смена не закрыта, по состоянию на ${momentText(printedAt, timeZone)}`, {
      size: 9,
      gap: 4,
    })
  pages.rule(1.4)
  pages.pair('Организация:', supplier.name, { weight: 'bold' })
  pages.pair('Кассир:', cashier, { weight: 'bold' })
  pages.pair('Смена открыта:', momentText(openedAt, timeZone))
  if (closedAt) pages.pair('Смена закрыта:', momentText(closedAt, timeZone))
  pages.space(6)
  const rows = lines.map(({ type, isCash, receivedCount, received, returnedCount, returned }) => [
    type,
    isCash ? 'Наличные' : 'Безналичные',
    String(receivedCount),
    groupedRubles(received),
    String(returnedCount),
    groupedRubles(returned),
  ])
  if (rows.length > 0) pages.table(columns(pages.width), rows)
  else pages.text('Платежей за смену не было.', { align: 'center', gap: 4 })
  pages.space(6)
  pages.reserve(totalsHeight)
  const sum = (name: string, value: Parameters<typeof groupedRubles>[0], weight: 'plain' | 'bold' = 'plain') =>
    pages.sum(name, groupedRubles(value), widths.sum, weight)
  sum('Наличных в кассе на начало, руб.:', cash.opening)
  sum('Принято наличными:', cash.received)
  sum('Возвращено наличными:', cash.returned)
  sum('Должно быть в кассе:', cash.expected, 'bold')
  if (cash.counted !== null) sum('Пересчитано кассиром:', cash.counted, 'bold')
  if (cash.difference !== null) sum('Излишек (недостача с минусом):', cash.difference, 'bold')
  pages.rule(1.4)
  pages.signatures([
    { role: 'Кассир', name: cashier },
    { role: 'Принял', name: supplier.accountant },
  ])
  return finish(pages, title, report)
}

const columns = (width: number): Column[] => [
  { title: 'Вид', width: width - widths.way - 2 * widths.count - 2 * widths.sum, align: 'left' },
  { title: 'Способ', width: widths.way, align: 'left' },
  { title: 'Платежей', width: widths.count, align: 'right' },
  { title: 'Принято', width: widths.sum, align: 'right' },
  { title: 'Возвратов', width: widths.count, align: 'right' },
  { title: 'Возвращено', width: widths.sum, align: 'right' },
]
