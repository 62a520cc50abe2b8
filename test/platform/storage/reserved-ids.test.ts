import t from 'tap'
import { ReservedIds } from '../../../src/platform/storage/reserved-ids.ts'
import { testDatabase } from '../../support/database.ts'

t.test('ids that a server before this one may have given out are skipped once, whoever asks first', async (t) => {
  const { database } = await testDatabase(t)
  const { pool } = database
  const fetched = 500
  const skipped = 10_000
  const take = () => new ReservedIds(pool, 'outbox_id_seq').take(fetched)
  const known = await take()
  t.equal(known.length, fetched)
  t.equal(known.at(-1)! - known[0]!, fetched - 1, 'none is skipped on the server of the migrations')

  await pool.query(`UPDATE reserved_sequences SET timeline = '00000000'`)
  const both = (await Promise.all([take(), take()])).flat()
  t.equal(new Set(both).size, 2 * fetched)
  t.equal(Math.min(...both), known.at(-1)! + skipped + 1)
  t.equal(Math.max(...both), known.at(-1)! + skipped + 2 * fetched, 'not twice')
  const { rows } = await pool.query(`SELECT name FROM reserved_sequences WHERE timeline <> '00000000'`)
  t.same(rows, [{ name: 'outbox_id_seq' }], 'the others are skipped when they are asked')
})
