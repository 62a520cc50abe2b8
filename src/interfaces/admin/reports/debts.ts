import Type, { type Static } from 'typebox'
import { debtDaysSql } from '../../../billing/accounts/debt-age.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'
import { patientFor, reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
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

const patient = patientFor(reportMs)

/**
 * Debts of this moment by their age: the days since the operation that took the balance below zero, or since the
 * account was opened where none did.
 */
export const readDebts = (scope: TransactionScope, visible: VisibleOrganizations): Promise<Debts> =>
  reading(
    scope,
    async (client) => {
      const { rows } = await client.query<Debts['totals'] & { at: number | null }>(patient({ text, values: [visible] }))
      const { at: _, ...totals } = rows.find(({ at }) => at === null) ?? { at: null, ...none }
      return {
        items: ages.map((from, place) => {
          const { at: _, ...found } = rows.find(({ at }) => at === place + 1) ?? { at: place + 1, ...none }
          return { from_days: from, to_days: (ages[place + 1] ?? 0) - 1 < 0 ? null : ages[place + 1]! - 1, ...found }
        }),
        totals,
      }
    },
    reportMs,
  )

const none = { accounts: 0, debt: '0.00', departed_accounts: 0, departed_debt: '0.00' }

const countsSql = `count(*)::int4 AS accounts, ${rublesSql('coalesce(sum(debt), 0)')} AS debt,
    count(*) FILTER (WHERE deleted)::int4 AS departed_accounts,
    ${rublesSql('coalesce(sum(debt) FILTER (WHERE deleted), 0)')} AS departed_debt`

const text = `SELECT at, ${countsSql} FROM (
    SELECT width_bucket(${debtDaysSql('account')}, ARRAY[${ages}]) AS at,
      -account.ostatok AS debt, coalesce(client.deleted, false) AS deleted
    FROM admin_accounts AS account
      LEFT JOIN abonents AS client ON client.account_id = account.id AND client.is_main
    WHERE account.ostatok < 0 AND ${visibleSql('client.organization_id', '$1')}) AS debtor
  GROUP BY GROUPING SETS ((at), ())`
