import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { testDatabaseUrl } from '../support/database.ts'
import { secretsIn } from '../support/secrets.ts'
import { openProgram } from '../support/opened-program.ts'
import { bareEnv, emptyFolder, Process, query, runCommand } from './processes.ts'
import { until } from '../support/until.ts'

const freePorts = {
  TOLLGATE_HTTP_PORT: '0',
  TOLLGATE_RADIUS_HOST: '127.0.0.1',
  TOLLGATE_RADIUS_AUTH_PORT: '0',
  TOLLGATE_RADIUS_ACCT_PORT: '0',
  TOLLGATE_RADIUS_WORKERS: '1',
  TOLLGATE_METRICS_PORT: '0',
  TOLLGATE_ADMIN_PASSWORD: 'correct-horse-battery',
}

t.test('a program without the key of its database', async (t) => {
  const dataDir = emptyFolder(t)
  const url = await testDatabaseUrl(t)
  const env = { ...freePorts, TOLLGATE_DATA_DIR: dataDir, DATABASE_URL: url }
  const file = join(dataDir, 'secret.key')
  const refused = {
    status: 1,
    text: /^The secrets of this database were sealed with key [0-9a-f]{8}, .* TOLLGATE_SECRET_KEY/,
  }
  const notYet = await runCommand(['secret_key'], env)
  t.match(notYet, { status: 1, text: 'There is no key yet; the first start makes one.' })
  const first = await openProgram(t, env)
  const desk = ['create_staff', '--username', 'desk', '--password', 'long enough', '--role', 'cashier']
  t.match(await runCommand(desk, env), { status: 0 }, 'the password of a cash desk is sealed')
  const { keyId } = secretsIn(dataDir)
  t.match(await runCommand(['secret_key'], env), {
    status: 0,
    text: `Key ${keyId}, from ${file}.\n1 value sealed: 1 that name this key. All of them open.`,
  })
  await first.stop()
  renameSync(file, `${file}.away`)

  await t.test('is refused in a sentence, and makes no key', async (t) => {
    const { status, text } = await runCommand(['serve'], env)
    t.match({ status, text: text.split('\n').at(-1) }, refused)
    t.notMatch(text, /"ready"/)
    t.notMatch(text, /stack/)
    const others = [
      ['create_staff', '--username', 'anna', '--password', 'long enough'],
      ['secret_key'],
      ['secret_key', '--rotate'],
    ]
    for (const args of others) t.match(await runCommand(args, env), refused, args.join(' '))
    t.notOk(existsSync(file))
    t.match(await query(url, 'SELECT count(*)::int FROM staff'), [{ count: 2 }])
  })

  await t.test('starts when the key is back', async (t) => {
    renameSync(`${file}.away`, file)
    const again = await openProgram(t, env)
    await again.stop()
  })

  await t.test('continues with a new key when the old one is given up', async (t) => {
    renameSync(file, `${file}.away`)
    t.match(await runCommand(['secret_key', '--rotate', '--lost'], env), { status: 1, text: /choose one of them/ })
    const { status, text } = await runCommand(['secret_key', '--lost'], env)
    t.equal(status, 1, 'there is a value that does not open')
    t.match(text, /^From now on key [0-9a-f]{8} seals.*\n.*staff\.soap_md5: 1 value opened with no known key\./s)
    const again = await openProgram(t, env)
    await again.stop()
  })
})

t.test('a rotation that is killed in the middle', async (t) => {
  const dataDir = emptyFolder(t)
  const url = await testDatabaseUrl(t)
  const env = { ...freePorts, TOLLGATE_DATA_DIR: dataDir, DATABASE_URL: url }
  const serving = await openProgram(t, env)
  const old = secretsIn(dataDir)
  await query(url, `INSERT INTO nas (name, ip, secret) VALUES ('bras', '127.0.0.1', '${old.seal('testing123')}')`)
  await query(url, `UPDATE staff SET soap = true, soap_md5 = '${old.seal('md5')}'`)
  await query(url, `INSERT INTO switches (name, ip, snmp_community) VALUES ('s', '10.0.0.1', '${old.seal('public')}')`)
  t.match(await runCommand(['secret_key', '--rotate'], env), {
    status: 1,
    text: /^Tollgate, or a command of it, runs .* stop it/,
  })
  t.strictSame(secretsIn(dataDir).keyIds, [old.keyId])
  await serving.stop()

  const blocker = new pg.Client({ connectionString: url })
  blocker.on('error', () => {})
  await blocker.connect()
  t.teardown(() => blocker.end())
  await blocker.query('BEGIN')
  await blocker.query('SELECT FROM switches FOR UPDATE')
  const rotating = new Process(t, ['src/main.ts', 'secret_key', '--rotate'], { env: { ...bareEnv, ...env } })
  const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE switches%'`
  await until(async () => (await query(url, waits)).length > 0)
  rotating.child.kill('SIGKILL')
  await rotating.ended
  await blocker.query(`SELECT pg_terminate_backend(pid) ${waits.slice('SELECT'.length)} AND pid <> pg_backend_pid()`)
  await blocker.query('ROLLBACK')

  const both = secretsIn(dataDir)
  t.equal(both.keyIds.length, 2)
  t.equal(both.keyIds[1], old.keyId)
  const sealed = `SELECT (SELECT secret FROM nas) AS nas, (SELECT snmp_community FROM switches) AS switch`
  const [between] = (await query(url, sealed)) as { nas: string; switch: string }[]
  t.strictSame([both.openerOf(between!.nas), both.openerOf(between!.switch)], both.keyIds, 'only some is sealed anew')
  t.match(await runCommand(['secret_key'], env), {
    status: 0,
    text: /The change from key .* is not complete: .*All of them open\./s,
  })

  const again = await openProgram(t, env)
  t.notMatch(JSON.stringify(again.log), /cannot be (read|opened)/)
  t.match(await runCommand(['secret_key', '--rotate'], env), {
    status: 0,
    text: new RegExp(`Key ${both.keyId} has taken the place of key ${old.keyId}\\.\nThe old key opens backups`),
  })
  const secrets = secretsIn(dataDir)
  t.strictSame(secrets.keyIds, [both.keyId])
  const [after] = (await query(url, sealed)) as { nas: string; switch: string }[]
  t.strictSame([secrets.open(after!.nas), secrets.open(after!.switch)], ['testing123', 'public'])
  t.equal(readFileSync(join(dataDir, `secret.key.${old.keyId}`), 'utf8').length, 65)
  await again.stop()
  t.match(await runCommand(['secret_key'], env), {
    status: 0,
    text: /3 values sealed: 3 that name this key\. All of them open\./,
  })
})
