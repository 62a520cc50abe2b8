import Type, { type Static } from 'typebox'
import { debtBeganBeforeSql } from '../../../billing/accounts/debt-age.ts'
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

/** What is of the age in this place; null: of all ages. */
type Counted = { readonly at: number | null; readonly accounts: number; readonly debt: string }
const none = { accounts: 0, debt: '0.00' }

/** Debts of this moment by their age: the days since the operation was recorded that took the balance below zero. */
export const readDebts = (scope: TransactionScope, visible: VisibleOrganizations): Promise<Debts> =>
  reading(
    scope,
    async (client) => {
      const ask = async (text: string, values: unknown[]) =>
        (await client.query<Counted>(patient({ text, values }))).rows
      const departed = await ask(departedSql, [visible])
      // Debtors lie everywhere in the table, which is read in its order in half of the time.
      if (visible === null) await client.query('SET LOCAL enable_indexscan = off')
      const all = visible === null ? await ask(allSql, []) : await ask(visibleDebtsSql, [visible])
      const of = (at: number | null) => {
        const { accounts, debt } = all.find((one) => one.at === at) ?? none
        const gone = departed.find((one) => one.at === at) ?? none
        return { accounts, debt, departed_accounts: gone.accounts, departed_debt: gone.debt }
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

/** The beginnings of the ages but the first, the oldest debts first: the place between two of them is an age. */
const beginnings = ages.slice(1).toReversed().map(debtBeganBeforeSql)

/** In a subquery, so that the beginnings are computed once. */
const countedSql = (
  from: string,
) => `SELECT at, count(*)::int4 AS accounts, ${rublesSql('coalesce(sum(debt), 0)')} AS debt FROM (
    SELECT ${ages.length - 1} - width_bucket(account.debt_since, (SELECT ARRAY[${beginnings}])) AS at, -account.ostatok AS debt
    FROM ${from}) AS debtor
  GROUP BY GROUPING SETS ((at), ())`

const ofClient = 'abonents AS client ON client.account_id = account.id AND client.is_main'
const isVisible = visibleSql('client.organization_id', '$1')

/** Whose they are, who sees all need not know: that would be a look at each client, which takes far longer. */
const allSql = countedSql('admin_accounts AS account WHERE account.debt_since IS NOT NULL')
const visibleDebtsSql = countedSql(
  `admin_accounts AS account LEFT JOIN ${ofClient} WHERE account.debt_since IS NOT NULL AND ${isVisible}`,
)
const departedSql = countedSql(
  `admin_accounts AS account JOIN ${ofClient} WHERE client.deleted AND account.debt_since IS NOT NULL AND ${isVisible}`,
)
