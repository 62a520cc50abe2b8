import type { Split } from '../../../billing/reports/sums.ts'
import type { OperationSource } from '../../../domain/operation-source.ts'
import { catalogue, type Language } from '../../../domain/language.ts'
import { csvLine } from '../../../platform/formats/csv.ts'
import { type SheetColumn, workbook, xlsxType } from '../../../platform/formats/xlsx.ts'
import type { Reply } from '../../../platform/http/call.ts'
import { csvFile } from '../../../platform/http/downloads.ts'
import { type Cells, csvRow } from '../file-exports.ts'
import { sourceNames } from '../finops/report.ts'
import type { Debts } from './debts.ts'
import type { Movements } from './movements.ts'
import type { SubscribersReport } from './subscribers.ts'

export const fileFormats = ['csv', 'xlsx'] as const
export type FileFormat = (typeof fileFormats)[number]

const texts = catalogue({
  ru: {
    by: {
      ...{ type: 'Тип', day: 'День', month: 'Месяц', channel: 'Канал', cashier: 'Кассир', tariff: 'Тариф' },
      organization: 'Организация',
    },
    channels: sourceNames,
    ...{ automatic: 'Автоматически', noTariff: 'Без тарифа', total: 'Итого', gone: 'нет записи' },
    ...{ operations: 'Операций', income: 'Приход', expense: 'Расход', net: 'Сальдо' },
    ...{ age: 'Давность, дней', accounts: 'Счетов', debt: 'Долг', departedAccounts: 'Из них удалённых абонентов' },
    ...{ departedDebt: 'Долг удалённых', month: 'Месяц', began: 'Абонентов на начало', came: 'Новые', left: 'Ушли' },
    ...{ ended: 'На конец', charged: 'Начислено', received: 'Получено', chargedEach: 'Начислено на абонента' },
    ...{ receivedEach: 'Получено на абонента', over: (days: number) => `${days} и больше` },
  },
  en: {
    by: {
      ...{ type: 'Type', day: 'Day', month: 'Month', channel: 'Channel', cashier: 'Cashier', tariff: 'Tariff' },
      organization: 'Organization',
    },
    channels: {
      ...{ gwa: 'Gateway A', gwb: 'Gateway B', bank: 'Bank statement', legacy: 'From the former system' },
      ...{ promise: 'Promise payment', manual: 'By hand', monthly: 'Monthly charge' },
      ...{ tariff_change: 'Change of tariff', other: 'Other' },
    },
    ...{ automatic: 'Automatic', noTariff: 'No tariff', total: 'Total', gone: 'no record' },
    ...{ operations: 'Operations', income: 'Income', expense: 'Expense', net: 'Net' },
    ...{ age: 'Age in days', accounts: 'Accounts', debt: 'Debt', departedAccounts: 'Of deleted subscribers' },
    ...{ departedDebt: 'Debt of deleted', month: 'Month', began: 'Subscribers at first', came: 'New', left: 'Lost' },
    ...{ ended: 'At the end', charged: 'Charged', received: 'Received', chargedEach: 'Charged a subscriber' },
    ...{ receivedEach: 'Received a subscriber', over: (days: number) => `${days} and more` },
  },
} satisfies Record<Language, { channels: Record<OperationSource, string>; by: Record<Split, string> }>)

/** A table whose cells are text or decimal numbers with a point. */
type Table = { readonly columns: readonly SheetColumn[]; readonly rows: readonly Cells[] }

const word = (title: string, width = 28): SheetColumn => ({ title, kind: 'text', width })
const number = (title: string): SheetColumn => ({ title, kind: 'whole', width: 12 })
const amount = (title: string): SheetColumn => ({ title, kind: 'amount', width: 16 })

export function movementsTable(report: Movements, language: Language): Table {
  const t = texts[language]
  const nameIn = (split: Split, { key, name }: { key: string; name: string | null }): string => {
    if (split === 'channel') return t.channels[key as OperationSource]
    if (split === 'day' || split === 'month') return key
    if (key === '0') return split === 'cashier' ? t.automatic : t.noTariff
    return name ?? `${key} (${t.gone})`
  }
  const sums = (row: Movements['totals']) => [String(row.operations), row.income, row.expense, row.net]
  const { by, across } = report
  return {
    columns: [
      word(t.by[by]),
      ...[number(t.operations), amount(t.income), amount(t.expense), amount(t.net)],
      ...report.columns.map((column) => amount(nameIn(across!, column))),
    ],
    rows: [
      ...report.items.map((row) => [nameIn(by, row), ...sums(row), ...row.cells]),
      [t.total, ...sums(report.totals), ...report.columns.map(({ net }) => net)],
    ],
  }
}

export function debtsTable({ items, totals }: Debts, language: Language): Table {
  const t = texts[language]
  const cells = (row: Debts['totals']) => [
    ...[String(row.accounts), row.debt, String(row.departed_accounts), row.departed_debt],
  ]
  return {
    columns: [word(t.age), number(t.accounts), amount(t.debt), number(t.departedAccounts), amount(t.departedDebt)],
    rows: [
      ...items.map((row) => [
        row.to_days === null ? t.over(row.from_days) : `${row.from_days}–${row.to_days}`,
        ...cells(row),
      ]),
      [t.total, ...cells(totals)],
    ],
  }
}

export function subscribersTable({ items, totals }: SubscribersReport, language: Language): Table {
  const t = texts[language]
  return {
    columns: [
      ...[word(t.month, 12), number(t.began), number(t.came), number(t.left), number(t.ended)],
      ...[amount(t.charged), amount(t.received), amount(t.chargedEach), amount(t.receivedEach)],
    ],
    rows: [
      ...items.map((row) => [
        ...[row.month, String(row.began), String(row.came), String(row.left), String(row.ended)],
        ...[row.charged, row.received, row.charged_each, row.received_each],
      ]),
      [t.total, null, String(totals.came), String(totals.left), null, totals.charged, totals.received, null, null],
    ],
  }
}

/** A table as a file to download; CSV has a decimal comma in Russian. `name` is that of the file without its ending. */
export function fileOf(name: string, format: FileFormat, language: Language, { columns, rows }: Table): Reply {
  if (format === 'csv') {
    const lines = rows.map((row) => csvRow(columns, row, language === 'ru'))
    return csvFile(`${name}.csv`, Buffer.from(csvLine(columns.map(({ title }) => title)) + lines.join('')))
  }
  return {
    status: 200,
    headers: [['Content-Disposition', `attachment; filename="${name}.xlsx"`]],
    contentType: xlsxType,
    body: sheetOf(name, columns, rows),
  }
}

async function* sheetOf(name: string, columns: Table['columns'], rows: Table['rows']): AsyncGenerator<Uint8Array> {
  yield* workbook(name, columns, batchOf(rows))
}

async function* batchOf(rows: Table['rows']): AsyncGenerator<Table['rows']> {
  yield rows
}
