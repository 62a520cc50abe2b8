// needs pdftotext from poppler-utils
// needs pdftoppm from poppler-utils
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { PrintedDocument } from '../../src/billing/documents/document.ts'
import { Printer } from '../../src/billing/documents/printer.ts'
import { aBill, anInvoice, aReceipt, aShift, customer } from '../support/documents.ts'

/** What another program reads in our papers. */
const folder = mkdtempSync(join(tmpdir(), 'tollgate-papers-'))
const printer = new Printer()
t.teardown(async () => {
  await printer.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function printed(name: string, paper: PrintedDocument): Promise<string> {
  const file = join(folder, `${name}.pdf`)
  writeFileSync(file, await printer.draw(paper))
  return file
}

/** As a person reads it: runs of spaces, breakable or not, are one. */
const textOf = (file: string): string =>
  execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' }).replace(/[^\S\f]+/g, ' ')

t.test('an invoice reads as one, Cyrillic and all', async (t) => {
  const text = textOf(await printed('invoice', anInvoice))
  const expected = [
    'Счёт на оплату № 4512 от 1 ноября 2026 г.',
    'БИК 044525225',
    '40702810938000012345',
    '30101810400000000225',
    'ООО «Северные сети», ИНН 7701234567, КПП 770101001',
    'Ёлкина Жанна Щукинична',
    'Договор: № 000123/А-77 от 05.03.2024',
    'Адрес: г. Москва, ул. Садовая, д. 5, кв. 118',
    'Абонентская плата по тарифу',
    'Всего к оплате: 1 202,05',
    'В том числе НДС 22 %: 216,76',
    'Одна тысяча двести два рубля 05 копеек',
    'Руководитель',
    '(Петрова А. В.)',
    'Страница 1 из 1',
  ]
  for (const words of expected) t.ok(text.includes(words), words)
})

t.test('the paper of a shift says what was taken and what is in the drawer', async (t) => {
  const text = textOf(await printed('shift', aShift))
  const expected = [
    'Отчёт по кассовой смене № 12',
    'Кассир: kuznetsova',
    'Смена открыта: 21.11.2026 09:00',
    'Смена закрыта: 21.11.2026 20:00',
    'Касса Наличные 14 8 400,50 1 600,00',
    'Касса Безналичные 3 1 800,00 0 0,00',
    'Должно быть в кассе: 8 800,50',
    'Пересчитано кассиром: 8 790,00',
    'Излишек (недостача с минусом): −10,50',
  ]
  for (const words of expected) t.ok(text.includes(words), words)
  t.match(textOf(await printed('going-on', { ...aShift, closedAt: null })), /Промежуточный: смена не закрыта/)
})

t.test('a receipt reads as one, and one that was reversed says so', async (t) => {
  const text = textOf(await printed('receipt', aReceipt))
  const expected = [
    'Квитанция об оплате № 4512 от 1 ноября 2026 г.',
    'Плательщик: Ёлкина Жанна Щукинична',
    'Операция: № 4512 от 01.11.2026 00:30',
    'Номер платежа: 2e8b1c7f-000f-5000-9000-1b68e7b15f3f',
    'Кассовый чек: ФН 1110000100238211, ФД 133, ФПД 3449555941',
    'Принято: 600,00 руб.',
    'Прописью: Шестьсот рублей 00 копеек',
  ]
  for (const words of expected) t.ok(text.includes(words), words)
  t.notMatch(text, /СТОРНИРОВАНО/)
  t.match(textOf(await printed('reversed', { ...aReceipt, isReversed: true })), /СТОРНИРОВАНО/)
})

t.test('a bill has every line, its head on every page, and its sums together at the end', async (t) => {
  const pages = textOf(await printed('bill', aBill(150)))
    .split('\f')
    .filter((page) => page.trim() !== '')
  t.ok(pages.length > 3)
  for (const [at, page] of pages.entries()) {
    t.ok(page.includes(`Страница ${at + 1} из ${pages.length}`))
    if (/\d{2}\.11\.2026 45\d\d/.test(page)) t.match(page, /Дата\s+Документ\s+Операция\s+Начислено\s+Поступило/)
  }
  const text = pages.join('\n')
  for (let number = 4500; number < 4650; number++) if (!text.includes(` ${number} `)) t.fail(`${number} is missing`)
  const last = pages.at(-1)!
  for (const words of ['Баланс на конец месяца: −1 200,21', 'К оплате: 1 200,21', 'Руководитель'])
    t.ok(last.includes(words), words)
  t.match(text, /Счёт за ноябрь 2026 г\./)
})

t.test('long names wrap and nothing leaves the page', async (t) => {
  const name = `Муниципальное бюджетное общеобразовательное учреждение ${'«Длинное название» '.repeat(20)}конец`
  const file = await printed('long', { ...anInvoice, purpose: name, customer: { ...customer, name, address: name } })
  const text = textOf(file)
  t.equal(text.match(/конец/g)?.length, 2, 'both are there to the end; a cell of the table is cut')
  const boxes = execFileSync('pdftotext', ['-bbox', file, '-'], { encoding: 'utf8' })
  for (const [, x] of boxes.matchAll(/xMax="([\d.]+)"/g)) t.ok(Number(x) < 595 - 30, 'within the margin')
})

t.test('every page is drawn', async (t) => {
  for (const name of ['invoice', 'receipt', 'bill']) {
    const out = execFileSync('pdftoppm', ['-r', '40', '-png', join(folder, `${name}.pdf`), join(folder, name)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.equal(out.length, 0)
    for (const page of readdirSync(folder).filter((file) => file.startsWith(`${name}-`)))
      t.ok(readFileSync(join(folder, page)).length > 2_000, `${page} is not blank`)
  }
})
