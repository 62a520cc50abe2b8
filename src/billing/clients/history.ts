import { addDays, type Day, dayOf, startOfDay } from '../../domain/calendar.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { type Money, moneyFromUnits } from '../../domain/money.ts'
import type { FinType } from '../../platform/storage/entities/fin-type.ts'
import type { FinanceOperation } from '../../platform/storage/entities/finance-operation.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { ClientParts } from './parts.ts'

/** payments: what came in (amounts > 0); charges: what went out; all: both, and what moved nothing. */
export type HistoryKind = 'payments' | 'charges' | 'all'

export type HistoryWish = {
  readonly kind: HistoryKind
  /** Days of TIME_ZONE, both included; null: open. */
  readonly from: Day | null
  readonly to: Day | null
  /** From 1. */
  readonly page: number
  readonly perPage: number
}

export type HistoryLine = {
  readonly id: number
  readonly date: Date
  readonly amount: Money
  /** Without the marks that are for the office. */
  readonly description: string
  /** Name of the operation's type. */
  readonly type: string
  readonly typeId: number
  /** Reversed, or a reversal. */
  readonly storno: boolean
}

export type HistoryPage = {
  readonly items: readonly HistoryLine[]
  readonly page: number
  readonly perPage: number
  readonly total: number
  /** Of all pages; what was reversed does not count. */
  readonly sum: Money
}

const signs = { payments: 'op_summa > 0', charges: 'op_summa < 0', all: 'true' } as const satisfies Record<
  HistoryKind,
  string
>

type Row = RowOf<typeof FinanceOperation, 'op_id' | 'op_date' | 'op_summa' | 'descr' | 'op_type_id' | 'storno'> &
  RowOf<typeof FinType, 'op_name'>

/** `[txn:17]`, `[bank_op:5]`, `[legacy]`. */
const officeMark = /\s*\[(?:txn|bank_op|legacy)[^\]]*\]/g

/** The statement of the account that the subscriber is on, newest first. An unknown subscriber has an empty one. */
export async function readHistory(
  { pool, settings }: Pick<ClientParts, 'pool' | 'settings'>,
  id: SubscriberId,
  { kind, from, to, page, perPage }: HistoryWish,
): Promise<HistoryPage> {
  const zone = settings.get('TIME_ZONE')
  const where = `FROM finance_operations JOIN fin_types ON type_id = op_type_id
    WHERE account_id = (SELECT account_id FROM abonents WHERE id = $1) AND ${signs[kind]}
      AND op_date >= coalesce($2, '-infinity'::timestamptz) AND op_date < coalesce($3, 'infinity'::timestamptz)`
  const values = [id, from && startOfDay(from, zone), to && startOfDay(addDays(to, 1), zone)]
  const [{ rows }, counted] = await Promise.all([
    pool.query<Row>(
      `SELECT op_id, op_date, op_summa, descr, op_name, op_type_id, finance_operations.storno ${where}
        ORDER BY op_date DESC, op_id DESC LIMIT $4 OFFSET $5`,
      [...values, perPage, (page - 1) * perPage],
    ),
    pool.query<{ total: string; sum: string }>(
      `SELECT count(*) AS total, coalesce(sum(op_summa) FILTER (WHERE NOT finance_operations.storno), 0)::text AS sum ${where}`,
      values,
    ),
  ])
  const { total, sum } = counted.rows[0]!
  return { items: rows.map(lineOf), page, perPage, total: Number(total), sum: moneyFromUnits(sum) }
}

const lineOf = (row: Row): HistoryLine => ({
  id: Number(row.op_id),
  date: row.op_date,
  amount: moneyFromUnits(row.op_summa),
  description: (row.descr ?? '').replace(officeMark, '').trim() || row.op_name,
  type: row.op_name,
  typeId: Number(row.op_type_id),
  storno: row.storno,
})

export const historyPeriods = ['month', '3month', 'year'] as const
export type HistoryPeriod = (typeof historyPeriods)[number]

/** The first day of a period that ends today: a month, three, or a year back, to the same day. */
export function periodStart(period: HistoryPeriod, now: Date, zone: string): Day {
  const today = dayOf(now, zone)
  const months = { month: 1, '3month': 3, year: 12 }[period]
  const [year, month, day] = today.split('-').map(Number) as [number, number, number]
  const first = new Date(Date.UTC(year, month - 1 - months, 1))
  const lastNumber = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(day, lastNumber))
  return first.toISOString().slice(0, 10) as Day
}
