import { rubles, zero } from '../../domain/money.ts'
import type { LedgerPolicy } from './decision.ts'

/** The defaults of the settings (specification 3.1), for a ledger that runs without settings. */
export const usualPolicy: LedgerPolicy = {
  timeZone: 'Europe/Moscow',
  promise: {
    minDebt: zero,
    minAgeDays: 30,
    cooldownDays: 30,
    limitOverride: zero,
    durationDays: 0,
    operatorFee: rubles(90),
    closesOnPayment: true,
  },
}
