import t from 'tap'
import { organizationId } from '../../src/domain/ids.ts'
import type { VisibleOrganizations } from '../../src/platform/staff/visible-organizations.ts'
import {
  findAllVisible,
  findVisible,
  type Scoped,
  defaultOrganizationAmong,
  visibleTo,
} from '../../src/platform/staff/visible-records.ts'
import { testDatabase } from '../support/database.ts'

const { database } = await testDatabase(t)
const { pool } = database
await pool.query(`
  INSERT INTO organizations (id, name) VALUES (2, 'North');
  INSERT INTO admin_accounts (id) SELECT generate_series(1, 4);
  INSERT INTO abonents (id, name, contract_number, account_id, organization_id) VALUES
    (11, 'of 1', '11', 1, 1), (12, 'of 2', '12', 2, 2), (13, 'of none', '13', 3, NULL), (14, 'second of account 1', '14', 1, 2);
  INSERT INTO finance_operations (op_id, op_summa, op_type_id, account_id, organization_id) VALUES
    (21, 0, 7, 1, 1), (22, 0, 7, 2, 2), (23, 0, 7, 3, NULL);
  INSERT INTO video_objects (id, name, account_id) VALUES (31, 'of 1', 1), (32, 'of 2', 2), (33, 'of nobody', NULL)`)

const see = (...ids: number[]): VisibleOrganizations => ids.map(organizationId)

t.test('a single record is found by those who may see it', async (t) => {
  const seen: [Scoped, all: number[], by1: number[], by2: number[]][] = [
    ['subscriber', [11, 12, 13, 14], [11, 13], [12, 14]],
    // An account is of its main client; that of nobody is of the default organization.
    ['account', [1, 2, 3, 4], [1, 3, 4], [2]],
    ['operation', [21, 22, 23], [21, 23], [22]],
    ['videoObject', [31, 32, 33], [31, 33], [32]],
  ]
  for (const [kind, all, by1, by2] of seen) {
    for (const [visible, ids] of [
      [null, all],
      [see(1), by1],
      [see(2), by2],
      [see(1, 2), all],
      [see(), []],
    ] as const) {
      const found = await Promise.all(all.map((id) => findVisible(pool, kind, String(id), visible)))
      t.same(
        found.filter((id) => id !== null),
        ids,
        `${kind} ${visible}`,
      )
    }
  }
  for (const id of ['', '0', '-1', '1.5', '1e1', 'x', ' ', undefined, null, '9'.repeat(20), {}, [11]])
    t.equal(await findVisible(pool, 'subscriber', id, null), null, String(id))
})

t.test('a bulk is found as a whole or not at all', async (t) => {
  t.same(await findAllVisible(pool, 'account', ['1', 3, 1], see(1)), [1, 3], 'each once')
  t.same(await findAllVisible(pool, 'account', [], see(1)), [])
  for (const ids of [[1, 2], [1, 999], [1, 'x'], [null]])
    t.equal(await findAllVisible(pool, 'account', ids, see(1)), null, ids.join())
  t.same(await findAllVisible(pool, 'operation', [21, 22, 23], null), [21, 22, 23])
})

t.test('nobody sees nothing, and writes belong where the caller is', async (t) => {
  t.same(visibleTo({ staff: null }), [])
  t.equal(defaultOrganizationAmong(null), 1)
  t.equal(defaultOrganizationAmong(see(2, 1)), 1)
  t.equal(defaultOrganizationAmong(see(2)), 2)
})
