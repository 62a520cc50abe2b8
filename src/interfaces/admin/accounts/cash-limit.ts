import { type CashDesk, cashRefusalText } from '../../../billing/cash/limits.ts'
import type { Call } from '../../../platform/http/call.ts'
import { staffOf } from '../../../platform/staff/author.ts'
import { type Refused, refused } from '../body.ts'

/** Posts what staff enter; cash only as far as the limits of a day allow. */
export async function takingCash<T extends object>(
  cashDesk: Pick<CashDesk, 'take'>,
  call: Call,
  posting: Parameters<CashDesk['take']>[1],
  post: () => Promise<T>,
): Promise<T | Refused> {
  const outcome = await cashDesk.take(staffOf(call), posting, post)
  return 'exceeded' in outcome
    ? { refused: refused(400, outcome.exceeded, cashRefusalText[outcome.exceeded]) }
    : (outcome as T)
}
