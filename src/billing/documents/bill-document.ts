import { firstDay, type Month, nextMonth, startOfDay } from '../../domain/calendar.ts'
import type { OrganizationId } from '../../domain/ids.ts'
import { type Money, moneyFromUnits, negated, plus } from '../../domain/money.ts'
import { visibleSql } from '../../platform/staff/visible-organizations.ts'
import type { FinanceOperation } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { joinCompany, partiesOf, type PartyRow, partyColumns } from './customers.ts'
import type { Bill, BillLine } from './document.ts'
import { type DescribedRow, operationInWords } from './operation-words.ts'

/**
 * `bill-<contract number or subscriber id>-<YYYY-MM>.pdf`. No such file exists: the bill is drawn when it is requested.
 */
const nameForm = /^bill-([\p{L}\p{N}][\p{L}\p{N}._ -]{0,99})-((?!0000)\d{4}-(?:0[1-9]|1[0-2]))\.pdf$/u

export function readBillName(name: string): { contract: string; month: Month } | null {
  const [, contract, month] = nameForm.exec(name) ?? []
  return contract && month ? { contract, month: month as Month } : null
}

/** A bill lists at most this many operations. Its sums include the others too. */
const linesMax = 2_000

export type BillQuery = {
  readonly contract: string
  /** Whose it must be; null: that of whom the name is found to mean. */
  readonly abonent: number | null
  readonly month: Month
  readonly visible: readonly OrganizationId[] | null
  readonly timeZone: string
  readonly now: Date
}

/** A contract number takes precedence over an id that looks the same, and an active subscriber over a deleted one. */
const subscriberStatement = `SELECT abonents.id, ${partyColumns}
  FROM abonents ${joinCompany('abonents.organization_id')}
  WHERE (contract_number = $1 OR abonents.id::text = $1) AND ($3::int8 IS NULL OR abonents.id = $3)
    AND ${visibleSql('abonents.organization_id', '$2')}
  ORDER BY contract_number = $1 DESC, deleted, abonents.id DESC LIMIT 1`

type SubscriberRow = PartyRow & { id: string }

/**
 * The opening balance is calculated back from the current balance, so that the bills of consecutive months agree, and
 * operations that were removed from the history still count, as they do in the account.
 */
const sumsStatement = `SELECT account.ostatok - coalesce(sum(op.op_summa), 0) AS opening,
    coalesce(sum(op.op_summa) FILTER (WHERE op.op_date < $3 AND op.op_summa < 0), 0) AS charged,
    coalesce(sum(op.op_summa) FILTER (WHERE op.op_date < $3 AND op.op_summa > 0), 0) AS received,
    count(op.op_id) FILTER (WHERE op.op_date < $3 AND (op.op_summa <> 0 OR op.isbuhdoc)) AS lines
  FROM admin_accounts AS account LEFT JOIN finance_operations AS op ON op.account_id = account.id AND op.op_date >= $2
  WHERE account.id = $1 GROUP BY account.id`

type SumsRow = { opening: string; charged: string; received: string; lines: string }

const linesStatement = `SELECT op.op_id, op.op_date, op.op_summa, op.op_type_id, type.op_name, op.number, op.descr, op.storno,
    op.usluga_id, uslugas.name AS usluga_name
  FROM finance_operations AS op JOIN fin_types AS type ON type.type_id = op.op_type_id
    LEFT JOIN uslugas ON uslugas.id = op.usluga_id
  WHERE op.account_id = $1 AND op.op_date >= $2 AND op.op_date < $3 AND (op.op_summa <> 0 OR op.isbuhdoc)
  ORDER BY op.op_date, op.op_id LIMIT ${linesMax}`

type LineRow = DescribedRow & RowOf<typeof FinanceOperation, 'op_id' | 'op_date' | 'op_summa' | 'number' | 'storno'>

/**
 * The bill of a subscriber for a month. Null: no such subscriber is visible, or the month has not begun. `sql` has to
 * read within one snapshot, so that the sums match the lines.
 */
export async function findBill(sql: Client, query: BillQuery): Promise<Bill | null> {
  const { contract, abonent, month, visible, timeZone, now } = query
  const from = startOfDay(firstDay(month), timeZone)
  if (from > now) return null
  const to = startOfDay(firstDay(nextMonth(month)), timeZone)
  const { rows } = await sql.query<SubscriberRow>(subscriberStatement, [contract, visible, abonent])
  const [subscriber] = rows
  if (!subscriber) return null
  const account = subscriber.customer.accountId
  const { rows: sums } = await sql.query<SumsRow>(sumsStatement, [account, from, to])
  const { opening, charged, received, lines } = sums[0]!
  const { rows: found } = await sql.query<LineRow>(linesStatement, [account, from, to])
  const [before, down, up] = [opening, charged, received].map((sum) => moneyFromUnits(sum)) as [Money, Money, Money]
  return {
    kind: 'bill',
    ...partiesOf(subscriber),
    timeZone,
    printedAt: now,
    month,
    opening: before,
    lines: found.map(lineOf),
    omitted: Number(lines) - found.length,
    charged: negated(down),
    received: up,
    closing: plus(before, plus(down, up)),
    isPreliminary: to > now,
  }
}

const lineOf = (row: LineRow): BillLine => ({
  at: row.op_date,
  number: row.number || row.op_id,
  text: operationInWords(row),
  amount: moneyFromUnits(row.op_summa),
  isReversed: row.storno,
})
