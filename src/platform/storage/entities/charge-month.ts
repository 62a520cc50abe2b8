import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow } from './columns.ts'

/** How a month is charged, remembered at its first run, and the last day up to which all charges were made. */
export const ChargeMonth = defineEntity({
  name: 'ChargeMonth',
  tableName: 'charge_months',
  properties: {
    /** `2026-11`, of the time zone of the provider. */
    month: p.text().primary(),
    mode: p.text(),
    begun_at: createdNow(),
    charged_through: p.date().nullable(),
  },
  checks: [{ name: 'charge_months_mode', expression: "mode IN ('monthly', 'daily')" }],
})
