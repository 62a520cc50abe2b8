import { negated, zero } from '../../../domain/money.ts'
import { dayText, groupedRubles, momentText } from '../../../domain/wording.ts'
import { amountInWords } from '../amount-words.ts'
import type { Bill, BillLine } from '../document.ts'
import { type Column, Paper } from '../paper.ts'
import { monthInWords, vatIncluded } from '../wording.ts'
import { footerOf, writeBank, writeParties } from './parties.ts'

/** Sums, words and signatures stay on one sheet. */
const endHeight = 190
const widths = { day: 62, number: 78, charged: 86, received: 86 } as const

/** Счёт за месяц: the opening balance, every movement, the closing balance, and what is to be paid. */
export function drawBill(bill: Bill): Promise<Buffer> {
  const { supplier, customer, timeZone, month, opening, lines, omitted, charged, received, closing, printedAt } = bill
  const title = `Счёт за ${monthInWords(month)}`
  const paper = new Paper(`${title}, договор ${customer.contractNumber}`, supplier.name, printedAt)
  writeBank(paper, supplier)
  paper.text(title, { size: 15, weight: 'bold', gap: 2 })
  if (bill.isPreliminary)
    paper.text(`Предварительный: месяц не закончен, по состоянию на ${momentText(printedAt, timeZone)}`, {
      size: 9,
      gap: 4,
    })
  paper.rule(1.4)
  writeParties(paper, bill, { supplier: 'Поставщик', customer: 'Абонент' })
  paper.space(6)
  const balance = widths.charged + widths.received
  paper.sum('Баланс на начало месяца, руб.:', groupedRubles(opening), balance)
  paper.space(2)
  const columns: Column[] = [
    { title: 'Дата', width: widths.day, align: 'center' },
    { title: 'Документ', width: widths.number, align: 'left' },
    {
      title: 'Операция',
      width: paper.width - widths.day - widths.number - widths.charged - widths.received,
      align: 'left',
    },
    { title: 'Начислено', width: widths.charged, align: 'right' },
    { title: 'Поступило', width: widths.received, align: 'right' },
  ]
  if (lines.length > 0)
    paper.table(
      columns,
      lines.map((line) => cells(line, timeZone)),
    )
  else paper.text('Операций в этом месяце не было.', { align: 'center', gap: 4 })
  if (omitted > 0) paper.text(`Ещё операций: ${omitted}; они учтены в итогах.`, { size: 9 })
  paper.space(6)
  paper.keep(endHeight)
  paper.sum('Начислено за месяц:', groupedRubles(charged), balance, 'plain')
  paper.sum('Поступило за месяц:', groupedRubles(received), balance, 'plain')
  paper.sum('Баланс на конец месяца:', groupedRubles(closing), balance)
  const due = closing < zero ? negated(closing) : zero
  paper.sum('К оплате:', groupedRubles(due), balance)
  if (due > zero) {
    const { vatRate } = supplier
    if (vatRate !== null)
      paper.sum(`В том числе НДС ${vatRate} %:`, groupedRubles(vatIncluded(due, vatRate)), balance, 'plain')
    paper.text(amountInWords(due), { weight: 'bold', gap: 6 })
  }
  paper.rule(1.4)
  paper.signatures([
    { role: 'Руководитель', name: supplier.director },
    { role: 'Бухгалтер', name: supplier.accountant },
  ])
  const what = `${title}, договор № ${customer.contractNumber}`
  return paper.finish(footerOf(what, momentText(printedAt, timeZone), supplier))
}

function cells({ at, number, text, amount, isReversed }: BillLine, timeZone: string): string[] {
  const [charged, received] = amount < zero ? [groupedRubles(negated(amount)), ''] : ['', groupedRubles(amount)]
  return [
    dayText(at, timeZone),
    number,
    isReversed ? `${text} (сторно)` : text,
    ...(amount === zero ? ['', ''] : [charged, received]),
  ]
}
