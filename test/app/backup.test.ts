import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { isGood } from '../../src/app/archive-verification.ts'
import { SimulatedNas } from '../../src/demo/simulated-nas.ts'
import { openArchive } from '../../src/platform/backup/archive.ts'
import { loadTables } from '../../src/platform/backup/load.ts'
import { tarEntry } from '../../src/platform/backup/tar.ts'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { ensureWorkingRole } from '../../src/platform/postgres/working-role.ts'
import { withConnection } from '../../src/platform/storage/connection.ts'
import { compareSchemas } from '../../src/platform/storage/schema-check.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { emptyFolder, query, runAsProcess, runCommand } from './processes.ts'
import { rewrittenArchive } from './rewritten-archive.ts'

const fileTest = t
const folder = emptyFolder(t)
const passphrase = join(folder, 'passphrase')
writeFileSync(passphrase, 'correct horse battery staple\n')
const sealed = ['--passphrase-file', passphrase]
const nas = '127.0.0.77'

/** A provider with lines that are open and blocked, money of several kinds, a session and a file of its own. */
let program: OpenedProgram
let archive: string
/** Made while the program worked. */
const busy = join(folder, 'busy.tar')
/** Of the job, and with the same passphrase. */
let nightly: string
/** A database with what the archive has, for those that look at it or use it: to make one costs three seconds of CPU. */
let copy: Awaited<ReturnType<typeof restored>>
t.before(async () => {
  program = await openProgram(t)
  const [first, second] = await signUp(program, 3)
  for (const { account } of [first!, second!])
    await program.create('FinanceOperations', {
      account,
      op_type: 7,
      op_summa: 500 * ruble,
      comment: 'a\ttab, \\N and "ё"\n',
    })
  await program.rest('POST', `/admin/Abonents/promise_pay/${second!.subscriber}/`, { amount: 100 })
  const client = await simulateNas(program, nas)
  await client.signIn('line1', linePassword, '02-00-00-00-00-01')
  await client.stop()
  mkdirSync(join(program.dataDir, 'dictionaries'), { recursive: true })
  writeFileSync(join(program.dataDir, 'dictionaries', 'dictionary.own'), 'VENDOR Own 32473\n')
})

t.test('the job makes one each night, where a folder is set, and keeps the newest', async (t) => {
  const run = async () => (await program.rest('POST', '/admin/jobs/backup/run/')).body
  const runs = async () => (await program.rest('GET', '/admin/jobs/backup/runs/')).body
  await run()
  t.match((await runs()).items[0], { ok: true, result: { not_made: 'folder_not_set' } }, 'without a folder it says so')
  const place = join(folder, 'nightly')
  const set = (settings: object) => program.rest('POST', '/admin/settings/system/', settings)
  await set({ BACKUP_FOLDER: place, BACKUP_KEEP: 1, BACKUP_PASSPHRASE: 'correct horse battery staple' })
  await run()
  t.match((await runs()).items[0], { ok: false, result: { error: /nightly is no folder of this server: make it/ } })
  mkdirSync(place)
  const others = ['tollgate-20200101T000000Z.tar', 'tollgate-20200102T000000Z.tar.0badcafe.partial', 'photos.tar']
  for (const name of others) writeFileSync(join(place, name), '')
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(join(place, others[1]!), longAgo, longAgo)
  const byHand = 'tollgate-20200103T000000Z.tar.0badcafe.partial'
  writeFileSync(join(place, byHand), 'which somebody is writing')
  await run()
  const [last] = (await runs()).items
  t.match(last, { ok: true, result: { tables: Number, rows: Number, bytes: Number, archives_removed: 2 } })
  t.match(readdirSync(place).sort(), ['photos.tar', byHand, /^tollgate-\d{8}T\d{6}Z\.tar$/])
  t.match(last.result.file, place)
  nightly = last.result.file
  const metrics = await (await fetch(program.address.metrics)).text()
  t.match(metrics, /^tollgate_backup_timestamp_seconds 1\.?\d+/m)
  t.match((await set({ BACKUP_FOLDER: 'relative/path' })).status, 400)
})

