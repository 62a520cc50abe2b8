import { type Day, type Month, monthOf } from '../../../domain/calendar.ts'
import type { ChargeMode } from '../../../domain/charges.ts'
import type { Ask } from './due.ts'

/**
 * The charge mode of a month: the setting at the time when the month is first charged. A later change applies from the
 * next month on.
 */
export async function modeOfMonth(ask: Ask, month: Month, set: ChargeMode, now: Date): Promise<ChargeMode> {
  const values = [month, set, now]
  await ask('INSERT INTO charge_months (month, mode, begun_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', values)
  const [row] = await ask<{ mode: ChargeMode }>('SELECT mode FROM charge_months WHERE month = $1', [month])
  return row!.mode
}

/** The last day up to which everything was charged; null: nothing has ever been charged. */
export async function chargedThrough(ask: Ask): Promise<Day | null> {
  const [row] = await ask<{ day: Day | null }>('SELECT max(charged_through)::text AS day FROM charge_months', [])
  return row?.day ?? null
}

export async function noteChargedThrough(ask: Ask, day: Day): Promise<void> {
  const text = `UPDATE charge_months SET charged_through = greatest(charged_through, $2::date) WHERE month = $1`
  await ask(text, [monthOf(day), day])
}
