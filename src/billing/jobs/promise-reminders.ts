import type { Pool } from 'pg'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import type { Job } from './jobs.ts'

/** What the reminders are told by. Answers how many subscribers had not been told before. */
export type TellOfPromise = (
  template: 'promise_expiring' | 'promise_expired',
  promises: readonly { readonly subscriberId: SubscriberId; readonly amount: string; readonly until: Date }[],
) => Promise<number>

/** Hours before its end in which the client is told; 0 tells nobody. */
export type ReminderWindows = {
  /** MOBILE_PUSH_PROMISE_PAY_EXPIRE_HOURS: of one with a device that takes pushes. */
  readonly push: number
  /** LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS: of all others, by SMS or e-mail. */
  readonly other: number
}

type Found = { id: string; promise_pay: string; promise_date_end: Date }

const queryTimeoutMs = 30_000

/** The next run is a day away, so what ends before it has to be told now, however short the window is. */
const hoursToNextRun = 24

/** Specification 6.2: the client is told before a promise ends. Who has been told of this end is not told again. */
export const promiseExpiring = (pool: Pool, windows: () => ReminderWindows, tell: TellOfPromise): Job => ({
  name: 'push.promise_pay_expiring',
  async run(now) {
    const { push, other } = windows()
    const hours = (window: number) => (window === 0 ? 0 : Math.max(window, hoursToNextRun))
    const text = `SELECT id, promise_pay, promise_date_end FROM abonents
      WHERE promise_date_end > $1 AND promise_date_end <= $1::timestamptz + interval '1 hour' * CASE
          WHEN EXISTS (SELECT FROM push_devices WHERE subscriber_id = abonents.id) THEN $2::int4 ELSE $3::int4 END
        AND promise_pay IS NOT NULL AND NOT deleted ORDER BY id`
    return tellThem(await find(pool, text, [now, hours(push), hours(other)]), 'promise_expiring', tell)
  },
})

/** Specification 6.3: on the day of its end. One whose promise has ended before the job ran was told when it did. */
export const promiseExpired = (pool: Pool, timeZone: () => string, tell: TellOfPromise): Job => ({
  name: 'push.promise_pay_expired',
  async run(now) {
    const text = `SELECT id, promise_pay, promise_date_end FROM abonents
      WHERE promise_date_end >= date_trunc('day', $1::timestamptz, $2)
        AND promise_date_end < (date_trunc('day', $1::timestamptz AT TIME ZONE $2) + interval '1 day') AT TIME ZONE $2
        AND promise_pay IS NOT NULL AND NOT deleted ORDER BY id`
    return tellThem(await find(pool, text, [now, timeZone()]), 'promise_expired', tell)
  },
})

async function find(pool: Pool, text: string, values: unknown[]): Promise<Found[]> {
  const { rows } = await pool.query({ text, values, query_timeout: queryTimeoutMs } as { text: string })
  return rows as Found[]
}

async function tellThem(found: readonly Found[], template: Parameters<TellOfPromise>[0], tell: TellOfPromise) {
  const promises = found.map(({ id, promise_pay, promise_date_end }) => ({
    subscriberId: subscriberId(id),
    amount: formatRubles(moneyFromUnits(promise_pay)),
    until: promise_date_end,
  }))
  return { promises: promises.length, told: await tell(template, promises) }
}
