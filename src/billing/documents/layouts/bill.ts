import { negated, vatIncluded, zero } from '../../../domain/money.ts'
import { dayText, groupedRubles, momentText } from '../../../domain/wording.ts'
import { amountInWords } from '../amount-words.ts'
import type { Bill, BillLine } from '../document.ts'
import { type Column, PdfPages } from '../pdf-pages.ts'
import { monthInWords } from '../wording.ts'
import { finish, signByCompany, writeBank, writeParties } from './parties.ts'

/** The height of sums, amount in words and signatures, which stay on one page. */
const totalsHeight = 190
const widths = { day: 62, number: 78, charged: 86, received: 86 } as const

/** Draws Счёт за месяц: the opening balance, the operations, the closing balance and the amount due. */
export function drawBill(bill: Bill): Promise<Buffer> {
  const { supplier, customer, timeZone, month, opening, lines, omitted, charged, received, closing, printedAt } = bill
  const title = `Счёт за ${monthInWords(month)}`
  const pages = new PdfPages(`${title}, договор ${customer.contractNumber}`, supplier.name, printedAt)
  writeBank(pages, supplier)
  pages.text(title, { size: 15, weight: 'bold', gap: 2 })
  if (bill.isPreliminary)
    pages.text(`Предварительный: месяц не закончен, по состоянию на ${momentText(printedAt, timeZone)}`, {
      size: 9,
      gap: 4,
    })
  pages.rule(1.4)
  writeParties(pages, bill, { supplier: 'Поставщик', customer: 'Абонент' })
  pages.space(6)
  const balance = widths.charged + widths.received
  pages.sum('Баланс на начало месяца, руб.:', groupedRubles(opening), balance)
  pages.space(2)
  const columns: Column[] = [
    { title: 'Дата', width: widths.day, align: 'center' },
    { title: 'Документ', width: widths.number, align: 'left' },
    {
      title: 'Операция',
      width: pages.width - widths.day - widths.number - widths.charged - widths.received,
      align: 'left',
    },
    { title: 'Начислено', width: widths.charged, align: 'right' },
    { title: 'Поступило', width: widths.received, align: 'right' },
  ]
  const rows = lines.map((line) => cells(line, timeZone))
  if (rows.length > 0) pages.table(columns, rows)
  else pages.text('Операций в этом месяце не было.', { align: 'center', gap: 4 })
  if (omitted > 0) pages.text(`Ещё операций: ${omitted}; они учтены в итогах.`, { size: 9 })
  pages.space(6)
  pages.reserve(totalsHeight)
  pages.sum('Начислено за месяц:', groupedRubles(charged), balance, 'plain')
  pages.sum('Поступило за месяц:', groupedRubles(received), balance, 'plain')
  pages.sum('Баланс на конец месяца:', groupedRubles(closing), balance)
  const due = closing < zero ? negated(closing) : zero
  pages.sum('К оплате:', groupedRubles(due), balance)
  if (due > zero) {
    const { vatRate } = supplier
    if (vatRate !== null)
      pages.sum(`В том числе НДС ${vatRate} %:`, groupedRubles(vatIncluded(due, vatRate)), balance, 'plain')
    pages.text(amountInWords(due), { weight: 'bold', gap: 6 })
  }
  pages.rule(1.4)
  signByCompany(pages, supplier)
  return finish(pages, `${title}, договор № ${customer.contractNumber}`, bill)
}

function cells({ at, number, text, amount, isReversed }: BillLine, timeZone: string): string[] {
  const charged = amount < zero ? groupedRubles(negated(amount)) : ''
  const received = amount > zero ? groupedRubles(amount) : ''
  return [dayText(at, timeZone), number, isReversed ? `${text} (сторно)` : text, charged, received]
}
