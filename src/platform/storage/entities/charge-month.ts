import { createdNow, day, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** How a month is charged, remembered at its first run, and the last day up to which all charges were made. */
export const ChargeMonth = entity('charge_months', {
  columns: {
    /** `2026-11`, of the time zone of the provider. */
    month: text().primary(),
    mode: text(),
    begun_at: createdNow(),
    charged_through: day().nullable(),
  },
  checks: [{ name: 'charge_months_mode', expression: "mode IN ('monthly', 'daily')" }],
})