t.test('an archive is made while the program works, and restores to the row', async (t) => {
  let isOver = false
  const paying = (async () => {
    while (!isOver) {
      await program.create('FinanceOperations', { account: 1, op_type: 7, op_summa: ruble })
      await pause(5)
    }
  })()
  t.match(await runCommand(['backup', busy, ...sealed], program.env), {
    status: 0,
    text: /busy\.tar: .* rows of \d+ tables\.$/,
  })
  isOver = true
  await paying
  t.equal(statSync(busy).mode & 0o777, 0o600, 'readable by the owner alone')
  t.strictSame(
    readdirSync(folder).filter((name) => name.includes('partial')),
    [],
  )

  await program.stop()
  archive = join(folder, 'quiet.tar')
  t.match(await runCommand(['backup', archive, ...sealed], program.env), { status: 0 })
  copy = await restored(t, archive, fileTest)
  const { url } = copy
  t.strictSame(await compareSchemas(url, program.databaseUrl!), [], 'references and indexes are there again')
  t.strictSame(await contentOf(url), await contentOf(program.databaseUrl!), 'every row and every sequence')
  t.strictSame(
    await query(url, `SELECT tgname FROM pg_trigger WHERE tgenabled <> 'O'`),
    [],
    'every trigger fires again',
  )
})

t.test('what is restored answers RADIUS as before and takes money', async (t) => {
  const { env, url } = copy
  const again = await openProgram(t, env)
  const client = await simulateNasAt(again)
  t.match(await client.signIn('line1', linePassword, '02-00-00-00-00-01'), { kind: 'accepted' })
  t.match(await client.signIn('line1', 'another word', '02-00-00-00-00-02'), { kind: 'rejected' })
  await client.stop()
  const [last] = await query(url, 'SELECT max(op_id)::int AS id FROM finance_operations')
  const made = await again.create('FinanceOperations', { account: 2, op_type: 7, op_summa: ruble })
  t.ok(made.id > Number(last!.id), 'numbers go on behind the last')
  t.match(await runCommand(['verify_ledger'], env), { status: 0 })
})

t.test('nothing is overwritten', async (t) => {
  const full = await testDatabaseUrl(t)
  const env = { TOLLGATE_DATA_DIR: emptyFolder(t), DATABASE_URL: full }
  t.match(await runCommand(['restore', archive, ...sealed], env), {
    status: 1,
    text: /^The database is not empty: it has \d+ tables/,
  })
  t.strictSame(
    readdirSync(env.TOLLGATE_DATA_DIR).filter((name) => name !== 'serve.lock'),
    [],
  )
  const embedded = emptyFolder(t)
  mkdirSync(join(embedded, 'spool'))
  t.test('an empty folder of the spool is no obstacle', async (t) => t.ok(existsSync(join(embedded, 'spool'))))
  writeFileSync(join(embedded, 'postgres.json'), '{}')
  t.match(await runCommand(['restore', archive, ...sealed], { TOLLGATE_DATA_DIR: embedded }), {
    status: 1,
    text: /postgres\.json exists already, and nothing is overwritten: .*TOLLGATE_DATA_DIR\.$/,
  })
  t.strictSame(readdirSync(embedded).sort(), ['postgres.json', 'spool'])
  t.match(await runCommand(['backup', archive], program.env), {
    status: 1,
    text: /exists already, and nothing is overwritten/,
  })
})

