import { toId } from '../../platform/storage/int8.ts'
import type { Client } from '../../platform/storage/sql.ts'

/** Tax systems by the receiver's names (ФФД 1.05, tag 1055). */
export const taxSystems = ['osn', 'usn_income', 'usn_income_outcome', 'envd', 'esn', 'patent'] as const

/**
 * The VAT rates of a receipt line by the receiver's names (tag 1199): percent included in the amount, null for no VAT.
 */
export const vatRates = {
  none: null,
  vat0: 0,
  vat5: 5,
  vat7: 7,
  vat10: 10,
  vat20: 20,
  vat22: 22,
  vat105: 5,
  vat107: 7,
  vat110: 10,
  vat120: 20,
  vat122: 22,
} as const satisfies Record<string, number | null>

export type VatName = keyof typeof vatRates

/** The kind of payment (tag 1214) and what is paid for (tag 1212). */
export const paymentMethods = ['full_prepayment', 'prepayment', 'advance', 'full_payment'] as const
export const paymentObjects = ['service', 'payment', 'another'] as const

/** Which cash register prints an organization's receipts, and the details that are printed on them. */
export type FiscalConfiguration = {
  readonly id: number
  readonly name: string
  readonly inn: string
  readonly paymentAddress: string
  readonly companyEmail: string
  readonly taxSystem: string
  readonly vat: string
  readonly paymentMethod: string
  readonly paymentObject: string
}

const columns = `id, name, inn, payment_address AS "paymentAddress", company_email AS "companyEmail",
  tax_system AS "taxSystem", vat, payment_method AS "paymentMethod", payment_object AS "paymentObject"`

type Row = Omit<FiscalConfiguration, 'id'> & { id: string }

/**
 * The requested configuration of an organization, or its default one; it has to be enabled. Null: there is none. The
 * configuration of another organization is never used, because receipts name the company by its tax number.
 */
export async function chooseConfiguration(
  sql: Client,
  organizationId: number,
  requestedId: number | null,
): Promise<FiscalConfiguration | null> {
  const { rows } = await sql.query<Row>(
    `SELECT ${columns} FROM fiscal_configs
      WHERE organization_id = $1 AND enabled AND CASE WHEN $2::int8 IS NULL THEN is_default ELSE id = $2 END`,
    [organizationId, requestedId],
  )
  return rows[0] ? { ...rows[0], id: toId(rows[0].id) } : null
}
