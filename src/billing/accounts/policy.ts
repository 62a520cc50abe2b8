import { rubles, zero } from '../../domain/money.ts'
import type { LedgerPolicy } from './decision.ts'

/** The settings' defaults (specification 3.1), for who runs the ledger without settings. */
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
