import type { Answer } from '../../api/client.ts'
import type { reversalTexts } from './texts.ts'

export type Detail = Answer<'GET /admin/Abonents/finops_detail/{op_id}/'>
type Texts = (typeof reversalTexts)['ru']

/** The types whose reversal means more than their amount (docs/decisions/026). */
const types = { monthlyService: 3, promise: 31, tariffCharge: 32, recalculation: 41 } as const

/** What follows from the reversal of an operation, sentence by sentence. */
export function meaningOf({ operation, gateway_payment: payment }: Detail, t: Texts): readonly string[] {
  const { amount, op_type: type, source, kkm_printed: isPrinted } = operation
  const sum = Number(amount)
  if (sum === 0) return [t.nothing]
  if (sum < 0) return [type === types.monthlyService || type === types.tariffCharge ? t.charge : t.expense]
  if (type === types.promise) return [t.promise, t.payment]
  if (type === types.recalculation) return [t.recalculation]
  const isOnlyOfOffice = (source === 'gwa' || source === 'gwb') && payment?.given_back_by !== 'gateway'
  return [t.payment, ...(isOnlyOfOffice ? [t.gateway] : []), ...(isPrinted ? [t.receipt] : [])]
}

/** Why it cannot be reversed; null: it can. */
export function hindranceOf({ operation, given_back_by: givenBackBy }: Detail, t: Texts): string | null {
  if (operation.storno) return t.isReversed
  return givenBackBy === null ? null : t.givenBack(givenBackBy)
}
