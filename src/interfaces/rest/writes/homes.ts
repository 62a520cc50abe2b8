import { reading, writing } from '../../../platform/storage/transactions.ts'
import { homes } from '../models/homes.ts'
import type { RestParts } from '../parts.ts'
import { RecordWriter, type Saved } from '../../../platform/records/record-writer.ts'
import { addressSql } from './addresses.ts'
import { lockAccounts } from './account-locks.ts'
import { type Writes, writesThrough } from './writes.ts'

/**
 * How many addresses are updated per transaction. Their accounts are locked meanwhile, so payments to them must wait.
 */
const batchMax = 500

/** Writes of Homes. When a node is renamed or moved, the addresses of all subscribers below it are updated. */
export const homeWrites = (parts: RestParts): Writes =>
  writesThrough(
    parts,
    homes,
    new RecordWriter(parts, homes, {
      committed: async (saved) => {
        if (isMoved(saved)) await writeAddresses(parts, saved.id)
        return null
      },
    }),
  )

const isMoved = ({ before, after }: Saved): boolean =>
  before !== null && (before.name !== after.name || before.parent !== after.parent)

const residents = `WITH RECURSIVE below AS (
    SELECT id FROM homes WHERE id = $1::int8 UNION SELECT homes.id FROM homes JOIN below ON homes.parent_id = below.id)
  SELECT id FROM abonents WHERE home_id IN (SELECT id FROM below) AND id > $2::int8 ORDER BY id LIMIT ${batchMax}`

async function writeAddresses(parts: RestParts, home: string): Promise<void> {
  for (let last = '0'; ; ) {
    const ids = await reading(parts, async (client) => {
      const { rows } = await client.query<{ id: string }>(residents, [home, last])
      return rows.map(({ id }) => id)
    })
    if (ids.length > 0) {
      await writing(parts, async (client) => {
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
