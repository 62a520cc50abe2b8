import type { PoolClient } from 'pg'
import type { Author } from '../../domain/author.ts'
import type { StaffId } from '../../domain/ids.ts'
import { formatRubles, type Money, minus, moneyFromUnits, moneyOrNull, plus, zero } from '../../domain/money.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import type { CashTotal } from '../../platform/storage/entities/payments.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { deskOperations, isCashSql } from './desk-sql.ts'

/** A shift of a cashier: from the moment they open their cash desk until they close it with a paper. */
export type Shift = {
  readonly id: number
  readonly staffId: number
  readonly cashier: string
  readonly openedAt: Date
  /** Null: it goes on. */
  readonly closedAt: Date | null
  /** In the drawer at the beginning. */
  readonly openingCash: Money
  /** Counted in the drawer at the end; null: not yet, or nobody has. */
  readonly countedCash: Money | null
  readonly totals: readonly Total[]
}

/** What was received and given back by one type of operation in one way. */
type Total = Omit<CashTotal, 'received' | 'returned'> & { readonly received: Money; readonly returned: Money }

/** The banknotes of a shift. */
export function cashOf({ openingCash, countedCash, totals }: Pick<Shift, 'openingCash' | 'countedCash' | 'totals'>) {
  const cash = totals.filter(({ way }) => way === 'cash')
  const received = cash.reduce((sum, one) => plus(sum, one.received), zero)
  const returned = cash.reduce((sum, one) => plus(sum, one.returned), zero)
  const expected = minus(plus(openingCash, received), returned)
  return { received, returned, expected, difference: countedCash === null ? null : minus(countedCash, expected) }
}

/** SQL: a shift as JSON, of the row `shift`; moments and money as text. */
export const shiftSql = `json_build_object('id', shift.id, 'staffId', shift.staff_id,
  'cashier', (SELECT username FROM staff WHERE staff.id = shift.staff_id), 'openedAt', shift.opened_at,
  'closedAt', shift.closed_at, 'openingCash', shift.opening_cash::text, 'countedCash', shift.counted_cash::text,
  'totals', shift.totals)`

/** As `shiftSql` writes it. */
export type ShiftJson = {
  readonly id: number
  readonly staffId: number
  readonly cashier: string
  readonly openedAt: string
  readonly closedAt: string | null
  readonly openingCash: string
  readonly countedCash: string | null
  /** Null while the shift goes on. */
  readonly totals: readonly CashTotal[] | null
}

export const shiftOf = ({ openedAt, closedAt, openingCash, countedCash, totals, ...shift }: ShiftJson): Shift => ({
  ...shift,
  openedAt: new Date(openedAt),
  closedAt: closedAt === null ? null : new Date(closedAt),
  openingCash: moneyFromUnits(openingCash),
  countedCash: moneyOrNull(countedCash),
  totals: (totals ?? []).map((total) => ({
    ...total,
    received: moneyFromUnits(total.received),
    returned: moneyFromUnits(total.returned),
  })),
})

