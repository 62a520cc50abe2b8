import type { Client } from 'pg'
import { formatRubles, moneyFromUnits } from '../domain/money.ts'
import { defineCommand } from './command.ts'
import { withConnection } from './database.ts'

export default defineCommand({
  about: 'Checks every account: balance = receipts - write-offs = sum of its operations. Changes nothing.',
  options: {},
  async run(_, context) {
    return await withConnection(context, async (client) => {
      const { accounts, operations } = (await client.query<Totals>(totals)).rows[0]!
      const suspects = (await client.query<Suspect>(suspectAccounts)).rows
      const removed = await removedFrom(client, suspects)
      const wrong = suspects.filter((suspect) => !isExplained(suspect, removed.get(suspect.id)))
      for (const suspect of wrong) context.print(troubleOf(suspect))
      context.print(
        `${accounts} accounts and ${operations} operations checked: ${wrong.length === 0 ? 'all agree' : `${wrong.length} accounts are wrong`}.`,
      )
      return wrong.length === 0 ? 0 : 1
    })
  },
})

type Totals = { accounts: string; operations: string }
/** Amounts in units of 10^-10 rubles, as text. */
type Suspect = { id: string; ostatok: string; debit: string; credit: string; sum: string }
type Removed = { account: string; amount: string; count: number }

const totals = `SELECT (SELECT count(*) FROM admin_accounts) AS accounts, (SELECT count(*) FROM finance_operations) AS operations`

/** One statement, so one moment: payments that arrive meanwhile cannot make an account look wrong. */
const suspectAccounts = `
  WITH sums AS (SELECT account_id, sum(op_summa) AS sum FROM finance_operations GROUP BY account_id)
  SELECT id, ostatok, debit, credit, coalesce(sum, 0)::text AS sum
  FROM admin_accounts LEFT JOIN sums ON account_id = id
  WHERE ostatok <> debit - credit OR ostatok <> coalesce(sum, 0)
  ORDER BY id`

/** A deleted operation leaves the balance as it is; the audit still knows its account and its amount to the kopeck. */
const removedOperations = `
  SELECT made.object_id AS account, count(*)::int4 AS count, sum((made.diff->>'amount')::numeric * 10000000000)::int8 AS amount
  FROM audit_operations AS made
  JOIN audit_operations AS gone
    ON gone.table_name = 'FINANCE_OPERATIONS' AND gone.action = 'delete' AND gone.object_id = made.diff->>'op_id'
  WHERE made.table_name = 'ADMIN_ACCOUNTS' AND made.action IN ('operation', 'storno') AND made.object_id = ANY($1::text[])
  GROUP BY made.object_id`

const halfKopeck = 50_000_000n

async function removedFrom(client: Client, suspects: readonly Suspect[]): Promise<Map<string, Removed>> {
  if (suspects.length === 0) return new Map()
  const { rows } = await client.query<Removed>(removedOperations, [suspects.map(({ id }) => id)])
  return new Map(rows.map((row) => [row.account, row]))
}

function isExplained({ ostatok, debit, credit, sum }: Suspect, removed: Removed | undefined): boolean {
  if (BigInt(ostatok) !== BigInt(debit) - BigInt(credit) || !removed) return false
  const rest = BigInt(ostatok) - BigInt(sum) - BigInt(removed.amount)
  return (rest < 0n ? -rest : rest) <= BigInt(removed.count) * halfKopeck
}

function troubleOf({ id, ostatok, debit, credit, sum }: Suspect): string {
  const [balance, receipts, writeOffs, operations] = [ostatok, debit, credit, sum].map((units) =>
    formatRubles(moneyFromUnits(units)),
  )
  return `account ${id}: balance ${balance}, receipts ${receipts} - write-offs ${writeOffs}, operations ${operations}`
}
