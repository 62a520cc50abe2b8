import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { checkDisk, portCheck } from '../../src/app/doctor/machine.ts'
import { checkRunning, figuresOf } from '../../src/app/doctor/running.ts'
import { silentLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { startMetricsServer } from '../../src/platform/metrics/server.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { migratedDataDir } from '../support/data-folder.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { inEachTurn } from '../support/turns.ts'
import { until } from '../support/until.ts'
import { emptyFolder, query, runCommand } from './processes.ts'

type Found = { readonly name: string; readonly state: string; readonly sentence: string }

const free = {
  TOLLGATE_HTTP_PORT: '0',
  TOLLGATE_RADIUS_AUTH_PORT: '0',
  TOLLGATE_RADIUS_ACCT_PORT: '0',
  TOLLGATE_METRICS_PORT: '0',
}

/** What `doctor --json` finds, by name. */
async function examined(env: NodeJS.ProcessEnv): Promise<{ status: number | null; found: Map<string, Found> }> {
  const { status, text } = await runCommand(['doctor', '--json'], { ...free, ...env })
  // Warnings of the log come before it.
  const { ok, checks } = JSON.parse(text.slice(text.indexOf('{\n'))) as { ok: boolean; checks: Found[] }
  t.equal(ok, status === 0)
  return { status, found: new Map(checks.map((check) => [check.name, check])) }
}

const stateOf = (found: Map<string, Found>, ...names: string[]) => names.map((name) => found.get(name)?.state)

t.test('where there is nothing yet, nothing is made and nothing is wrong', async (t) => {
  const folder = emptyFolder(t)
  const env = { ...free, TOLLGATE_DATA_DIR: join(folder, 'data') }
  const { status, text } = await runCommand(['doctor'], env)
  t.equal(status, 0)
  t.match(text, /^ok {4}data folder: .* is not there yet; the first start makes it\.$/m)
  t.match(text, /^ok {4}tables: There is no database yet/m)
  t.match(text, /^\d+ checks: 0 failed, \d+ with a warning\.$/m)
  t.strictSame(readdirSync(folder), [])
})

t.test('the disk is measured in turns with everything else', async (t) => {
  let turns = 0
  const checks = await inEachTurn(
    () => turns++,
    () => checkDisk(emptyFolder(t)),
  )
  t.same(
    checks.map(({ name }) => name),
    ['disk space', 'disk speed'],
  )
  // A page is written and flushed 25 times.
  t.ok(turns >= 25, `${turns} turns`)
})

t.test('what the tables tell is said, each with what to do', async (t) => {
  const url = await testDatabaseUrl(t)
  const env = { TOLLGATE_DATA_DIR: emptyFolder(t), DATABASE_URL: url }
  const names = [
    'ledger proof',
    'NAS that never spoke',
    'silent NAS',
    'clocks of NAS',
    'jobs',
    'backup',
    'messages',
    'payments',
    'gateways',
  ]
  const well = await examined(env)
  t.equal(well.status, 0)
  t.strictSame(stateOf(well.found, ...names), ['warn', 'ok', 'ok', 'ok', 'ok', 'warn', 'ok', 'ok', 'ok'])
  t.equal(well.found.get('version')?.state, 'ok', 'a server of the operator’s own is looked at too')
  await query(
    url,
    `INSERT INTO nas (name, ip, secret, last_packet_at, clock_ahead_seconds) VALUES ('bras', '192.0.2.1', 'x', NULL, NULL),
      ('old', '192.0.2.2', 'x', now() - interval '2 days', -3600);
    INSERT INTO job_runs (name, started_at, ended_at, ok, result) VALUES
      ('verify_ledger', now(), now(), false, '{"broken": 3}'), ('retention', now(), now(), false, '{}'),
      ('backup', now() - interval '3 days 1 hour', now(), true, '{"bytes": 1}'), ('backup', now(), now(), true, '{"not_made": "folder_not_set"}');
    INSERT INTO notifications (kind, text, created_at) VALUES ('low_balance', 'x', now() - interval '2 hours');
    INSERT INTO payment_problems (gateway, protocol, reason, detail, notice, fingerprint) VALUES ('gwb', 'form', 'unknownOrder', '', '', 'x');
    UPDATE system_settings SET value = '12345' WHERE name = 'LK_GWA_SHOP_ID';`,
  )
  const ill = await examined(env)
  t.equal(ill.status, 1)
  t.strictSame(stateOf(ill.found, ...names), ['fail', 'warn', 'warn', 'warn', 'warn', 'warn', 'warn', 'warn', 'warn'])
  t.match(
    ill.found.get('ledger proof')?.sentence,
    /found 3 accounts wrong\. Money → Ledger proof and `tollgate verify_ledger` name/,
  )
  t.match(ill.found.get('NAS that never spoke')?.sentence, /from bras\. Compare/)
  t.match(ill.found.get('silent NAS')?.sentence, /from old for/)
  const metrics = createMetrics({ version: '1.2.3' })
  const heard = (nas: string) => ({ port: 'auth', nas, result: 'accept', fault: null, count: 1 }) as const
  metrics.radius.source = () => ({ counts: [heard('bras'), heard('a "new"\\\none')] })
  const running = await startMetricsServer({ port: 0, metrics, log: silentLog })
  t.teardown(() => running.stop())
  await query(url, `INSERT INTO nas (name, ip, secret) VALUES (E'a "new"\\\\\none', '192.0.2.3', 'x')`)
  const beside = await examined({ ...env, TOLLGATE_METRICS_PORT: String(running.port) })
  t.equal(
    beside.found.get('NAS that never spoke')?.sentence,
    'Every enabled NAS has been heard.',
    'the program that runs has heard them, although their records do not say so yet',
  )
  t.match(ill.found.get('clocks of NAS')?.sentence, /of old \(3600 s behind\)/)
  t.match(ill.found.get('jobs')?.sentence, /retention, verify_ledger/)
  t.match(well.found.get('backup')?.sentence, /^No backup has been made\. Set BACKUP_FOLDER/)
  t.match(ill.found.get('backup')?.sentence, /is 3 days old/, 'a run that made none does not count')
  t.match(ill.found.get('messages')?.sentence, /^1 messages.* TOLLGATE_SMS_URL.* Messages → Message log/)
  t.match(ill.found.get('gateways')?.sentence, /LK_GWA_SECRET_KEY is empty/)
  await query(url, 'DELETE FROM mikro_orm_migrations WHERE id = (SELECT max(id) FROM mikro_orm_migrations)')
  const older = await examined(env)
  t.match(older.found.get('tables'), { state: 'warn', sentence: /of an older version/ })
})

t.test('an archive of the write-ahead log is a backup while it goes on', async (t) => {
  const dataDir = migratedDataDir()
  const may = join(dataDir, 'postgres', 'may-be-archived')
  // It works in the folder of the cluster.
  const settings = { fsync: 'off', archive_mode: 'on', archive_command: 'test -f may-be-archived' }
  const server = await startPostgres({ dataDir, log: silentLog, settings })
  t.teardown(async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const backup = async () => {
    const { found } = await examined({ TOLLGATE_DATA_DIR: emptyFolder(t), DATABASE_URL: server.workingUrl })
    return found.get('backup')
  }
  t.match(await backup(), { state: 'warn', sentence: /has archived nothing .* for a day\. Set archive_command/ })
  const archiver = (column: string) => async () =>
    (await query(server.url, `SELECT FROM pg_stat_archiver WHERE ${column} > 0`)).length > 0
  const fillSegment = () => query(server.url, `SELECT pg_logical_emit_message(true, '', 'x'); SELECT pg_switch_wal()`)
  await fillSegment()
  await until(archiver('failed_count'))
  t.match(await backup(), { state: 'warn', sentence: /^The last attempt .* why archive_command did not succeed\.$/ })
  writeFileSync(may, '')
  await fillSegment()
  await until(archiver('archived_count'))
  t.match(await backup(), { state: 'ok', sentence: /^PostgreSQL archives its write-ahead log/ })
  await query(
    server.url,
    `INSERT INTO job_runs (name, started_at, ended_at, ok, result) VALUES ('backup', now(), now(), true, '{"bytes": 1}')`,
  )
  t.equal((await backup())?.sentence, 'A backup was made within two days.')
})

t.test('a database that is away, and a port of another program, are failures without a password in them', async (t) => {
  const other = createSocket('udp4').bind(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { status, text } = await runCommand(['doctor'], {
    ...free,
    TOLLGATE_DATA_DIR: emptyFolder(t),
    DATABASE_URL: 'postgres://tollgate:hunter2@127.0.0.1:1/tollgate',
    TOLLGATE_RADIUS_HOST: '127.0.0.1',
    TOLLGATE_RADIUS_AUTH_PORT: String(other.address().port),
    // An address of documentation, which no machine has.
    TOLLGATE_METRICS_HOST: '192.0.2.1',
    TOLLGATE_METRICS_PORT: '9464',
  })
  t.equal(status, 1)
  t.match(
    text,
    /^FAIL {2}connection: The database cannot be reached \(ECONNREFUSED\)\. Is PostgreSQL running, and DATABASE_URL right\?$/m,
  )
  t.match(text, /^FAIL {2}port of RADIUS sign-ins: .* is taken by another program \(`ss -lunp` shows which\)/m)
  t.match(text, /^FAIL {2}port of Prometheus: .* address 192\.0\.2\.1\. `ip address` .* set TOLLGATE_METRICS_HOST\.$/m)
  t.notMatch(text, /hunter2/)
})

t.test('key, certificate and proxy', async (t) => {
  const folder = emptyFolder(t)
  const [key, pem] = [join(folder, 'secret.key'), join(folder, 'wrong.pem')]
  for (const file of [key, pem]) writeFileSync(file, 'x')
  chmodSync(key, 0o644)
  const env = { TOLLGATE_DATA_DIR: folder, TOLLGATE_PUBLIC_URL: 'https://billing.example' }
  const { found } = await examined(env)
  t.strictSame(stateOf(found, 'secret key', 'proxy', 'certificate'), ['warn', 'warn', undefined])
  const tls = { TOLLGATE_TLS_CERT: pem, TOLLGATE_TLS_KEY: pem, TOLLGATE_SECRET_KEY: 'k'.repeat(32) }
  const secured = await examined({ ...env, ...tls })
  t.strictSame(stateOf(secured.found, 'secret key', 'proxy', 'certificate'), ['ok', undefined, 'fail'])
  t.match(secured.found.get('certificate')?.sentence, /wrong\.pem cannot be read as a certificate/)
})

t.test('the running program is asked for what stands in no table', async (t) => {
  const metrics = createMetrics({ version: '1.2.3' })
  metrics.nas.health.source = () => ({ ok: 1, silent: 0, never: 0, wrong_secret: 2 })
  // A service has another limit than the shell that the command is given in.
  const text = async () => (await metrics.text()).replace(/^process_max_fds .*$/m, 'process_max_fds 12345')
  const server = await startMetricsServer({ port: 0, metrics: { ...metrics, text }, log: silentLog })
  t.teardown(() => server.stop())
  const { found } = await examined({
    TOLLGATE_DATA_DIR: emptyFolder(t),
    TOLLGATE_METRICS_PORT: String(server.port),
  })
  t.strictSame(stateOf(found, 'program', 'secrets of NAS', 'port of Prometheus'), ['ok', 'warn', 'ok'])
  t.match(found.get('open files')?.sentence, /^Only 12345 files/)
  const dropped = 'tollgate_radius_requests_total{port="auth",nas="unknown",result="dropped",fault="unknownNas"} 7'
  const told = checkRunning(
    figuresOf(`# TYPE x counter\n${dropped}\ntollgate_accounting_spool_bytes 12\ntollgate_database_up 1`),
  )
  t.match(
    told.find(({ name }) => name === 'unknown NAS'),
    { state: 'warn', sentence: /^7 RADIUS packets.* make a record/ },
  )
  t.match(
    told.find(({ name }) => name === 'spool'),
    { state: 'warn', sentence: /where they stay, the log says why/ },
  )
})

t.test('a port below 1024 that only the service may have is no failure of the machine', async (t) => {
  const port = { what: 'HTTP', host: '0.0.0.0', port: 443, isUdp: false, variable: 'TOLLGATE_HTTP_PORT' }
  t.equal(portCheck(port, 'EACCES', true).state, 'ok', 'a program that runs has it')
  const before = portCheck(port, 'EACCES', false)
  t.equal(before.state, 'warn')
  t.match(before.sentence, /^TCP 0\.0\.0\.0:443 was not tried, .* CAP_NET_BIND_SERVICE/)
})
