import {
  addDays,
  type Day,
  dayOf,
  daysIn,
  firstDay,
  monthBefore,
  monthOf,
  numberOf,
  startOfDay,
} from '../../domain/calendar.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { moneyFromUnits } from '../../domain/money.ts'
import { withoutMarkers } from '../../domain/wording.ts'
import type { FinanceOperation, FinType } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { ClientParts } from './parts.ts'

/** `payments`: amounts above zero; `charges`: amounts below zero; `all`: every operation, those of zero included. */
export type HistoryKind = 'payments' | 'charges' | 'all'

export type HistoryQuery = {
  readonly kind: HistoryKind
  /** Days in TIME_ZONE, both included. Null: no bound. */
  readonly from: Day | null
  readonly to: Day | null
  /** Counted from 1. */
  readonly page: number
  readonly perPage: number
}

const signs = { payments: 'op_summa > 0', charges: 'op_summa < 0', all: 'true' } as const satisfies Record<
  HistoryKind,
  string
>

type Row = RowOf<typeof FinanceOperation, 'op_id' | 'op_date' | 'op_summa' | 'descr' | 'op_type_id' | 'storno'> &
  RowOf<typeof FinType, 'op_name'>

/** The operations of the subscriber's account, newest first. The page of an unknown subscriber is empty. */
export async function readHistory(
  { pool, settings }: Pick<ClientParts, 'pool' | 'settings'>,
  id: SubscriberId,
  { kind, from, to, page, perPage }: HistoryQuery,
) {
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
  return {
    items: rows.map(lineOf),
    page,
    perPage,
    total: Number(total),
    /** The sum over all pages, without what was reversed. */
    sum: moneyFromUnits(sum),
  }
}

export type HistoryPage = Readonly<Awaited<ReturnType<typeof readHistory>>>

const lineOf = (row: Row) => ({
  id: Number(row.op_id),
  date: row.op_date,
  amount: moneyFromUnits(row.op_summa),
  /** The description without the markers that are for the staff. */
  description: withoutMarkers(row.descr ?? '') || row.op_name,
  /** The name of the operation's type. */
  type: row.op_name,
  typeId: Number(row.op_type_id),
  /** The operation was reversed, or is itself a reversal. */
  storno: row.storno,
})

export const historyPeriods = ['month', '3month', 'year'] as const
export type HistoryPeriod = (typeof historyPeriods)[number]

/** The first day of a period that ends today: the same day one month, three months or a year ago. */
export function periodStart(period: HistoryPeriod, now: Date, zone: string): Day {
  const today = dayOf(now, zone)
  let month = monthOf(today)
  for (let back = { month: 1, '3month': 3, year: 12 }[period]; back > 0; back--) month = monthBefore(month)
  return addDays(firstDay(month), Math.min(numberOf(today), daysIn(month)) - 1)
}