t.test('what is no whole archive of this version is refused, and leaves nothing', async (t) => {
  const url = await testDatabaseUrl(t, { migrated: false })
  const dataDir = emptyFolder(t)
  const env = { DATABASE_URL: url, TOLLGATE_DATA_DIR: dataDir }
  const whole = readFileSync(archive)
  const wrong = join(folder, 'wrong')
  writeFileSync(wrong, 'another horse battery staple\n')
  const short = join(folder, 'short')
  writeFileSync(short, 'short\n')
  const damaged = Buffer.from(whole)
  damaged[whole.indexOf('database/users/') + 600]! ^= 0xff
  const keys = Buffer.from(whole)
  keys.write('?', whole.indexOf('"method"'))
  const files: [name: string, content: Buffer, sentence: RegExp, options?: string[]][] = [
    ['keys', keys, /^The sealed keys of the archive are damaged: take another copy of it\./],
    ['cut', whole.subarray(0, whole.length - 20_000), /cut.tar is cut off: its end is missing/],
    ['damaged', damaged, /damaged.tar is damaged at database\/users\/000001\.copy\.zst: take another copy/],
    ['empty', Buffer.alloc(0), /is empty or cut off/],
    ['other', tarEntry({ name: 'a.txt', content: Buffer.from('a') }, new Date()), /it does not begin as one/],
    ['text', Buffer.alloc(2_000, 'text'), /is no backup of Tollgate/],
    ['bytes', Buffer.alloc(2_000, 0xff), /^The file is damaged, or it is no backup of Tollgate/],
    [
      'twice',
      await rewrittenArchive(archive, (manifest) => manifest, { twice: users }),
      /damaged at database\/users\/000001/,
    ],
    [
      'screen',
      await rewrittenArchive(archive, (manifest) => ({ ...manifest, tollgate: '\u001b[2J' })),
      /does not begin as one/,
    ],
    [
      'format',
      await rewrittenArchive(archive, (manifest) => ({ ...manifest, format: 2 })),
      /in a newer format than this version reads: restore it with Tollgate 0\.1\.0 or newer/,
    ],
    [
      'newer',
      await rewrittenArchive(archive, (manifest) => ({
        ...manifest,
        migrations: [...manifest.migrations, '20991231000000_later'],
      })),
      /whose tables this version does not know \(20991231000000_later\)/,
    ],
    [
      'rows',
      await rewrittenArchive(archive, (manifest) => ({
        ...manifest,
        tables: manifest.tables.map((table) => (table.name === 'users' ? { ...table, rows: table.rows + 1 } : table)),
      })),
      /has 3 rows of users, and should have 4/,
    ],
    [
      'altered',
      await rewrittenArchive(archive, (manifest) => ({ ...manifest, madeAt: '2020-01-01T00:00:00.000Z' }), {
        keepsSeal: true,
      }),
      /it is another one, or somebody has altered the archive/,
    ],
    ['passphrase', whole, /^The passphrase does not open the keys of this archive/, ['--passphrase-file', wrong]],
    ['missing', whole, /^The keys of the secrets are in this archive, sealed: .*--without-keys\.$/, []],
    ['short', whole, /must be a passphrase of 12 signs or more/, ['--passphrase-file', short]],
  ]
  for (const [name, content, sentence, options = sealed] of files) {
    const file = join(folder, `${name}.tar`)
    writeFileSync(file, content)
    t.match(await runCommand(['restore', file, ...options], env), { status: 1, text: sentence }, name)
    t.strictSame(readdirSync(dataDir), [], `${name} leaves no file`)
    t.strictSame(
      await query(url, `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
      [],
      `${name} leaves no table`,
    )
  }
  t.match(await runCommand(['restore', join(folder, 'nowhere')], env), {
    status: 1,
    text: /^The archive cannot be read: ENOENT/,
  })
})

t.test('what its manifest and its parts contradict is seen when the tables are filled', async (t) => {
  // The test above sees what becomes of a database when it comes to that; here one whose tables are made serves all.
  const url = await testDatabaseUrl(t)
  const files: [name: string, content: Buffer, sentence: RegExp][] = [
    [
      'bomb',
      await rewrittenArchive(archive, (manifest) => manifest, {
        inPlaceOf: [users, zstdCompressSync(Buffer.alloc(2 ** 26))],
      }),
      /is damaged at database\/users\/000001\.copy\.zst: take another copy/,
    ],
    [
      'not packed',
      await rewrittenArchive(archive, (manifest) => manifest, { inPlaceOf: [users, Buffer.from('x')] }),
      /damaged at datab/,
    ],
    [
      'column',
      await rewrittenArchive(archive, (manifest) => ({
        ...manifest,
        tables: manifest.tables.map((table) => ({ ...table, columns: ["id) FROM PROGRAM 'id' --"] })),
      })),
      /which none of its migrations makes/,
    ],
  ]
  for (const [name, content, message] of files) {
    const file = join(folder, `${name}.tar`)
    writeFileSync(file, content)
    const opened = await openArchive(file)
    await t.rejects(
      withConnection(url, (client) => loadTables(client, opened)),
      { message },
      name,
    )
    await opened.close()
  }
})

t.test('a restore that was killed is seen by every start, and is begun anew', async (t) => {
  const url = await testDatabaseUrl(t, { migrated: false })
  const dataDir = emptyFolder(t)
  const env = { DATABASE_URL: url, TOLLGATE_DATA_DIR: dataDir }
  await query(
    url,
    'CREATE TABLE restore_in_progress (); CREATE TABLE users (id int8); CREATE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  )
  mkdirSync(join(dataDir, 'restoring'))
  writeFileSync(join(dataDir, 'restoring', 'placing.json'), JSON.stringify(['secret.key']))
  writeFileSync(join(dataDir, 'secret.key'), 'half of it')
  t.match(await runCommand(['migrate'], env), {
    status: 1,
    text: /^A restore into this database was cut off.*`tollgate restore`/,
  })
  t.match(await runCommand(['migrate'], { TOLLGATE_DATA_DIR: dataDir }), {
    status: 1,
    text: /^A restore into .* was cut off\. Run `tollgate restore`/,
  })
  t.match(await runCommand(['restore', busy, ...sealed], env), {
    status: 0,
    text: /^Restored as it was at .* rows of \d+ tables\.$/m,
  })
  t.strictSame(readdirSync(dataDir).sort(), ['dictionaries', 'secret.key'])
  t.equal(readFileSync(join(dataDir, 'dictionaries', 'dictionary.own'), 'utf8'), 'VENDOR Own 32473\n')
  t.match(await runCommand(['secret_key'], env), { status: 0, text: /All of them open/ })
  const checked = await runCommand(['verify_ledger'], env)
  t.match(checked, { status: 0, text: /all agree/ }, 'with money that moved while it was made')
})

t.test('an archive without keys says so, and is restored beside them or without', async (t) => {
  const file = join(folder, 'no-keys.tar')
  t.match(await runCommand(['backup', file], program.env), {
    status: 0,
    text: /The key of the secrets \([0-9a-f]{8}\) is not in it: keep secret\.key/,
  })
  const without = { DATABASE_URL: await testDatabaseUrl(t, { migrated: false }), TOLLGATE_DATA_DIR: emptyFolder(t) }
  t.match(await runCommand(['restore', file], without), {
    status: 0,
    text: /sealed with key [0-9a-f]{8}, which is not here: put the secret\.key/,
  })
  t.match(await runCommand(['secret_key'], without), { status: 1, text: /bring back the file secret\.key/ })
  const other = {
    ...without,
    DATABASE_URL: await testDatabaseUrl(t, { migrated: false }),
    TOLLGATE_SECRET_KEY: 'another key than before',
  }
  t.match(await runCommand(['restore', archive, ...sealed], other), {
    status: 1,
    text: /^TOLLGATE_SECRET_KEY gives another key than/,
  })
})

t.test('standard output takes an archive, and a folder gets one named by its time', async (t) => {
  const env = program.env
  const piped = await runAsProcess(t, ['backup', '-', ...sealed], env)
  t.match(piped, { status: 0, text: /standard output: [\d.]+ MB/ })
  const place = join(folder, 'many')
  mkdirSync(place)
  t.match(await runCommand(['backup', place], env), { status: 0 })
  t.match(readdirSync(place), [/^tollgate-\d{8}T\d{6}Z\.tar$/])
  chmodSync(place, 0o755)
  t.match(await runCommand(['backup', join(folder, 'no', 'where')], env), {
    status: 1,
    text: /cannot be written: ENOENT/,
  })
})

t.test('into an empty data folder, and tried without one', async (t) => {
  const dataDir = emptyFolder(t)
  t.match(await runCommand(['restore', archive, ...sealed], { TOLLGATE_DATA_DIR: dataDir }), { status: 0 })
  t.strictSame(readdirSync(dataDir).sort(), ['dictionaries', 'postgres', 'postgres.json', 'secret.key'])
  const secret = await runCommand(['secret_key'], { TOLLGATE_DATA_DIR: dataDir })
  t.match(secret, { status: 0, text: /All of them open/ })
  const server = await startPostgres({ dataDir, log: silentLog })
  await query(server.url, `INSERT INTO mikro_orm_migrations (name) VALUES ('20991231000000_later')`)
  const newer = {
    status: 1,
    text: /^The tables were changed by a newer Tollgate \(20991231000000_later\).*`tollgate restore`/,
  }
  t.match(await runCommand(['migrate'], { TOLLGATE_DATA_DIR: dataDir }), newer, 'a data folder of a newer version')
  await server.stop()
  const verified = await runCommand(['backup', '--verify', nightly, ...sealed], { TOLLGATE_DATA_DIR: emptyFolder(t) })
  t.match(verified, {
    status: 0,
    text: /is whole: \d+ parts.*\nIt was restored: .*\nThe ledger: 3 accounts and \d+ operations checked: all agree\.\nThe login line1 signed in by RADIUS\. The keys of its secrets are those of the archive\.$/,
  })
})

t.test('a copy with a wrong ledger, or one whose logins cannot sign in, is not good', async (t) => {
  const { url, dataDir } = copy
  await query(
    url,
    `UPDATE finance_operations SET op_summa = op_summa + 1 WHERE op_id = (SELECT min(op_id) FROM finance_operations)`,
  )
  await query(url, 'DELETE FROM nas')
  const lines: string[] = []
  const looked = {
    url,
    workingUrl: url,
    dataDir,
    log: silentLog,
    print: (line: string) => lines.push(line),
  }
  t.notOk(await isGood({ ...looked, keysFrom: 'As they were.' }))
  t.match(lines.join('\n'), /1 account is wrong\.\nThe login line\d signed in by RADIUS/)
  t.notOk(await isGood({ ...looked, keysFrom: null }))
  t.match(lines.at(-1), /^No login signed in/)
})

/** An empty database and data folder with what the archive has, gone when `owner` is through. */
async function restored(t: Test, file: string, owner: Pick<Test, 'teardown'> = t) {
  const url = await testDatabaseUrl(owner, { migrated: false })
  const dataDir = emptyFolder(owner)
  const env = { DATABASE_URL: url, TOLLGATE_DATA_DIR: dataDir }
  t.match(await runCommand(['restore', file, ...sealed], env), { status: 0 })
  await ensureWorkingRole(url)
  return { url, dataDir, env }
}

/**
 * A digest of each table, of what the archive is to have of it, and the state of each sequence. That a backup was made is
 * noted after it.
 */
async function contentOf(url: string): Promise<Record<string, string>> {
  const tables = await query(
    url,
    `SELECT relname AS name, relkind AS kind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S')
      AND relname NOT IN ('node_log', 'mikro_orm_migrations', 'job_runs', 'job_runs_id_seq') ORDER BY relname`,
  )
  const content: Record<string, string> = {}
  for (const { name, kind } of tables) {
    const rows = await query(
      url,
      kind === 'S' ? `SELECT last_value, is_called FROM ${name}` : `SELECT one::text FROM ${name} AS one ORDER BY 1`,
    )
    content[String(name)] = `${rows.length} ${createHash('md5').update(JSON.stringify(rows)).digest('hex')}`
  }
  return content
}

const users = 'database/users/000001.copy.zst'

/** The NAS of the provider, at another program. */
async function simulateNasAt({ address: { authPort, acctPort } }: OpenedProgram): Promise<SimulatedNas> {
  const client = new SimulatedNas({
    ip: nas,
    secret: 'testing123',
    coaPort: await freeUdpPort(nas),
    server: { host: '127.0.0.1', authPort, acctPort },
    onDisconnected: () => {},
  })
  await client.start()
  return client
}
