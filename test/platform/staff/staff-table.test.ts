import t from 'tap'
import { organizationId } from '../../../src/domain/ids.ts'
import { verifyPassword } from '../../../src/platform/staff/passwords.ts'
import { createStaff, ensureFirstStaff } from '../../../src/platform/staff/staff-table.ts'
import { testDatabase } from '../../support/database.ts'

const { database } = await testDatabase(t)
const { pool } = database

const staffRow = async (username: string) => {
  const { rows } = await pool.query(
    `SELECT staff.*, ARRAY(SELECT organization_id FROM staff_organizations WHERE staff_id = staff.id ORDER BY 1)::text[] AS organizations
     FROM staff WHERE username = $1`,
    [username],
  )
  return rows[0]
}

t.test('the first staff user is created once, with a password shown once', async (t) => {
  const results = await Promise.all([1, 2, 3].map(() => ensureFirstStaff(pool, { username: 'admin' })))
  const created = results.filter((result) => result.kind === 'created')
  t.equal(created.length, 1, 'also when three programs start at once')
  const password = created[0]?.kind === 'created' ? created[0].password : null
  t.match(password, /^[\w-]{16}$/)
  const row = await staffRow('admin')
  t.equal(row.is_superuser, true)
  t.equal(await verifyPassword(password!, row.password_hash), true)
  t.same(await ensureFirstStaff(pool, { username: 'other', password: 'xylophones' }), { kind: 'notNeeded' })
})

t.test('a staff user is created with organizations, or refused with a reason', async (t) => {
  await pool.query(`INSERT INTO organizations (id, name) VALUES (77, 'Second')`)
  const both = [organizationId(77), organizationId(1), organizationId(77)]
  t.match(await createStaff(pool, { username: 'a', password: 'xylophones', organizations: both, role: 'cashier' }), {
    kind: 'created',
    id: Number,
  })
  t.match(await staffRow('a'), {
    organizations: ['1', '77'],
    role: 'cashier',
    enabled: true,
    is_superuser: false,
    soap_md5: null,
  })
  await createStaff(pool, { username: 'b', password: 'xylophones', soap: true, seal: (plain) => `sealed ${plain}` })
  t.match(await staffRow('b'), {
    organizations: ['1'],
    role: 'operator',
    soap_md5: 'sealed 4a2cecd021bd31bfa3bc118ea4535646',
  })
  t.same(await createStaff(pool, { username: 'a', password: 'xylophones' }), {
    kind: 'refused',
    reason: 'usernameTaken',
  })
  t.same(await createStaff(pool, { username: 'c', password: 'xylophones', organizations: [organizationId(999)] }), {
    kind: 'refused',
    reason: 'unknownOrganization',
  })
  t.equal(await staffRow('c'), undefined)
  t.same(await createStaff(pool, { username: 'a\nb', password: 'xylophones' }), {
    kind: 'refused',
    reason: 'usernameInvalid',
  })
  t.same(await createStaff(pool, { username: 'd', password: '' }), { kind: 'refused', reason: 'passwordInvalid' })
})