/** Null: they have one open. */
export async function openShift(
  client: PoolClient,
  author: Author,
  openingCash: Money,
  at: Date,
): Promise<Shift | null> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO cash_shifts (staff_id, opening_cash, opened_at) VALUES ($1, $2, $3)
      ON CONFLICT (staff_id) WHERE closed_at IS NULL DO NOTHING RETURNING id`,
    [author.staffId, openingCash, at],
  )
  const id = rows[0]?.id
  if (id === undefined) return null
  const diff = { opening_cash: [null, formatRubles(openingCash)] } as const
  await writeAudit(client, { author, table: 'CASH_SHIFTS', id, action: 'create', diff, organizationId: null, at })
  return currentShift(client, author.staffId!)
}

/** The shift that goes on, with what was received so far, or until a moment; null: there is none. */
export async function currentShift(
  client: Client,
  staffId: StaffId,
  until: Date | 'infinity' = 'infinity',
): Promise<Shift | null> {
  const shift = await findOpen(client, staffId)
  return shift && shiftOf({ ...shift, totals: await totalsOf(client, openOperations, [staffId, shift.since, until]) })
}

/** With what was received so far where it goes on; null: there is no such shift. */
export async function findShift(client: Client, id: number): Promise<Shift | null> {
  const text = `SELECT ${shiftSql} AS shift FROM cash_shifts AS shift WHERE id = $1`
  const { rows } = await client.query<{ shift: ShiftJson }>(text, [id])
  const found = rows[0]?.shift
  if (!found) return null
  return found.closedAt === null ? currentShift(client, found.staffId as StaffId) : shiftOf(found)
}

/**
 * Closes the shift: what was received since it was opened becomes a part of it for good, and no other shift counts it.
 * A payment that is committed only after this belongs to the next one. Null: none is open.
 */
export async function closeShift(
  client: PoolClient,
  author: Author,
  countedCash: Money | null,
  at: Date,
): Promise<Shift | null> {
  const shift = await findOpen(client, author.staffId!, 'FOR UPDATE')
  if (!shift) return null
  await client.query(
    `INSERT INTO cash_shift_operations (op_id, shift_id) SELECT operation.op_id, $4::int8 FROM ${openOperations}`,
    [author.staffId, shift.since, at, shift.id],
  )
  const totals = await totalsOf(client, `${deskOperations} AND ${isTakenBy('$1')}`, [shift.id])
  const { rows } = await client.query<{ shift: ShiftJson }>(
    `UPDATE cash_shifts AS shift SET closed_at = $4, counted_cash = $2, totals = $3 WHERE id = $1
      RETURNING ${shiftSql} AS shift`,
    [shift.id, countedCash, JSON.stringify(totals), at],
  )
  const closed = shiftOf(rows[0]!.shift)
  const { expected } = cashOf(closed)
  const diff = {
    cash: [null, formatRubles(expected)],
    counted_cash: [null, countedCash && formatRubles(countedCash)],
  } as const
  const about = { table: 'CASH_SHIFTS', id: String(shift.id), action: 'change' } as const
  await writeAudit(client, { author, ...about, diff, organizationId: null, at })
  return closed
}

/** What staff $1 has received from $2 until $3 and no shift has counted yet. */
const openOperations = `${deskOperations} AND operation.owner_id = $1 AND operation.system_date >= $2::timestamptz
  AND operation.system_date <= $3::timestamptz   AND NOT EXISTS (SELECT FROM cash_shift_operations AS taken WHERE taken.op_id = operation.op_id)`

const isTakenBy = (shift: string) =>
  `operation.op_id IN (SELECT op_id FROM cash_shift_operations WHERE shift_id = ${shift})`

/**
 * Counted from the beginning of the shift before, so that what was received between the two, or committed just after
 * that one was closed, is counted too.
 */
async function findOpen(client: Client, staffId: StaffId, lock = ''): Promise<(ShiftJson & { since: string }) | null> {
  const { rows } = await client.query<{ shift: ShiftJson; since: string }>(
    `SELECT ${shiftSql} AS shift, coalesce((SELECT before.opened_at FROM cash_shifts AS before
          WHERE before.staff_id = shift.staff_id AND before.id < shift.id ORDER BY before.id DESC LIMIT 1),
        shift.opened_at)::text AS since
      FROM cash_shifts AS shift WHERE staff_id = $1 AND closed_at IS NULL ${lock}`,
    [staffId],
  )
  const [found] = rows
  return found ? { ...found.shift, since: found.since } : null
}

async function totalsOf(client: Client, from: string, values: readonly unknown[]): Promise<CashTotal[]> {
  const { rows } = await client.query<{ totals: CashTotal[] }>(
    `SELECT coalesce(json_agg(json_build_object('typeId', type_id, 'typeName', op_name, 'way', way,
        'receivedCount', received_count, 'received', received::text, 'returnedCount', returned_count,
        'returned', returned::text) ORDER BY way, type_id), '[]') AS totals
      FROM (SELECT type.type_id, type.op_name, CASE WHEN ${isCashSql} THEN 'cash' ELSE 'other' END AS way,
          count(*) FILTER (WHERE operation.op_summa > 0) AS received_count,
          coalesce(sum(operation.op_summa) FILTER (WHERE operation.op_summa > 0), 0) AS received,
          count(*) FILTER (WHERE operation.op_summa < 0) AS returned_count,
          coalesce(-sum(operation.op_summa) FILTER (WHERE operation.op_summa < 0), 0) AS returned
        FROM ${from} GROUP BY 1, 2, 3) AS total`,
    [...values],
  )
  return rows[0]!.totals
}
