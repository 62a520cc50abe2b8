import { sourceSql } from '../../../billing/accounts/operation-source.ts'
import type { OperationSource } from '../../../domain/operation-source.ts'
import { type SheetColumn, serialDaySql, workbook, xlsxType } from '../../../platform/formats/xlsx.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { csvStream } from '../../../platform/http/downloads.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import type { LongQuery } from '../../../platform/storage/transactions.ts'
import { type Cells, csvLines, type FileExports, hasDecimalComma } from '../file-exports.ts'
import { type OperationFilters, readFilters } from './filters.ts'

type Column = SheetColumn & {
  /** Over `operation` and the tables joined to it, as text; of a moment what CSV shows. */
  readonly sql: string
  readonly shown?: (value: string) => string
}

export const sourceNames = {
  gwa: 'Шлюз A',
  gwb: 'Шлюз B',
  bank: 'Банковская выписка',
  legacy: 'Перенос из прежней системы',
  promise: 'Обещанный платёж',
  manual: 'Ручной ввод',
  monthly: 'Ежемесячное начисление',
  tariff_change: 'Смена тарифа',
  other: 'Прочее',
} as const satisfies Record<OperationSource, string>

const text = (title: string, sql: string, width: number): Column => ({ title, kind: 'text', sql, width })
const whole = (title: string, column: string): Column => ({ title, kind: 'whole', sql: `${column}::text`, width: 11 })
const amount = (title: string, column: string): Column => ({ title, kind: 'amount', sql: rublesSql(column), width: 14 })
const moment = (title: string, sql: string): Column => ({ title, kind: 'moment', sql, width: 19 })
const flag = (title: string, column: string): Column => text(title, `CASE WHEN ${column} THEN 'да' END`, 10)

const columns: readonly Column[] = [
  whole('Операция', 'operation.op_id'),
  moment('Дата', 'operation.op_date'),
  moment('Записана', 'operation.system_date'),
  amount('Сумма', 'operation.op_summa'),
  text('Тип', 'type.op_name', 28),
  {
    ...text('Источник', sourceSql('operation'), 24),
    shown: (source) => sourceNames[source as OperationSource],
  },
  text('Договор', 'client.contract_number', 14),
  text('Абонент', 'client.name', 32),
  whole('Лицевой счёт', 'operation.account_id'),
  amount('Баланс до', 'operation.aa_ostatok'),
  text('Описание', 'operation.descr', 44),
  text('Документ', 'operation.number', 14),
  text('Услуга', 'service.name', 24),
  text('Оператор платежа', 'operation.operator_name', 18),
  text('Номер у оператора', 'operation.operator_pay_id_str', 22),
  text('Код 1С', 'operation.code1c', 14),
  flag('Наличные', 'operation.is_cash'),
  flag('Чек', 'operation.kkm_printed'),
  flag('Сторно', 'operation.storno'),
  text('Провёл', 'author.username', 16),
  text('Организация', 'place.name', 24),
]

/** The formats of a report, and how each writes a moment. */
const formats = {
  csv: (column: string): string => `to_char(${column}, 'YYYY-MM-DD HH24:MI:SS')`,
  xlsx: serialDaySql,
} as const

export type ReportFormat = keyof typeof formats

export const isReportFormat = (format: string): format is ReportFormat => Object.hasOwn(formats, format)

/** Operations as a file to download. `name` is that of the file, without its ending. */
export function makeReport(
  exports: FileExports,
  call: Call,
  { name, format, onlyDocuments }: { name: string; format: ReportFormat; onlyDocuments?: boolean },
): Reply {
  const filters = readFilters(call.query, visibleTo(call), { onlyDocuments })
  if ('refused' in filters) return filters.refused
  const withComma = hasDecimalComma(call)
  if (typeof withComma === 'object') return withComma.refused
  // The query starts when the first piece is asked for, so a HEAD costs nothing.
  const batches = withShown(exports.batches(queryOf(filters, format)))
  if (format === 'csv') return csvStream(`${name}.csv`, csvLines(columns, batches, withComma))
  return {
    status: 200,
    headers: [['Content-Disposition', `attachment; filename="${name}.xlsx"`]],
    contentType: xlsxType,
    body: xlsxPieces(batches),
  }
}

function queryOf({ conditions, values }: OperationFilters, format: ReportFormat): LongQuery {
  const cells = columns.map(({ kind, sql }) => (kind === 'moment' ? formats[format](sql) : sql))
  return {
    text: `SELECT ${cells.join(', ')} FROM finance_operations AS operation
        JOIN fin_types AS type ON type.type_id = operation.op_type_id
        LEFT JOIN abonents AS client ON client.id = operation.abonent_id
        LEFT JOIN uslugas AS service ON service.id = operation.usluga_id
        LEFT JOIN staff AS author ON author.id = operation.owner_id
        LEFT JOIN organizations AS place ON place.id = operation.organization_id
      WHERE ${conditions} ORDER BY operation.op_date DESC, operation.op_id DESC`,
    values,
  }
}

const shownColumns = [...columns.entries()].filter(([, { shown }]) => shown)

async function* withShown(batches: AsyncIterable<Cells[]>): AsyncGenerator<Cells[], void, undefined> {
  for await (const batch of batches) {
    for (const row of batch) for (const [at, { shown }] of shownColumns) row[at] = shown!(row[at]!)
    yield batch
  }
}

async function* xlsxPieces(batches: AsyncGenerator<Cells[], void>): AsyncGenerator<Uint8Array> {
  // The first batch comes before the first byte, so that what fails at once is an ordinary error.
  const first = await batches.next()
  yield* workbook('Операции', columns, withFirst(first, batches))
}

/**
 * Puts the first batch back before the rest. This is not a generator, because `return` of a generator that was never
 * started does not reach its source.
 */
const withFirst = <Item>(first: IteratorResult<Item, void>, rest: AsyncGenerator<Item, void>): AsyncIterator<Item> => {
  let waiting: IteratorResult<Item, void> | null = first
  return {
    next: async () => {
      const now = waiting
      waiting = null
      return now ?? rest.next()
    },
    return: () => rest.return(),
  }
}
