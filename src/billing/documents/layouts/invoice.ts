import { dayText, groupedRubles, momentText } from '../../../domain/wording.ts'
import { amountInWords } from '../amount-words.ts'
import type { Invoice } from '../document.ts'
import { type Column, Paper } from '../paper.ts'
import { dayInWords, vatIncluded } from '../wording.ts'
import { footerOf, writeBank, writeParties } from './parties.ts'

const sumWidth = 92
/** Sums, words and signatures stay on one sheet. */
const endHeight = 170
const narrow = { number: 28, count: 46, unit: 46, price: 84 } as const

/** Счёт на оплату in the shape accountants know from other programs: bank, parties, one line of the service, sums, signatures. */
export function drawInvoice(invoice: Invoice): Promise<Buffer> {
  const { supplier, number, movedAt, timeZone, amount, purpose, payUntil, isReversed, printedAt } = invoice
  const title = `Счёт на оплату № ${number} от ${dayInWords(movedAt, timeZone)}`
  const paper = new Paper(title, supplier.name, printedAt)
  writeBank(paper, supplier)
  if (isReversed) paper.stamp('СТОРНИРОВАНО')
  paper.text(title, { size: 15, weight: 'bold', gap: 6 })
  paper.rule(1.4)
  writeParties(paper, invoice, { supplier: 'Поставщик', customer: 'Покупатель' })
  if (payUntil) paper.pair('Оплатить до:', dayText(payUntil, timeZone))
  paper.space(6)
  const columns: Column[] = [
    { title: '№', width: narrow.number, align: 'center' },
    {
      title: 'Товары (работы, услуги)',
      width: paper.width - narrow.number - narrow.count - narrow.unit - narrow.price - sumWidth,
      align: 'left',
    },
    { title: 'Кол-во', width: narrow.count, align: 'right' },
    { title: 'Ед.', width: narrow.unit, align: 'center' },
    { title: 'Цена, руб.', width: narrow.price, align: 'right' },
    { title: 'Сумма, руб.', width: sumWidth, align: 'right' },
  ]
  paper.table(columns, [['1', purpose, '1', 'усл. ед.', groupedRubles(amount), groupedRubles(amount)]])
  paper.space(6)
  paper.keep(endHeight)
  const { vatRate } = supplier
  paper.sum('Итого:', groupedRubles(amount), sumWidth)
  if (vatRate === null) paper.sum('Без налога (НДС):', '—', sumWidth)
  else paper.sum(`В том числе НДС ${vatRate} %:`, groupedRubles(vatIncluded(amount, vatRate)), sumWidth)
  paper.sum('Всего к оплате:', groupedRubles(amount), sumWidth)
  paper.space(4)
  paper.text(`Всего наименований 1, на сумму ${groupedRubles(amount)} руб.`)
  paper.text(amountInWords(amount), { weight: 'bold', gap: 6 })
  paper.rule(1.4)
  paper.signatures([
    { role: 'Руководитель', name: supplier.director },
    { role: 'Бухгалтер', name: supplier.accountant },
  ])
  return paper.finish(footerOf(`Счёт № ${number}`, momentText(printedAt, timeZone), supplier))
}
