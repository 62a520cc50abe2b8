import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { verifyPassword } from '../../src/platform/staff/passwords.ts'
import { silentLog } from '../../src/platform/log.ts'
import { restoreLinks } from '../../src/platform/postgres/binaries.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { bareEnv, emptyFolder, Process, query, runAsProcess, runCommand } from './processes.ts'
import { secretsIn } from '../support/secrets.ts'

const entry = 'src/main.ts'
const bin = 'bin/tollgate.js'

t.test('the help lists the commands, and each has its own', async (t) => {
  const overview = await runAsProcess(t, ['--help'])
  t.equal(overview.status, 0)
  const names = [
    'serve',
    'demo',
    'migrate',
    'create_staff',
    'backfill_abonent_org',
    'backfill_finops_org',
    'check_schema',
    'backup',
    'restore',
    'upgrade_database',
    'secret_key',
    'doctor',
    'verify_ledger',
    'import_subscribers',
    'import_from',
    'shadow',
  ]
  // The demo is listed by main.ts.
  const helpOf = (name: string) => (name === 'demo' ? runAsProcess(t, [name, '--help']) : runCommand([name, '--help']))
  const helps = await Promise.all(names.map(helpOf))
  for (const [index, name] of names.entries()) {
    t.match(overview.text, new RegExp(`^  ${name} `, 'm'))
    t.match(helps[index], { status: 0, text: new RegExp(`^Usage: tollgate ${name}`) })
  }
})

t.test('the demo listens to others only with a password of its own', async (t) => {
  const answer = await runAsProcess(t, ['demo'], { TOLLGATE_HTTP_HOST: '0.0.0.0', TOLLGATE_TRUST_PROXY: '10.0.0.1' })
  t.match(answer, { status: 1, text: /well-known password.*TOLLGATE_ADMIN_PASSWORD/ })
})

t.test('what cannot be understood is answered with a sentence and status 1', async (t) => {
  const refused: [args: string[], sentence: RegExp][] = [
    [['frobnicate'], /^There is no command "frobnicate"\. `tollgate --help` lists them\.$/],
    [['toString'], /^There is no command "toString"/],
    [
      ['import_from', 'freeradius_files', '/none', '--report', '/none/all.csv'],
      /^\/none\/all\.csv cannot be written: ENOENT/,
    ],
    [['migrate', '--force'], /^Unknown option '--force'\. `tollgate migrate --help` shows how it is used\.$/],
    [['migrate', 'all'], /^"all" is one argument too many\./],
    [['create_staff', '--username', 'anna'], /^The password is missing: .*--password-stdin/],
    [['create_staff', '--username'], /^Option '--username <value>' argument missing\./],
    [
      ['create_staff', '--username', 'a', '--password', 'b', '--organization', 'x'],
      /^--organization must be the number/,
    ],
  ]
  const env = { TOLLGATE_DATA_DIR: '/etc/passwd/never-used' }
  // The second one looks for a terminal.
  const asProcesses = new Set(['frobnicate', 'create_staff --username anna'])
  const answers = await Promise.all(
    refused.map(([args]) => (asProcesses.has(args.join(' ')) ? runAsProcess(t, args, env) : runCommand(args, env))),
  )
  for (const [index, [args, sentence]] of refused.entries())
    t.match(answers[index], { status: 1, text: sentence }, args.join(' '))
})

t.test('every wrong variable is reported at once, each on its own line', async (t) => {
  const { status, text } = await runCommand(['serve'], { TOLLGATE_HTTP_PORT: 'x', TOLLGATE_RADIUS_AUTH_PORT: '-1' })
  t.equal(status, 1)
  t.match(text, /^TOLLGATE_HTTP_PORT is "x", but .*\nTOLLGATE_RADIUS_AUTH_PORT is "-1", but .*\.$/)
})

