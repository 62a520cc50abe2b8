import { randomBytes } from 'node:crypto'
import t from 'tap'
import { checkConnections } from '../../../src/platform/server/connection-checks.ts'
import { judgeServer, type ServerUser } from '../../../src/platform/server/server-checks.ts'
import { readServerFacts, type ServerFacts } from '../../../src/platform/server/server-facts.ts'
import { withConnection } from '../../../src/platform/storage/connection.ts'
import { withDatabase } from '../../../src/platform/storage/schema-check.ts'
import { runCommand } from '../../app/processes.ts'
import { testDatabase } from '../../support/database.ts'
import { testServer } from '../../support/postgres.ts'

const user: ServerUser = { name: 'a', role: 'full', connections: (role) => (role === 'edge' ? 6 : 17) }

const judged = (facts: ServerFacts, changes: Partial<ServerFacts> = {}, as = user) =>
  judgeServer({ ...facts, ...changes }, as).filter(({ state }) => state !== 'ok')

t.test('a server and what it is judged by', async (t) => {
  const { url, database } = await testDatabase(t)
  const facts = await withConnection(url, readServerFacts)
  // The server of the tests spares itself what an operator needs.
  const spared = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', autovacuum: 'on' }
  const settings = (changes: object) => ({ settings: { ...facts.settings, ...spared, ...changes } })
  const sound = { ...facts, ...settings({}) }

  t.strictSame(judged(sound), [], 'the embedded server is as it should be')
  const cases: [changes: Partial<ServerFacts>, state: string, sentence: RegExp][] = [
    [{ version: '14.9', versionNumber: 140_009 }, 'fail', /needs PostgreSQL 15 or newer, and this server is 14\.9/],
    [{ isStandby: true }, 'fail', /is a standby, which takes no writes\. Let DATABASE_URL lead to the primary/],
    [{ encoding: 'SQL_ASCII' }, 'fail', /has the encoding SQL_ASCII.*ENCODING 'UTF8' TEMPLATE template0/],
    [{ foldsLetters: false }, 'warn', /does not find иванов where Иванов is written/],
    [{ schema: null }, 'fail', /has no schema to work in: `GRANT USAGE ON SCHEMA public/],
    [{ isMigrationPending: true, mayMigrate: false }, 'fail', /Run `tollgate migrate` with the DATABASE_URL of/],
    [{ closedTable: 'nas' }, 'fail', /may not read and write the table nas\. Give it the rights/],
    [{ connections: 16 }, 'fail', /has up to 17 connections, and the server allows 16\. Set max_connections/],
    [{ limitOfRole: 3 }, 'fail', /and this role and database allows 3\. Raise it to 22 by `ALTER ROLE/],
    [{ lockSlots: 100 }, 'warn', /room for 100 locks.*Raise max_locks_per_transaction/],
    [{ minWalBytes: 80 << 20 }, 'warn', /^Set by ALTER SYSTEM and pg_reload_conf\(\): min_wal_size = '512MB'/],
    [{ naptimeSeconds: 60 }, 'warn', /autovacuum_naptime = '10s'/],
    [{ clockOffsetMs: -7000 }, 'warn', /^The clock of this machine is 7\.0 s behind that of PostgreSQL/],
    [settings({ fsync: 'off' }), 'warn', /^fsync is off: a power cut may destroy the database/],
    [settings({ autovacuum: 'off' }), 'warn', /autovacuum = on/],
    [
      settings({ synchronous_commit: 'off' }),
      'warn',
      /^synchronous_commit is off: payments that were answered may be lost/,
    ],
    [settings({ default_transaction_read_only: 'on' }), 'fail', /are read-only\. Take it back where it is set/],
    [
      settings({ transaction_timeout: '1min' }),
      'warn',
      /has a transaction_timeout of 1min, which may cut off migrations/,
    ],
    [
      settings({ session_replication_role: 'replica' }),
      'fail',
      /session_replication_role is replica and must be origin/,
    ],
  ]
  for (const [changes, state, sentence] of cases) t.match(judged(sound, changes), [{ state, sentence }])

  const nodes = ['a', 'b', 'c'].map((name) => ({ name, role: name === 'c' ? 'edge' : 'full', version: '0.1.0' }))
  t.match(judged(sound, { nodes, connections: 44 }), [
    { sentence: /^This program and the 2 others .* up to 40 connections/ },
  ])
  t.strictSame(judged(sound, { nodes, connections: 45 }), [])
  const old = { nodes: [{ name: 'b', role: 'full', version: '0.0.9' }] }
  t.strictSame(judged(sound, old), [])
  t.match(judged(sound, { ...old, isMigrationPending: true, mayMigrate: true }), [
    { state: 'fail', sentence: /can be used by 0\.1\.0 and newer, and b \(0\.0\.9\) still serve this database/ },
  ])

  t.match(await withConnection(url, (client) => checkConnections(client, url)), [
    { name: 'connection settings', state: 'ok' },
    { name: 'pooler', state: 'ok' },
  ])
  const { rows } = await database.pool.query("SELECT current_setting('jit') AS jit")
  t.strictSame(rows, [{ jit: 'off' }])
})

t.test('what a role, its rights and its database must not be is said by any command, all of it at once', async (t) => {
  const server = await testServer()
  const name = `tollgate_bad_${randomBytes(4).toString('hex')}`
  await withConnection(server, async (client) => {
    for (const text of [
      `CREATE ROLE ${name} LOGIN PASSWORD 'word' CONNECTION LIMIT 4`,
      `ALTER ROLE ${name} SET standard_conforming_strings = off`,
      `ALTER ROLE ${name} SET DateStyle = 'German'`,
      `ALTER ROLE ${name} SET statement_timeout = '30s'`,
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`,
    ])
      await client.query(text)
  })
  t.teardown(() =>
    withConnection(server, async (client) => {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await client.query(`DROP ROLE ${name}`)
    }),
  )
  const url = new URL(withDatabase(server, name))
  url.username = name
  url.password = 'word'
  const { status, text } = await runCommand(['migrate'], { DATABASE_URL: url.href })
  t.equal(status, 1)
  const lines = text.trim().split('\n')
  t.match(lines, [
    /has the encoding SQL_ASCII/,
    /^standard_conforming_strings is off and must be on; DateStyle is German, DMY and must be ISO\. Take it back/,
    /^The tables have to be brought up to this version, and role tollgate_bad_\w+ may not do that\./,
    /^Tollgate has up to 17 connections, and this role and database allows 4\./,
  ])
  t.equal(lines.length, 4, 'a warning is for those that serve')
})
