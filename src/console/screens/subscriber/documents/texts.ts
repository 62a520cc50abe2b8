import { chapter } from '../../../texts/texts.ts'

export const documentTexts = chapter({
  bills: ['Счета по месяцам', 'Bills by month'],
  billOf: [(month: string) => `Счёт за ${month}`, (month: string) => `Bill for ${month}`],
  unfinished: ['месяц не закончен', 'the month is not over'],
  earlier: ['Более ранние', 'Earlier ones'],
  operations: ['Квитанции, счета и справки операций', 'Receipts, invoices and notes of operations'],
  fiscal: ['Чек', 'Fiscal receipt'],
  isFiscal: ['пробит', 'printed'],
  document: ['Документ', 'Document'],
  open: ['Открыть', 'Open'],
  openOf: [(n: number) => `Открыть документ операции ${n}`, (n: number) => `Open the document of operation ${n}`],
  print: ['Напечатать', 'Print'],
  printOf: [(n: number) => `Напечатать документ операции ${n}`, (n: number) => `Print the document of operation ${n}`],
  printed: ['Документ составлен и сохранён', 'The document is made and kept'],
  noPaper: ['деньги не двигались', 'no money moved'],
  none: ['Операций ещё нет', 'There are no operations yet'],
})
