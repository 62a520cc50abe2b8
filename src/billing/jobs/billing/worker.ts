import type { Pool } from 'pg'
import { systemAuthor } from '../../../domain/author.ts'
import {
  addDays,
  common,
  type Day,
  dayOf,
  daysBetween,
  firstDay,
  type Month,
  monthBefore,
  monthOf,
  nextMonth,
  type Span,
  startOfDay,
  wholeMonth,
} from '../../../domain/calendar.ts'
import type { ChargeMode } from '../../../domain/charges.ts'
import type { Accounts } from '../../accounts/messages.ts'
import type { Job } from '../jobs.ts'
import { type Ask, asking } from '../reads.ts'
import { refunds, returns } from './departures.ts'
import type { Period } from './due.ts'
import { endedUseCharges, forgetEndedUses } from './ended-uses.ts'
import { promiseCharges, serviceCharges, tariffCharges } from './fees.ts'
import { Tally } from './tally.ts'
import { dueTariffs } from './tariff-changes.ts'

/** How often what changed meanwhile is looked up again. After that the next run charges them. */
const passesMax = 3

/** The settings of the worker, as they are now. */
export type BillingPolicy = {
  /** TIME_ZONE: the time zone in which days and months begin. */
  readonly timeZone: string
  /** TARIFF_CHARGE_MODE */
  readonly mode: ChargeMode
  /** LK_PROMISE_PAY_DAILY_CHARGE */
  readonly chargesPromises: boolean
}

/**
 * billing_worker (specification 6.8, contract section 5 Charges): charges the fees of tariffs and services for the
 * month, or for each day of it, including what was missed since the last complete run. The worker only finds what has
 * not been charged yet. Each account decides in its own turn, and the idempotency key of every charge makes it happen
 * once, however often the job runs and wherever it was interrupted.
 *
 * The date of every operation is the time of its charge, even when the charge is made up later: that is when the money
 * moved, a reported month never changes afterwards, and dates have the same order as balances. The description names
 * the period.
 */
export const billingWorker = (pool: Pool, accounts: Accounts, policy: () => BillingPolicy): Job => ({
  name: 'billing_worker',
  async run(now, stopping, tell) {
    const { timeZone: zone, mode, chargesPromises } = policy()
    const ask = asking(pool, stopping)
    const tally = new Tally(accounts, systemAuthor('billing_worker'), stopping, tell)
    const today = dayOf(now, zone)
    const window = daysToCharge(await chargedThrough(ask), today)
    for (const month of monthsOf(window)) {
      const periods = periodsOf(month, window, await modeOfMonth(ask, month, mode, now), zone, now)
      for (const period of periods) {
        await tally.change(dueTariffs(ask, period.startsAt))
        // A tariff that changed between the query and the turn is looked up again and charged as it is by then.
        for (let pass = 0, again = 1; pass < passesMax && again > 0; pass++) {
          again = await tally.charge(tariffCharges(ask, period))
          again += await tally.charge(serviceCharges(ask, period))
        }
        await tally.charge(endedUseCharges(ask, period))
        if (period.mode === 'monthly') {
          await tally.giveBack(refunds(ask, period))
          await tally.charge(returns(ask, period))
        }
      }
    }
    if (chargesPromises) {
      for (const day of daysBetween(window)) await tally.charge(promiseCharges(ask, day, startOfDay(day, zone), now))
    }
    await tally.change(dueTariffs(ask, now))
    const result = { from: window.from, to: window.to, ...tally.result() }
    const failure = tally.failure(result)
    if (failure) throw failure
    const noteText = 'UPDATE charge_months SET charged_through = greatest(charged_through, $2::date) WHERE month = $1'
    await ask(noteText, [monthOf(today), today])
    await forgetEndedUses(ask, startOfDay(today, zone))
    return result
  },
})

/** The last day up to which everything was charged; null: nothing has ever been charged. */
async function chargedThrough(ask: Ask): Promise<Day | null> {
  const [row] = await ask<{ day: Day | null }>('SELECT max(charged_through)::text AS day FROM charge_months', [])
  return row!.day
}

/**
 * The charge mode of a month: the setting at the time when the month is first charged. A later change applies from the
 * next month on.
 */
async function modeOfMonth(ask: Ask, month: Month, set: ChargeMode, now: Date): Promise<ChargeMode> {
  const values = [month, set, now]
  await ask('INSERT INTO charge_months (month, mode, begun_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', values)
  const [row] = await ask<{ mode: ChargeMode }>('SELECT mode FROM charge_months WHERE month = $1', [month])
  return row!.mode
}

/**
 * The days to charge: from the day of the last complete run (somebody may have joined later on that day) to today; the
 * first run charges today only. Nothing before the previous month is made up: so long a gap is no outage of the worker,
 * and people must decide about it.
 */
export function daysToCharge(through: Day | null, today: Day): Span {
  const earliest = firstDay(monthBefore(monthOf(today)))
  const from = through === null || through > today ? today : through
  return { from: from > earliest ? from : earliest, to: today }
}

function monthsOf({ from, to }: Span): Month[] {
  const months: Month[] = []
  for (let month = monthOf(from); month <= monthOf(to); month = nextMonth(month)) months.push(month)
  return months
}

/** The periods of a month to be charged: the whole month, or its days within the window one by one. */
function periodsOf(month: Month, window: Span, mode: ChargeMode, zone: string, now: Date): Period[] {
  const period = (name: Month | Day, span: Span): Period => ({
    mode,
    name,
    span,
    startsAt: startOfDay(span.from, zone),
    endsAt: startOfDay(addDays(span.to, 1), zone),
    zone,
    now,
  })
  const whole = wholeMonth(month)
  if (mode === 'monthly') return [period(month, whole)]
  const days = common(whole, window)
  return days ? daysBetween(days).map((day) => period(day, { from: day, to: day })) : []
}
