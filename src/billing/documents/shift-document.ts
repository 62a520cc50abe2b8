import { defaultOrganization } from '../../domain/ids.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { cashOf, type Shift } from '../cash/shifts.ts'
import { supplierColumn } from './customers.ts'
import type { ShiftReport, Supplier } from './document.ts'

/** The paper of a shift, of the first organization that its cashier works for. */
export async function findShiftReport(
  client: Client,
  shift: Shift,
  { timeZone, now }: { timeZone: string; now: Date },
): Promise<ShiftReport> {
  const { rows } = await client.query<{ supplier: Supplier }>(
    `SELECT ${supplierColumn} FROM organizations AS company WHERE company.id = coalesce(
      (SELECT min(organization_id) FROM staff_organizations WHERE staff_id = $1::int8), ${defaultOrganization})`,
    [shift.staffId],
  )
  const { received, returned, expected, difference } = cashOf(shift)
  const { id, cashier, openedAt, closedAt, openingCash, countedCash, totals } = shift
  return {
    kind: 'shift',
    supplier: rows[0]!.supplier,
    timeZone,
    printedAt: now,
    shiftId: id,
    cashier,
    openedAt,
    closedAt,
    lines: totals.map(({ typeName, way, ...line }) => ({ ...line, type: typeName, isCash: way === 'cash' })),
    cash: { opening: openingCash, received, returned, expected, counted: countedCash, difference },
  }
}
