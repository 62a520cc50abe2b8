import Type from 'typebox'
import {
  dateRefusalOf,
  everyUnusualDate,
  type UnusualDate,
  unusualDateText,
} from '../../../billing/accounts/unusual-dates.ts'
import type { Call } from '../../../platform/http/call.ts'
import { flag, isSet } from '../../../platform/http/fields.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { type Fields, isAbsent, type Refused, refused } from '../body.ts'

/** The field by which an unusual date is confirmed. */
export const confirmField = Type.Optional(
  Type.With(flag, {
    description:
      'A date in the future or before the account was opened is meant; needs the right money_dates. Left out: one before the account is',
  }),
)

/**
 * A page that can ask somebody sends `confirm: false` first. A program leaves it out, and means the past that it brings
 * along; a date in the future is a slip of a program too.
 */
const meantBy = ({ confirm }: Fields): readonly UnusualDate[] => {
  if (isAbsent(confirm)) return ['date_before_account']
  return isSet(confirm) ? everyUnusualDate : []
}

/** Refuses an unusual date of a posting of staff that lack the right to it, or that have not confirmed it. */
export async function dateRefusal(
  client: Client,
  call: Call,
  { account, movedAt, fields }: { account: number; movedAt: Date | null; fields: Fields },
): Promise<Refused | null> {
  const reason = await dateRefusalOf(client, call.staff, { account, movedAt, meant: meantBy(fields) })
  if (!reason) return null
  if (reason === 'date_not_allowed') return { refused: refused(403, reason, `op_date: ${unusualDateText[reason]}`) }
  const sentence = `op_date: ${unusualDateText[reason]} Send confirm=1 if it is meant.`
  return { refused: refused(400, reason, sentence) }
}
