import { vatIncluded } from '../../../domain/money.ts'
import { dayText, groupedRubles } from '../../../domain/wording.ts'
import { amountInWords } from '../amount-words.ts'
import type { Invoice } from '../document.ts'
import { type Column, PdfPages } from '../pdf-pages.ts'
import { dayInWords } from '../wording.ts'
import { finish, signByCompany, writeBank, writeParties } from './parties.ts'

const sumWidth = 92
/** The height of sums, amount in words and signatures, which stay on one page. */
const totalsHeight = 170
const narrow = { number: 28, count: 46, unit: 46, price: 84 } as const

/**
 * Draws Счёт на оплату in the form that accountants know from other programs: bank details, parties, one line for the
 * service, sums and signatures.
 */
export function drawInvoice(invoice: Invoice): Promise<Buffer> {
  const { supplier, number, movedAt, timeZone, amount, purpose, payUntil, isReversed, printedAt } = invoice
  const title = `Счёт на оплату № ${number} от ${dayInWords(movedAt, timeZone)}`
  const pages = new PdfPages(title, supplier.name, printedAt)
  writeBank(pages, supplier)
  if (isReversed) pages.stamp('СТОРНИРОВАНО')
  pages.text(title, { size: 15, weight: 'bold', gap: 6 })
  pages.rule(1.4)
  writeParties(pages, invoice, { supplier: 'Поставщик', customer: 'Покупатель' })
  if (payUntil) pages.pair('Оплатить до:', dayText(payUntil, timeZone))
  pages.space(6)
  const columns: Column[] = [
    { title: '№', width: narrow.number, align: 'center' },
    {
      title: 'Товары (работы, услуги)',
      width: pages.width - narrow.number - narrow.count - narrow.unit - narrow.price - sumWidth,
      align: 'left',
    },
    { title: 'Кол-во', width: narrow.count, align: 'right' },
    { title: 'Ед.', width: narrow.unit, align: 'center' },
    { title: 'Цена, руб.', width: narrow.price, align: 'right' },
    { title: 'Сумма, руб.', width: sumWidth, align: 'right' },
  ]
  pages.table(columns, [['1', purpose, '1', 'усл. ед.', groupedRubles(amount), groupedRubles(amount)]])
  pages.space(6)
  pages.reserve(totalsHeight)
  const { vatRate } = supplier
  pages.sum('Итого:', groupedRubles(amount), sumWidth)
  if (vatRate === null) pages.sum('Без налога (НДС):', '—', sumWidth)
  else pages.sum(`В том числе НДС ${vatRate} %:`, groupedRubles(vatIncluded(amount, vatRate)), sumWidth)
  pages.sum('Всего к оплате:', groupedRubles(amount), sumWidth)
  pages.space(4)
  pages.text(`Всего наименований 1, на сумму ${groupedRubles(amount)} руб.`)
  pages.text(amountInWords(amount), { weight: 'bold', gap: 6 })
  pages.rule(1.4)
  signByCompany(pages, supplier)
  return finish(pages, `Счёт № ${number}`, invoice)
}
