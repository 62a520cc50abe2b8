// needs /usr/lib/postgresql/15/bin/postgres from postgresql-15
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openArchive } from '../../src/platform/backup/archive.ts'
import { loadDatabase } from '../../src/platform/backup/load.ts'
import { silentLog } from '../../src/platform/log.ts'
import { binariesOf } from '../../src/platform/postgres/binaries.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { chooseUser } from '../../src/platform/postgres/user.ts'
import { emptyFolder, query, runCommand } from '../app/processes.ts'
import { upgradesFolder } from '../upgrades/expected.ts'

t.test('the cluster of an older PostgreSQL is refused, carried over, and can be gone back to', async (t) => {
  const dataDir = emptyFolder(t)
  const env = { TOLLGATE_DATA_DIR: dataDir }
  const before = await makeOldCluster(dataDir)

  t.match(await runCommand(['verify_ledger'], env), {
    status: 1,
    text: /was made by PostgreSQL 15, and this Tollgate brings PostgreSQL \d+\. `tollgate upgrade_database` carries the data over\.$/,
  })
  t.match(await runCommand(['upgrade_database', '--binaries', dataDir], env), {
    status: 1,
    text: /^The data was made by PostgreSQL 15, and its binaries are needed once more/,
  })
  t.match(await runCommand(['upgrade_database'], env), {
    status: 0,
    text: /^The database was carried over from PostgreSQL 15 to \d+\. The ledger: 12 accounts and \d+ operations checked: all agree\.\nThe old one is kept in .*postgres\.15; delete it when all is well\.$/,
  })
  t.match(
    readdirSync(dataDir)
      .filter((name) => /postgres|upgrading/.test(name))
      .sort(),
    ['postgres', 'postgres.15', 'postgres.15.json', 'postgres.json', /postgres\.log/],
  )
  t.match(await runCommand(['verify_ledger'], env), { status: 0, text: /^12 accounts/ })
  t.match(await runCommand(['upgrade_database'], env), { status: 0, text: 'The database is of this major already.' })

  t.test('an upgrade that is killed while the clusters change places is completed', async (t) => {
    const draft = join(dataDir, 'upgrading')
    mkdirSync(draft)
    for (const name of ['postgres', 'postgres.json']) renameSync(join(dataDir, name), join(draft, name))
    writeFileSync(join(draft, 'ready'), '15')
    t.match(await runCommand(['migrate'], env), {
      status: 1,
      text: /The upgrade of the database .* was cut off\. Run `tollgate upgrade_database` again\.$/,
    })
    t.match(await runCommand(['upgrade_database'], env), { status: 0 })
    t.notOk(existsSync(draft))
    t.match(await runCommand(['verify_ledger'], env), { status: 0, text: /^12 accounts/ })
  })

  t.test('the way back', async (t) => {
    for (const name of ['postgres', 'postgres.json']) renameSync(join(dataDir, name), join(dataDir, `${name}.new`))
    renameSync(join(dataDir, 'postgres.15'), join(dataDir, 'postgres'))
    renameSync(join(dataDir, 'postgres.15.json'), join(dataDir, 'postgres.json'))
    const server = await startPostgres({ dataDir, log: silentLog, binaries: (await binariesOf('15', null))! })
    t.teardown(() => server.stop())
    t.strictSame(await balances(server.url), before)
  })
})

const balances = (url: string) => query(url, 'SELECT id, ostatok FROM admin_accounts ORDER BY id')

/** As an embedded cluster of that major would be, with the data of a release. Answers its balances. */
async function makeOldCluster(dataDir: string) {
  const path = join(dataDir, 'postgres')
  const user = chooseUser(path)
  mkdirSync(path, { mode: 0o700 })
  const passwordFile = join(dataDir, 'password')
  writeFileSync(passwordFile, 'an old password')
  if (user) for (const owned of [path, passwordFile]) chownSync(owned, user.uid, user.gid)
  execFileSync(
    '/usr/lib/postgresql/15/bin/initdb',
    [
      '-D',
      path,
      '-U',
      'tollgate',
      '--pwfile',
      passwordFile,
      '--auth',
      'scram-sha-256',
      '--encoding',
      'UTF8',
      '--locale',
      'C.UTF-8',
    ],
    { stdio: 'ignore', cwd: '/', ...(user && { uid: user.uid, gid: user.gid }) },
  )
  const key = { user: 'tollgate', password: readFileSync(passwordFile, 'utf8'), database: 'tollgate', port: 0 }
  writeFileSync(join(dataDir, 'postgres.json'), JSON.stringify(key))
  const server = await startPostgres({ dataDir, log: silentLog, binaries: (await binariesOf('15', null))! })
  try {
    const { manifest, contents, close } = await openArchive(join(upgradesFolder, '0.1.0.tar'))
    await loadDatabase({ url: server.url, manifest, contents, log: silentLog })
    await close()
    return await balances(server.url)
  } finally {
    await server.stop()
  }
}
