import { inflateSync } from 'node:zlib'
import type { Bill, Customer, Invoice, Receipt, ShiftReport, Supplier } from '../../src/billing/documents/document.ts'
import type { Month } from '../../src/domain/calendar.ts'
import { type Money, parseRubles } from '../../src/domain/money.ts'

export const rub = (text: string): Money => parseRubles(text)!

const supplier: Supplier = {
  name: 'ООО «Северные сети»',
  inn: '7701234567',
  kpp: '770101001',
  ogrn: '1027700132195',
  address: '125009, г. Москва, ул. Тверская, д. 7, офис 412',
  phone: '+7 (495) 123-45-67',
  bankName: 'ПАО Сбербанк, г. Москва',
  bik: '044525225',
  settlementAccount: '40702810938000012345',
  correspondentAccount: '30101810400000000225',
  director: 'Сидоров С. С.',
  accountant: 'Петрова А. В.',
  vatRate: 22,
}

export const nothingEntered: Supplier = {
  ...{ name: 'Default organization', inn: null, kpp: null, ogrn: null, address: null, phone: null, bankName: null },
  ...{
    bik: null,
    settlementAccount: null,
    correspondentAccount: null,
    director: null,
    accountant: null,
    vatRate: null,
  },
}

export const customer: Customer = {
  name: 'Ёлкина Жанна Щукинична',
  inn: null,
  kpp: null,
  contractNumber: '000123/А-77',
  contractDate: new Date('2024-03-05T10:00:00Z'),
  accountId: 42,
  address: 'г. Москва, ул. Садовая, д. 5, кв. 118',
}

const common = {
  supplier,
  customer,
  timeZone: 'Europe/Moscow',
  printedAt: new Date('2026-11-21T13:05:00Z'),
  operationId: 4512,
  number: '4512',
  // Already the first of November in Moscow.
  movedAt: new Date('2026-10-31T21:30:00Z'),
  isReversed: false,
}

export const anInvoice: Invoice = {
  ...common,
  kind: 'invoice',
  amount: rub('1202.05'),
  purpose: 'Абонентская плата по тарифу «Домашний 100», ноябрь 2026 г.',
  payUntil: null,
}

export const aReceipt: Receipt = {
  ...common,
  kind: 'receipt',
  title: 'Квитанция об оплате',
  amount: rub('600'),
  purpose: 'Оплата услуг связи по договору № 000123/А-77. Пополнение лицевого счёта',
  method: 'Оплата через платёжную систему (gwa)',
  externalId: '2e8b1c7f-000f-5000-9000-1b68e7b15f3f',
  fiscalReceipt: 'ФН 1110000100238211, ФД 133, ФПД 3449555941',
  takenBy: 'kuznetsova',
}

export function aBill(lines: number): Bill {
  return {
    ...common,
    kind: 'bill',
    month: '2026-11' as Month,
    opening: rub('-120.50'),
    lines: Array.from({ length: lines }, (_, at) => ({
      at: new Date(Date.UTC(2026, 10, 1 + (at % 28), 9)),
      number: String(4500 + at),
      text: at % 9 === 0 ? 'Оплата через платёжную систему' : 'Абонентская плата по тарифу «Домашний 100» за день',
      amount: rub(at % 9 === 0 ? '500' : '-20.12'),
      isReversed: at === 3,
    })),
    omitted: 0,
    charged: rub('1579.71'),
    received: rub('500'),
    closing: rub('-1200.21'),
    isPreliminary: true,
  }
}

export const aShift: ShiftReport = {
  kind: 'shift',
  supplier,
  timeZone: 'Europe/Moscow',
  printedAt: new Date('2026-11-21T17:05:00Z'),
  shiftId: 12,
  cashier: 'kuznetsova',
  openedAt: new Date('2026-11-21T06:00:00Z'),
  closedAt: new Date('2026-11-21T17:00:00Z'),
  lines: [
    {
      ...{ type: 'Касса', isCash: true, receivedCount: 14, received: rub('8400.50') },
      ...{ returnedCount: 1, returned: rub('600') },
    },
    { type: 'Касса', isCash: false, receivedCount: 3, received: rub('1800'), returnedCount: 0, returned: rub('0') },
  ],
  cash: {
    ...{ opening: rub('1000'), received: rub('8400.50'), returned: rub('600'), expected: rub('8800.50') },
    ...{ counted: rub('8790'), difference: rub('-10.50') },
  },
}

/**
 * What of a PDF can be known without a reader of PDF: its pages, its fonts, and that its parts lie where its table
 * says.
 */
export function readPdf(bytes: Buffer): { pages: number; fonts: string[]; embedded: number; glyphs: number } {
  const text = bytes.toString('latin1')
  if (!text.startsWith('%PDF-1.') || !text.trimEnd().endsWith('%%EOF')) throw new Error('This is no whole PDF.')
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1])
  const table = text.slice(tableAt)
  if (!table.startsWith('xref')) throw new Error('The table of objects is not where it should be.')
  for (const [, offset] of table.matchAll(/^(\d{10}) 00000 n/gm)) {
    if (!/^\d+ 0 obj/.test(text.slice(Number(offset), Number(offset) + 20))) throw new Error(`No object at ${offset}.`)
  }
  let glyphs = 0
  for (const match of text.matchAll(/\/Filter \/FlateDecode\s*>>\s*stream\r?\n/g)) {
    const from = match.index + match[0].length
    const content = inflateSync(bytes.subarray(from, text.indexOf('endstream', from))).toString('latin1')
    for (const [, shown] of content.matchAll(/<([0-9a-f]+)>/g)) if (/\bTJ\b/.test(content)) glyphs += shown!.length / 4
  }
  return {
    pages: [...text.matchAll(/\/Type \/Page\b(?!s)/g)].length,
    fonts: [...new Set([...text.matchAll(/\/BaseFont \/[A-Z]{6}\+([\w-]+)/g)].map(([, name]) => name!))].sort(),
    embedded: [...text.matchAll(/\/FontFile2 /g)].length,
    glyphs,
  }
}
