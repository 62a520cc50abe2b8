import type { Pool } from 'pg'
import { addDays, dayOf, startOfDay } from '../../domain/calendar.ts'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import type { Job } from './jobs.ts'
import { type Ask, asking } from './reads.ts'

/** Sends reminders of promise payments. Returns how many subscribers had not been reminded before. */
export type SendReminders = (
  template: 'promise_expiring' | 'promise_expired',
  promises: readonly { readonly subscriberId: SubscriberId; readonly amount: string; readonly until: Date }[],
) => Promise<number>

/** How many hours before the end of a promise payment the client is reminded; 0 switches the reminder off. */
export type ReminderWindows = {
  /** MOBILE_PUSH_PROMISE_PAY_EXPIRE_HOURS: for subscribers with a device that receives push messages. */
  readonly push: number
  /** LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS: for all others, by SMS or e-mail. */
  readonly other: number
}

type Found = { id: string; promise_pay: string; promise_date_end: Date }

/**
 * The next run is a day away, so clients whose promise ends before it are reminded now, however short the window is.
 */
const hoursToNextRun = 24

/** Specification 6.2: reminds clients before a promise payment ends, once for each end. */
export const promiseExpiring = (pool: Pool, windows: () => ReminderWindows, send: SendReminders): Job => ({
  name: 'push.promise_pay_expiring',
  async run(now, stopping) {
    const { push, other } = windows()
    const hours = (window: number) => (window === 0 ? 0 : Math.max(window, hoursToNextRun))
    const text = `SELECT id, promise_pay, promise_date_end FROM abonents
      WHERE promise_date_end > $1 AND promise_date_end <= $1::timestamptz + interval '1 hour' * CASE
          WHEN EXISTS (SELECT FROM push_devices WHERE subscriber_id = abonents.id) THEN $2::int4 ELSE $3::int4 END
        AND promise_pay IS NOT NULL AND NOT deleted ORDER BY id`
    return sendReminders(asking(pool, stopping), text, [now, hours(push), hours(other)], 'promise_expiring', send)
  },
})

/**
 * Specification 6.3: notifies clients on the day of the end. If a promise payment ended before the job ran, the client
 * was notified at that moment.
 */
export const promiseExpired = (pool: Pool, timeZone: () => string, send: SendReminders): Job => ({
  name: 'push.promise_pay_expired',
  async run(now, stopping) {
    const [zone, text] = [
      timeZone(),
      `SELECT id, promise_pay, promise_date_end FROM abonents
        WHERE promise_date_end >= $1 AND promise_date_end < $2 AND promise_pay IS NOT NULL AND NOT deleted ORDER BY id`,
    ]
    const today = dayOf(now, zone)
    const day = [today, addDays(today, 1)].map((begun) => startOfDay(begun, zone))
    return sendReminders(asking(pool, stopping), text, day, 'promise_expired', send)
  },
})

async function sendReminders(
  ask: Ask,
  text: string,
  values: readonly unknown[],
  template: Parameters<SendReminders>[0],
  send: SendReminders,
) {
  const found = await ask<Found>(text, values)
  const promises = found.map(({ id, promise_pay, promise_date_end }) => ({
    subscriberId: subscriberId(id),
    amount: formatRubles(moneyFromUnits(promise_pay)),
    until: promise_date_end,
  }))
  return { promises: promises.length, told: await send(template, promises) }
}
