import type { Client } from 'pg'
import { defaultOrganization } from '../../domain/ids.ts'
import { type CommandContext, defineCommand } from './command.ts'
import { withMigrated } from './database.ts'

/** A table whose rows may lack an organization, and the SQL for the missing value over the alias `row`. */
type Backfill = {
  readonly table: string
  readonly key: string
  /** SQL for the missing organization, which is never null. */
  readonly organization: string
  /** How the rows are called, in the plural. */
  readonly called: string
}

/** SQL: the organization of a subscriber, else of its folder, else the default one (specification section 1 rule 5). */
const ofSubscriber = (abonent: string): string =>
  `coalesce(${abonent}.organization_id, (SELECT organization_id FROM abonent_folders WHERE id = ${abonent}.parent_id),
    ${defaultOrganization})`

const command = (about: string, backfill: Backfill) =>
  defineCommand({
    about: `${about} Only reports without --apply.`,
    options: { apply: { type: 'boolean', about: 'Write it' } },
    run: ({ apply }, context) => fillMissing(context, backfill, apply),
  })

export const backfillAbonentOrg = command(
  'Gives subscribers without an organization that of their folder, else the default one.',
  { table: 'abonents', key: 'id', organization: ofSubscriber('row'), called: 'subscribers' },
)

/** An operation gets the organization of its subscriber, else of the account's main client, as they have or get it. */
export const backfillFinopsOrg = command(
  'Gives finance operations without an organization that of their subscriber or account.',
  {
    table: 'finance_operations',
    key: 'op_id',
    organization: `coalesce(
      (SELECT ${ofSubscriber('payer')} FROM abonents AS payer WHERE payer.id = row.abonent_id),
      (SELECT ${ofSubscriber('main')} FROM abonents AS main WHERE main.account_id = row.account_id ORDER BY main.id LIMIT 1),
      ${defaultOrganization})`,
    called: 'operations',
  },
)

/** Accounts stay locked for one statement only, so that payments hardly notice. */
const batchRows = 1_000

/** Reports what is missing and, with `isApplied`, fills it in. It can be interrupted and run again at any time. */
async function fillMissing(context: CommandContext, backfill: Backfill, isApplied: boolean): Promise<number> {
  return await withMigrated(context, async (client) => {
    const found = await countMissing(client, backfill)
    const total = found.reduce((sum, { count }) => sum + count, 0)
    if (total === 0) {
      context.print(`All ${backfill.called} have an organization. Nothing is to be done.`)
      return 0
    }
    context.print(`${total} ${backfill.called} have no organization:`)
    for (const { id, name, count } of found) context.print(`  organization ${id} (${name}): ${count}`)
    if (!isApplied) {
      context.print('Nothing is written. With --apply they get the organizations above.')
      return 0
    }
    let done = 0
    for (let filled = await fillBatch(client, backfill); filled > 0; filled = await fillBatch(client, backfill)) {
      done += filled
      context.log.info('backfill', { done, total })
    }
    context.print(`${done} ${backfill.called} have got their organization.`)
    return 0
  })
}

type Missing = { id: string; name: string; count: number }

async function countMissing(client: Client, { table, organization }: Backfill): Promise<Missing[]> {
  const { rows } = await client.query<Missing>(
    `SELECT organizations.id, organizations.name, count(*)::int4 AS count
      FROM (SELECT ${organization} AS id FROM ${table} AS row WHERE row.organization_id IS NULL) AS wanted
      JOIN organizations USING (id) GROUP BY organizations.id ORDER BY organizations.id`,
  )
  return rows
}

/** Locks the accounts first and in the order of their ids, as the ledger does, so that there are no deadlocks. */
async function fillBatch(client: Client, { table, key, organization }: Backfill): Promise<number> {
  await client.query('BEGIN')
  try {
    const { rows } = await client.query<{ id: string; account: string }>(
      `SELECT row.${key} AS id, row.account_id AS account FROM ${table} AS row WHERE row.organization_id IS NULL LIMIT ${batchRows}`,
    )
    await client.query('SELECT FROM admin_accounts WHERE id = ANY($1::int8[]) ORDER BY id FOR UPDATE', [
      rows.map((row) => row.account),
    ])
    await client.query(
      `UPDATE ${table} AS row SET organization_id = ${organization}
        WHERE row.${key} = ANY($1::int8[]) AND row.organization_id IS NULL`,
      [rows.map(({ id }) => id)],
    )
    await client.query('COMMIT')
    return rows.length
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
