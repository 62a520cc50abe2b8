import { dayText, momentText } from '../../../domain/wording.ts'
import type { Customer, PrintedDocument, ShiftReport, Supplier } from '../document.ts'
import type { PdfPages } from '../pdf-pages.ts'

/** The supplier on one line: name, tax numbers, address and phone, without what nobody has entered. */
const supplierLine = ({ name, inn, kpp, address, phone }: Supplier): string =>
  listed([
    name,
    inn && `ИНН\u00a0${inn}`,
    kpp && `КПП\u00a0${kpp}`,
    address,
    phone && `тел. ${phone}`.replaceAll(' ', '\u00a0'),
  ])

const customerLine = ({ name, inn, kpp }: Customer): string =>
  listed([name, inn && `ИНН\u00a0${inn}`, kpp && `КПП\u00a0${kpp}`])

const listed = (parts: readonly (string | null)[]): string => parts.filter(Boolean).join(', ')

/** Writes the supplier, the customer and the contract. */
export function writeParties(
  pages: PdfPages,
  { supplier, customer, timeZone }: Exclude<PrintedDocument, ShiftReport>,
  names: { readonly supplier: string; readonly customer: string },
): void {
  pages.pair(`${names.supplier}:`, supplierLine(supplier), { weight: 'bold' })
  pages.pair(`${names.customer}:`, customerLine(customer), { weight: 'bold' })
  pages.pair('Договор:', `№ ${customer.contractNumber} от ${dayText(customer.contractDate, timeZone)}`)
  pages.pair('Лицевой счёт:', `№ ${customer.accountId}`)
  if (customer.address) pages.pair('Адрес:', customer.address)
}

/** Writes the bank details in the form of a payment order, or nothing when the bank is unknown. */
export function writeBank(pages: PdfPages, supplier: Supplier): void {
  const { bankName, bik, settlementAccount, correspondentAccount, inn, kpp, name } = supplier
  if (!settlementAccount || !bik) return
  const left = Math.round(pages.width * 0.58)
  const label = 48
  const right = left + label
  const rest = pages.width - right
  pages.boxes(104, [
    { x: 0, y: 0, width: left, height: 36, text: bankName ?? '', caption: 'Банк получателя' },
    { x: left, y: 0, width: label, height: 18, text: 'БИК' },
    { x: right, y: 0, width: rest, height: 18, text: bik },
    { x: left, y: 18, width: label, height: 18, text: 'Сч. №' },
    { x: right, y: 18, width: rest, height: 18, text: correspondentAccount ?? '' },
    { x: 0, y: 36, width: left / 2, height: 18, text: `ИНН ${inn ?? ''}` },
    { x: left / 2, y: 36, width: left / 2, height: 18, text: `КПП ${kpp ?? ''}` },
    { x: left, y: 36, width: label, height: 68, text: 'Сч. №' },
    { x: right, y: 36, width: rest, height: 68, text: settlementAccount },
    { x: 0, y: 54, width: left, height: 50, text: name, caption: 'Получатель' },
  ])
}

/** The signatures of the company under a demand for money. */
export const signByCompany = (pages: PdfPages, { director, accountant }: Supplier): void =>
  pages.signatures([
    { role: 'Руководитель', name: director },
    { role: 'Бухгалтер', name: accountant },
  ])

/** Finishes with a footer such as `Счёт № 7 · сформировано 21.11.2026 16:05 · ООО «Северные сети»`. */
export const finish = (pages: PdfPages, what: string, { printedAt, timeZone, supplier }: PrintedDocument) =>
  pages.finish(`${what} · сформировано ${momentText(printedAt, timeZone)} · ${supplier.name}`)
