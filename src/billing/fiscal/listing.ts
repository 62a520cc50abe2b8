import type { OrganizationId } from '../../domain/ids.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import { visibleSql } from '../../platform/staff/visible-organizations.ts'
import { toId, toIdOrNull } from '../../platform/storage/int8.ts'
import type { Client } from '../../platform/storage/sql.ts'

export const receiptStates = ['waiting', 'sent', 'refused', 'done'] as const

type ReceiptState = (typeof receiptStates)[number]

/** A receipt as it is shown to the operator. Amounts are in rubles. */
export type ShownReceipt = {
  readonly op_id: number
  readonly original_op_id: number | null
  readonly direction: string
  readonly state: ReceiptState
  readonly amount: string
  readonly contact: string
  readonly config: { readonly id: number; readonly name: string }
  readonly external_id: string
  readonly uuid: string | null
  readonly attempts: number
  /** Null: the receipt is done or refused. */
  readonly next_try: Date | null
  readonly error: string | null
  readonly result: unknown
  readonly staff: string | null
  readonly created_at: Date
  readonly done_at: Date | null
}

type Row = Omit<ShownReceipt, 'op_id' | 'original_op_id'> & { op_id: string; original_op_id: string | null }

export type ReceiptQuery = {
  /** Null: all states but `done`. */
  readonly state: ReceiptState | null
  readonly operationId: number | null
  readonly visible: readonly OrganizationId[] | null
  readonly page: number
  readonly perPage: number
}

/** One page of receipts, newest first, and whether there are more. */
export async function listReceipts(
  sql: Client,
  { state, operationId, visible, page, perPage }: ReceiptQuery,
): Promise<{ items: ShownReceipt[]; hasMore: boolean }> {
  const { rows } = await sql.query<Row>(
    `SELECT receipt.op_id, original_op_id, direction, state, amount, contact, external_id, uuid, attempts,
        json_build_object('id', config_id, 'name', config.name) AS config,
        CASE WHEN state IN ('waiting', 'sent') THEN due_at END AS next_try, error, result, staff.username AS staff, created_at, done_at
      FROM fiscal_receipts AS receipt JOIN fiscal_configs AS config ON config.id = config_id
        LEFT JOIN staff ON staff.id = staff_id
      WHERE CASE WHEN $1::text IS NULL THEN $2::int8 IS NOT NULL OR state <> 'done' ELSE state = $1 END
        AND ($2::int8 IS NULL OR receipt.op_id = $2) AND ${visibleSql('receipt.organization_id', '$3')}
      ORDER BY receipt.id DESC LIMIT $4 OFFSET $5`,
    [state, operationId, visible, perPage + 1, (page - 1) * perPage],
  )
  return { items: rows.slice(0, perPage).map(shownOf), hasMore: rows.length > perPage }
}

const shownOf = ({ op_id, original_op_id, amount, ...row }: Row): ShownReceipt => ({
  ...row,
  op_id: toId(op_id),
  original_op_id: toIdOrNull(original_op_id),
  amount: formatRubles(moneyFromUnits(amount)),
})