t.test('a database that is not there, and a folder that cannot be, are sentences', async (t) => {
  const away = await runCommand(['migrate'], { DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' })
  t.equal(away.status, 1)
  t.match(away.text, /^The database is away .*Check DATABASE_URL\.$/)
  t.notMatch(away.text, /secret/)
  const folder = await runCommand(['migrate'], { TOLLGATE_DATA_DIR: '/etc/passwd/tollgate' })
  t.equal(folder.status, 1)
  t.match(folder.text, /^The data folder \/etc\/passwd\/tollgate cannot be used: .*TOLLGATE_DATA_DIR\.$/)
  const nowhere = await runCommand(['migrate'], { TOLLGATE_DATA_DIR: '/proc/tollgate/data' })
  t.equal(nowhere.status, 1, 'Node itself would try for ever')
  t.match(nowhere.text, /^The data folder \/proc\/tollgate\/data cannot be used: .*TOLLGATE_DATA_DIR\.$/)
  const file = await runCommand(['migrate'], { TOLLGATE_DATA_DIR: '/etc/passwd' })
  t.equal(file.text, 'The data folder /etc/passwd is not a folder. Choose another with TOLLGATE_DATA_DIR.')
})

t.test('an older Node hands over to the one that npm installed', async (t) => {
  const older = '/usr/bin/node'
  const handing = new Process(t, [bin, 'migrate', '--help'])
  t.strictSame(await handing.ended, { status: 0, signal: null })
  if (!existsSync(older)) return
  const { status, stdout } = spawnSync(older, [bin, 'migrate', '--help'], { encoding: 'utf8' })
  t.equal(status, 0)
  t.match(stdout, /^Usage: tollgate migrate/)
})

t.test('commands on one data folder', async (t) => {
  const dataDir = emptyFolder(t)
  const env = { TOLLGATE_DATA_DIR: dataDir }

  await t.test('migrate makes the tables once', async (t) => {
    t.match(await runCommand(['migrate'], env), { status: 0, text: /^applied .*\nThe database is up to date now\.$/s })
    t.match(await runCommand(['migrate'], env), { status: 0, text: 'The database was up to date already.' })
  })

  await t.test('a failure that nobody caught ends the process with status 1', async (t) => {
    // Thrown as soon as the program listens for such failures.
    const throwing = `process.on('newListener', (name) => name === 'uncaughtException' && setTimeout(() => { throw new Error('boom') }))`
    const { status, text } = await runAsProcess(t, ['migrate'], {
      ...env,
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(throwing)}"`,
    })
    t.equal(status, 1)
    t.match(text, /The program has failed and ends.*boom/)
  })

  await t.test('create_staff and verify_ledger work on the database of a running program', async (t) => {
    const server = await startPostgres({ dataDir, log: silentLog })
    t.teardown(() => server.stop())
    await query(server.url, `insert into organizations (id, name) values (7, 'Branch')`)
    const anna = ['create_staff', '--username', 'anna', '--password', 'long enough', '--role', 'cashier']
    t.match(await runCommand([...anna, '--organization', '1', '--organization', '7'], env), {
      status: 0,
      text: /anna is created/,
    })
    t.strictSame(
      await query(
        server.url,
        `select username, role, is_superuser, array_agg(organization_id::int order by 1)::text as organizations
         from staff join staff_organizations on staff_id = staff.id group by staff.id`,
      ),
      [{ username: 'anna', role: 'cashier', is_superuser: false, organizations: '{1,7}' }],
    )
    t.match(
      await query(server.url, `select user_name, action, diff from audit_operations where table_name = 'STAFF'`),
      [{ user_name: 'create_staff', action: 'create', diff: { username: [null, 'anna'], password: [null, '***'] } }],
    )
    const [{ soap_md5 = '' } = {}] = await query(server.url, 'select soap_md5 from staff')
    const md5 = createHash('md5').update('long enough').digest('hex')
    t.equal(secretsIn(dataDir).open(String(soap_md5)), md5, 'SOAP can check the sign-in')
    t.match(await runCommand(anna, env), { status: 1, text: 'A staff user of this name exists.' })
    t.match(await runCommand(anna, env), { text: /--password shows the password to everybody/ })

    const fromInput = ['create_staff', '--username', 'boris', '--password-stdin', '--role', 'viewer']
    const boris = new Process(t, [entry, ...fromInput], { env: { ...bareEnv, ...env } })
    boris.child.stdin!.end('twenty hedgehogs\n')
    await boris.line(/boris is created/)
    const [row] = await query(server.url, `select password_hash, soap, soap_md5 from staff where username = 'boris'`)
    t.ok(await verifyPassword('twenty hedgehogs', String(row!.password_hash)))
    t.match(row, { soap: false, soap_md5: null }, 'no password of somebody without SOAP can be read back')

    // script(1) gives the program a terminal, on which it asks.
    const asked = ['-qec', `${process.execPath} ${entry} create_staff --username vera --role viewer`, '/dev/null']
    const vera = new Process(t, asked, { env: { ...bareEnv, ...env } }, 'script')
    let shown = ''
    vera.child.stdout!.on('data', (chunk) => {
      shown += chunk
      if (!/(Password|Again): $/.test(shown)) return
      shown = ''
      vera.child.stdin!.write('thirty hedgehogs\n')
    })
    await vera.line(/vera is created/)
    t.notMatch(vera.text, /thirty/, 'nothing of what is typed is shown')
    t.match(
      await runCommand(['create_staff', '--username', 'b', '--password', 'long enough', '--organization', '99'], env),
      {
        status: 1,
        text: 'An organization of this id does not exist.',
      },
    )

    await query(server.url, `insert into admin_accounts (ostatok, debit, credit) values (0, 0, 0)`)
    t.match(await runCommand(['verify_ledger'], env), {
      status: 0,
      text: '1 accounts and 0 operations checked: all agree.',
    })
    await query(server.url, `update admin_accounts set ostatok = 12500000000, debit = 12500000000`)
    const wrong = await runCommand(['verify_ledger'], env)
    t.equal(wrong.status, 1)
    t.match(
      wrong.text,
      /^account 1: its balance is stored as 1\.25 and should be 0\.00, the sum of its operations\.\n.*: 1 account is wrong\.$/,
    )
  })
})

t.test('check_schema needs nothing but the packages', async (t) => {
  const { status, text } = await runCommand(['check_schema'], { TOLLGATE_DATA_DIR: '/etc/passwd/never-used' })
  t.match(text, /The migrations and the entities agree\./)
  t.equal(status, 0)
})

t.test('library links that the install script did not make are made', async (t) => {
  const root = emptyFolder(t)
  mkdirSync(join(root, 'native', 'lib'), { recursive: true })
  writeFileSync(join(root, 'native', 'lib', 'libpq.so.5.18'), 'library')
  const list = ['libpq.so', 'libpq.so.5'].map((name) => ({
    source: 'native/lib/libpq.so.5.18',
    target: `native/lib/${name}`,
  }))
  writeFileSync(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(list))
  symlinkSync('libpq.so.5.18', join(root, 'native', 'lib', 'libpq.so'))
  restoreLinks(root)
  t.equal(readlinkSync(join(root, 'native', 'lib', 'libpq.so.5')), 'libpq.so.5.18')
  t.equal(readFileSync(join(root, 'native', 'lib', 'libpq.so.5'), 'utf8'), 'library')
  restoreLinks(root)
  rmSync(root, { recursive: true })
})
