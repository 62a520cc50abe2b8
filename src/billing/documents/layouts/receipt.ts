import { groupedRubles, momentText } from '../../../domain/wording.ts'
import { amountInWords } from '../amount-words.ts'
import type { Receipt } from '../document.ts'
import { Paper } from '../paper.ts'
import { dayInWords } from '../wording.ts'
import { footerOf, writeParties } from './parties.ts'

/** Квитанция об оплате, and the note of an operation that is neither a payment nor a bill. */
export function drawReceipt(receipt: Receipt): Promise<Buffer> {
  const { kind, supplier, number, operationId, movedAt, timeZone, amount, printedAt } = receipt
  const title = `${receipt.title} № ${number} от ${dayInWords(movedAt, timeZone)}`
  const paper = new Paper(title, supplier.name, printedAt)
  if (receipt.isReversed) paper.stamp('СТОРНИРОВАНО')
  paper.text(title, { size: 15, weight: 'bold', gap: 6 })
  paper.rule(1.4)
  const isPayment = kind === 'receipt'
  writeParties(
    paper,
    receipt,
    isPayment ? { supplier: 'Получатель', customer: 'Плательщик' } : { supplier: 'Организация', customer: 'Абонент' },
  )
  paper.space(4)
  paper.pair('Операция:', `№ ${operationId} от ${momentText(movedAt, timeZone)}`)
  paper.pair(isPayment ? 'Назначение:' : 'Основание:', receipt.purpose)
  if (isPayment) paper.pair('Способ оплаты:', receipt.method)
  if (receipt.externalId) paper.pair('Номер платежа:', receipt.externalId)
  if (receipt.fiscalReceipt) paper.pair('Кассовый чек:', receipt.fiscalReceipt)
  if (receipt.takenBy) paper.pair(isPayment ? 'Платёж принял:' : 'Оформил:', receipt.takenBy)
  paper.space(6)
  paper.rule()
  paper.pair(isPayment ? 'Принято:' : 'Сумма:', `${groupedRubles(amount)} руб.`, { weight: 'bold' })
  paper.pair('Прописью:', amountInWords(amount), { weight: 'bold' })
  paper.rule()
  if (isPayment)
    paper.text('Денежные средства зачислены на лицевой счёт. Квитанция не заменяет кассовый чек.', { size: 8, gap: 2 })
  paper.signatures([
    { role: isPayment ? 'Кассир' : 'Бухгалтер', name: isPayment ? receipt.takenBy : supplier.accountant },
  ])
  return paper.finish(footerOf(`${receipt.title} № ${number}`, momentText(printedAt, timeZone), supplier))
}
