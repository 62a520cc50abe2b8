import Type, { type Static } from 'typebox'
import { readDebtsByAge } from '../../../billing/reports/debts.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { reportMs } from './movements.ts'

/** The ages of debts, each from so many days on. */
const ages = [0, 31, 61, 91, 181, 366] as const

const counts = {
  accounts: Type.Integer({ description: 'Accounts below zero' }),
  debt: Type.With(schemas.rubles, { description: 'What they owe together' }),
  departed_accounts: Type.Integer({ description: 'Of these the ones whose subscriber is deleted' }),
  departed_debt: schemas.rubles,
}

export const debtsSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      from_days: schemas.integer,
      to_days: Type.Union([schemas.integer, Type.Null()], { description: 'Included; null: without an end' }),
      ...counts,
    }),
    { description: 'By how many days ago the balance went below zero' },
  ),
  totals: Type.Object(counts),
})

export type Debts = Static<typeof debtsSchema>

const none = { accounts: 0, debt: '0.00', departed_accounts: 0, departed_debt: '0.00' }

/** Debts of this moment by their age: the days since the operation was recorded that took the balance below zero. */
export const readDebts = (parts: TransactionScope, visible: VisibleOrganizations): Promise<Debts> => {
  const zone = parts.timeZone()
  return reading(
    { ...parts, timeZone: () => zone },
    async (client) => {
      const found = await readDebtsByAge(client, zone, ages.slice(1), visible)
      const of = (place: number | null) => {
        const { at, ...counted } = found.find((one) => one.at === place) ?? { at: place, ...none }
        return counted
      }
      return {
        items: ages.map((from, place) => {
          const next = ages[place + 1]
          return { from_days: from, to_days: next === undefined ? null : next - 1, ...of(place) }
        }),
        totals: of(null),
      }
    },
    reportMs,
  )
}
