import * as field from '../../platform/records/fields.ts'
import type { FieldSpec, Model } from '../../platform/records/model.ts'
import type { Saved, Step } from '../../platform/records/record-writer.ts'
import { type Refusal, wrongField } from '../../platform/records/refusals.ts'
import { addressSql, homesWithin } from '../../platform/storage/addresses.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { reading, type TransactionScope, writing } from '../../platform/storage/transactions.ts'
import { lockAccounts } from './account-locks.ts'

/** The kinds of nodes of the address tree, from the widest to the narrowest. */
export const homeKinds = ['city', 'street', 'house'] as const
export type HomeKind = (typeof homeKinds)[number]

/** The fields of a node of the address tree besides its id, at every door. `parent` is the model of the nodes there. */
export const homeFields = (parent: () => Model): FieldSpec[] => [
  field.relation('parent', 'The node above.', parent),
  field.choice('kind', 'What it is.', homeKinds, field.required),
  field.text('name', 'Name.', field.required),
]

/** The tables whose rows keep a node from being deleted. */
export const homeUsedBy = [
  { table: 'homes', column: 'parent_id', noun: 'addresses' },
  { table: 'abonents', column: 'home_id', noun: 'subscribers' },
  { table: 'switches', column: 'home_id', noun: 'switches' },
] as const

/** Whoever writes a node waits for the others, so that two moves together cannot make a circle. */
export async function lockHomes(client: Client): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('address tree', 0))`)
}

/** Refuses a parent that would make a circle of the tree: the node itself, or one below it. */
export async function circleRefusal({ client, before, values }: Step): Promise<Refusal | null> {
  const parent = values.get('parent')
  if (before === null || !parent?.value) return null
  const text = `SELECT FROM unnest(${homesWithin('$1::int8')}) AS below (id) WHERE id = $2::int8`
  const { rowCount } = await client.query(text, [before.id, parent.value])
  return rowCount === 0 ? null : wrongField(parent.sentAs, 'An address cannot lie in itself.')
}

/**
 * How many addresses are updated per transaction. Their accounts are locked meanwhile, so payments to them must wait.
 */
const batchMax = 500

/** When a node is renamed or moved, the addresses of all subscribers below it are updated. */
export async function followHome(scope: TransactionScope, { before, after, id }: Saved): Promise<null> {
  const isMoved = before !== null && (before.name !== after.name || before.parent !== after.parent)
  if (isMoved) await writeAddresses(scope, id)
  return null
}

const residents = `SELECT id FROM abonents WHERE home_id = ANY(${homesWithin('$1::int8')}) AND id > $2::int8
  ORDER BY id LIMIT ${batchMax}`

async function writeAddresses(scope: TransactionScope, home: string): Promise<void> {
  for (let last = '0'; ; ) {
    const ids = await reading(scope, async (client) => {
      const { rows } = await client.query<{ id: string }>(residents, [home, last])
      return rows.map(({ id }) => id)
    })
    if (ids.length > 0) {
      await writing(scope, async (client) => {
        await lockAccounts(client, 'SELECT account_id FROM abonents WHERE id = ANY($1::int8[])', [ids])
        await client.query(
          `UPDATE abonents SET address = ${addressSql('abonents.home_id', 'flat')} WHERE id = ANY($1::int8[])`,
          [ids],
        )
      })
    }
    if (ids.length < batchMax) return
    last = ids.at(-1)!
  }
}
