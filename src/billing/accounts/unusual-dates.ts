import { missingRight, type StaffUser } from '../../domain/staff-user.ts'
import type { Client } from '../../platform/storage/sql.ts'

/** Why a date of a posting is probably a slip of the pen. */
export type UnusualDate = 'date_in_future' | 'date_before_account'

export const unusualDateText = {
  date_in_future: 'The date is in the future.',
  date_before_account: 'The date is before the account was opened.',
  date_not_allowed: 'A date in the future or before the account was opened needs the right "money_dates".',
  future_not_allowed: 'A date in the future needs the right "money_dates".',
} as const satisfies Record<UnusualDate | 'date_not_allowed' | 'future_not_allowed', string>

export const everyUnusualDate: readonly UnusualDate[] = ['date_in_future', 'date_before_account']

/**
 * Whether a posting of an account has a date in the future, or before the day on which the account or the oldest of its
 * contracts began. Null: neither. The session's time zone says when a day begins.
 */
export async function unusualDate(client: Client, account: number, movedAt: Date): Promise<UnusualDate | null> {
  const { rows } = await client.query<{ is_after: boolean; is_before: boolean }>(
    `SELECT $2::timestamptz > clock_timestamp() AS is_after, $2::timestamptz < date_trunc('day', least(create_date,
        (SELECT min(create_date) FROM abonents WHERE account_id = account.id))) AS is_before
      FROM admin_accounts AS account WHERE id = $1::int8`,
    [account, movedAt],
  )
  if (rows[0]?.is_after) return 'date_in_future'
  return rows[0]?.is_before ? 'date_before_account' : null
}

/**
 * Why staff may not give a posting this date: they lack the right, or the date is unusual in a way that they have not
 * confirmed. `meant` are the kinds of unusual dates that they have. Null: they may.
 */
export async function dateRefusalOf(
  client: Client,
  staff: StaffUser | null,
  { account, movedAt, meant }: { account: number; movedAt: Date | null; meant: readonly UnusualDate[] },
): Promise<UnusualDate | 'date_not_allowed' | null> {
  const unusual = movedAt && (await unusualDate(client, account, movedAt))
  if (!unusual) return null
  if (missingRight(staff, 'money_dates')) return 'date_not_allowed'
  return meant.includes(unusual) ? null : unusual
}
