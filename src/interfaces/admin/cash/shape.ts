import Type from 'typebox'
import { cashOf, type Shift, shiftSql } from '../../../billing/cash/shifts.ts'
import { formatRubles } from '../../../domain/money.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import type { SortedList } from '../sorted-lists.ts'

const { integer, text, moment, rubles } = schemas

/** A shift as the endpoints tell it. */
export const shiftSchema = Type.Object({
  id: integer,
  staff_id: integer,
  staff_name: text,
  opened_at: moment,
  closed_at: nullable(moment),
  totals: Type.Array(
    Type.Object({
      type_id: integer,
      type_name: text,
      way: Type.Enum(['cash', 'other']),
      received_count: integer,
      received: rubles,
      returned_count: integer,
      returned: rubles,
    }),
  ),
  opening_cash: Type.With(rubles, { description: 'In the drawer at the beginning' }),
  cash_received: rubles,
  cash_returned: rubles,
  cash_expected: Type.With(rubles, { description: 'What should be in the drawer' }),
  counted_cash: Type.With(nullable(rubles), { description: 'In the drawer at the end, as counted' }),
  difference: Type.With(nullable(rubles), { description: 'counted_cash less cash_expected' }),
})

export function shown(shift: Shift) {
  const { received, returned, expected, difference } = cashOf(shift)
  return {
    id: shift.id,
    staff_id: shift.staffId,
    staff_name: shift.cashier,
    opened_at: shift.openedAt,
    closed_at: shift.closedAt,
    totals: shift.totals.map((total) => ({
      type_id: total.typeId,
      type_name: total.typeName,
      way: total.way,
      received_count: total.receivedCount,
      received: formatRubles(total.received),
      returned_count: total.returnedCount,
      returned: formatRubles(total.returned),
    })),
    opening_cash: formatRubles(shift.openingCash),
    cash_received: formatRubles(received),
    cash_returned: formatRubles(returned),
    cash_expected: formatRubles(expected),
    counted_cash: shift.countedCash === null ? null : formatRubles(shift.countedCash),
    difference: difference === null ? null : formatRubles(difference),
  }
}

export const shiftList: SortedList = {
  table: 'cash_shifts',
  row: 'shift',
  item: () => shiftSql,
  sorts: { opened: ['shift.id', 'int8'] },
}
