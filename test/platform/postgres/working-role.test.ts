import t from 'tap'
import { query } from '../../app/processes.ts'
import { openProgram } from '../../support/opened-program.ts'
import { ownServer } from '../../support/postgres.ts'

t.test('on a data folder from before the working role, the program reads and writes rows and no more', async (t) => {
  const server = await ownServer(t, { migrated: false })
  await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS value')
  await query(server.url, 'DROP OWNED BY tollgate_work')
  await query(server.url, 'DROP ROLE tollgate_work')
  await server.stop()
  await server.start()

  const program = await openProgram(t, { DATABASE_URL: server.url })
  const { pool, ledger, accounting } = program.parts.database
  for (const connections of [pool, ledger, accounting]) {
    const { rows } = await connections.query(
      `SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
              exists(SELECT FROM pg_auth_members WHERE member = pg_roles.oid) AS belongs,
              (SELECT count(*)::int4 FROM pg_class WHERE relowner = pg_roles.oid) AS owns
       FROM pg_roles WHERE rolname = current_user`,
    )
    t.strictSame(
      rows.map((row) => ({ ...row })),
      [
        {
          ...{ rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: false, rolbypassrls: false },
          ...{ belongs: false, owns: 0 },
        },
      ],
    )
    for (const sql of [
      `COPY (SELECT 1) TO PROGRAM 'cat'`,
      `COPY abonents FROM '/etc/passwd'`,
      `SELECT pg_read_file('/etc/passwd')`,
      'CREATE TABLE mine (value int4)',
      'ALTER TABLE abonents DISABLE TRIGGER ALL',
      'TRUNCATE abonents',
      'DROP TABLE audit_operations',
      `SET session_replication_role = 'replica'`,
      'ALTER SYSTEM SET fsync = off',
      'SET ROLE tollgate',
    ])
      await t.rejects(connections.query(sql), { code: '42501' }, sql)
  }
  t.strictSame((await pool.query('SELECT value FROM kept')).rows, [{ value: 42 }], 'what was there stays, and is open')
  t.equal(
    (await program.rest('POST', '/rest_api/v2/Tarif/', { name: 'Slow', price: 0, speed_mbit: 1 })).status,
    201,
    'and it writes',
  )
  const { rows } = await pool.query(
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
       AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
                AND has_table_privilege(oid, 'DELETE') AND has_table_privilege(oid, 'MAINTAIN'))`,
  )
  t.strictSame(rows, [], 'every table of the migrations is open to it')
})
