// needs soffice from libreoffice-calc
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { type SheetRow, workbook } from '../../src/platform/formats/xlsx.ts'
import { openOffice } from '../interfaces/admin-office.ts'
import { fetch } from '../support/published.ts'

/** What LibreOffice makes of the reports: it opens them and writes every sheet as CSV of its own. */
const folder = mkdtempSync(join(tmpdir(), 'tollgate-soffice-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** Semicolon, quote, UTF-8, from line 1; values as they are shown; every sheet. */
const outFilter = 'csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,true,false,false,-1'

async function opened(name: string, bytes: Buffer, inFilter?: string): Promise<Map<string, string[][]>> {
  const [source, target] = [join(folder, name), mkdtempSync(join(folder, 'out-'))]
  writeFileSync(source, bytes)
  const options = [`-env:UserInstallation=file://${folder}/profile`, '--headless', '--norestore']
  const given = inFilter === undefined ? [] : [`--infilter=${inFilter}`]
  await promisify(execFile)('soffice', [...options, ...given, '--convert-to', outFilter, '--outdir', target, source], {
    timeout: 240_000,
  })
  return new Map(readdirSync(target).map((file) => [file, parsed(readFileSync(join(target, file), 'utf8'))]))
}

/** Lines of cells. */
function parsed(text: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of text
    .replace(/^\ufeff/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^;\r\n]*))(;|\r?\n|$)/g)) {
    lines.at(-1)!.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (end !== ';') lines.push([])
  }
  return lines.filter((line) => line.some((cell) => cell !== ''))
}

const office = await openOffice(t)
const root = await office.staff('root')
const name = 'Ёлкин «Пётр» & сыновья <№ 7>'
const { body: client } = await root.post('/rest_api/v2/Abonents/', {
  ...{ name, contract_number: '000101', create_date: '2026-01-01' },
})
const texts = ['Оплата; наличные', '=1+2', '"в кавычках"', 'две\nстроки', '€ 😀 _x0041_', '@SUM(A1)']
for (const [at, descr] of texts.entries()) {
  const type = at % 2 === 0 ? 7 : 9
  const { status } = await root.post('/admin/Abonents/finops_crud/', {
    ...{ abonent_id: client.id, op_type_id: type, amount: `${at + 1}234.05`, descr },
    op_date: `2026-03-0${at + 1}T23:59:58+03:00`,
  })
  if (status !== 200) throw new Error(`A posting was answered ${status}.`)
}
const bytesOf = async (format: string): Promise<Buffer> => {
  const response = await fetch(`${office.base}/admin/reports/PayLog/?format=${format}`, {
    headers: { ...root.headers },
  })
  return Buffer.from(await response.arrayBuffer())
}

t.test('the XLSX opens: Cyrillic is whole, dates and amounts are typed, formulas are words', async (t) => {
  const sheets = await opened('paylog.xlsx', await bytesOf('xlsx'))
  const [[, lines] = ['', []]] = [...sheets]
  t.equal(sheets.size, 1)
  const [titles, ...rows] = lines as [string[], ...string[][]]
  const cells = rows.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at]])))
  t.same(
    cells.map((row) => row.Описание),
    texts.toReversed(),
  )
  t.same(
    cells.map((row) => row.Дата),
    texts.map((_, at) => `0${at + 1}.03.2026 23:59:58`).toReversed(),
    'shown by the format of the column, so they are dates',
  )
  t.same(
    cells.map((row) => row.Сумма),
    texts.map((_, at) => `${at % 2 === 0 ? '' : '-'}${at + 1},234.05`).toReversed(),
    'with the thousands of a number format',
  )
  for (const row of cells) t.match(row, { Абонент: name, Договор: '000101', Источник: 'Ручной ввод' })
})

t.test('the CSV opens: the same words, and no formula runs', async (t) => {
  const sheets = await opened('paylog.csv', await bytesOf('csv'), 'CSV:59,34,76,1')
  const [[, lines] = ['', []]] = [...sheets]
  const [titles, ...rows] = lines as [string[], ...string[][]]
  const words = rows.map((row) => row[titles.indexOf('Описание')])
  // LibreOffice keeps the apostrophe that Excel hides.
  t.same(
    words.map((word) => word?.replace(/^'(?=[=@])/, '')),
    texts.toReversed(),
  )
  for (const row of rows) t.equal(row[titles.indexOf('Абонент')], name)
})

t.test('a workbook of several sheets opens', async (t) => {
  async function* batches(): AsyncGenerator<SheetRow[]> {
    for (let n = 0; n < 10; n++) yield [[String(n), `строка ${n}`]]
  }
  const columns = [
    { title: 'Номер', kind: 'whole', width: 10 },
    { title: 'Слово', kind: 'text', width: 20 },
  ] as const
  const pieces: Buffer[] = []
  for await (const piece of workbook('Лист', columns, batches(), { rowsMax: 5 })) pieces.push(piece)
  const sheets = await opened('several.xlsx', Buffer.concat(pieces))
  t.equal(sheets.size, 3)
  const found = [...sheets.values()].flatMap((lines) => lines.slice(1)).sort(([a], [b]) => Number(a) - Number(b))
  t.same(
    found,
    Array.from({ length: 10 }, (_, n) => [String(n), `строка ${n}`]),
  )
})
