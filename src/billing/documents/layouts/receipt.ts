import { groupedRubles, momentText } from '../../../domain/wording.ts'
import { amountInWords } from '../amount-words.ts'
import type { Receipt } from '../document.ts'
import { PdfPages } from '../pdf-pages.ts'
import { dayInWords } from '../wording.ts'
import { finish, writeParties } from './parties.ts'

/** Draws Квитанция об оплате, or the note about an operation that is neither a payment nor a charge. */
export function drawReceipt(receipt: Receipt): Promise<Buffer> {
  const { kind, supplier, number, operationId, movedAt, timeZone, amount, printedAt } = receipt
  const title = `${receipt.title} № ${number} от ${dayInWords(movedAt, timeZone)}`
  const pages = new PdfPages(title, supplier.name, printedAt)
  if (receipt.isReversed) pages.stamp('СТОРНИРОВАНО')
  pages.text(title, { size: 15, weight: 'bold', gap: 6 })
  pages.rule(1.4)
  const isPayment = kind === 'receipt'
  writeParties(
    pages,
    receipt,
    isPayment ? { supplier: 'Получатель', customer: 'Плательщик' } : { supplier: 'Организация', customer: 'Абонент' },
  )
  pages.space(4)
  pages.pair('Операция:', `№ ${operationId} от ${momentText(movedAt, timeZone)}`)
  pages.pair(isPayment ? 'Назначение:' : 'Основание:', receipt.purpose)
  if (isPayment) pages.pair('Способ оплаты:', receipt.method)
  if (receipt.externalId) pages.pair('Номер платежа:', receipt.externalId)
  if (receipt.fiscalReceipt) pages.pair('Кассовый чек:', receipt.fiscalReceipt)
  if (receipt.takenBy) pages.pair(isPayment ? 'Платёж принял:' : 'Оформил:', receipt.takenBy)
  pages.space(6)
  pages.rule()
  pages.pair(isPayment ? 'Принято:' : 'Сумма:', `${groupedRubles(amount)} руб.`, { weight: 'bold' })
  pages.pair('Прописью:', amountInWords(amount), { weight: 'bold' })
  pages.rule()
  if (isPayment)
    pages.text('Денежные средства зачислены на лицевой счёт. Квитанция не заменяет кассовый чек.', { size: 8, gap: 2 })
  pages.signatures([
    { role: isPayment ? 'Кассир' : 'Бухгалтер', name: isPayment ? receipt.takenBy : supplier.accountant },
  ])
  return finish(pages, `${receipt.title} № ${number}`, receipt)
}
