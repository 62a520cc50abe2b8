// needs /usr/sbin/freeradius from freeradius
// needs /etc/freeradius/3.0/mods-config/sql/main/postgresql/schema.sql from freeradius-config
// needs /etc/freeradius/3.0/mods-available/detail.log from freeradius-config
// needs radclient from freeradius-utils
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import { emptyFolder, runCommand } from '../app/processes.ts'
import { Capture } from '../support/capture.ts'
import { testDatabaseUrl, testPool } from '../support/database.ts'
import { violations } from '../support/invariants.ts'
import { openProgram } from '../support/opened-program.ts'
import { radclient } from '../support/radclient.ts'
import { radclientFile, signInsOf } from './freeradius/asking.ts'
import { fillPostgres, insertsOf, macOf, providerOf, type Subscriber } from './freeradius/database.ts'
import { startFreeradius } from './freeradius/server.ts'

/** By hand a larger provider, as docs/moving-in.md tells of. */
const count = Number(process.env.MOVING_IN_SUBSCRIBERS ?? 3_000)
const askingCount = Number(process.env.MOVING_IN_SIGN_INS ?? 240)
const all = count.toLocaleString('en-US')
const secret = 'testing123'
const { contents, subscribers } = providerOf(count)
const radiusTables = ['radcheck', 'radreply', 'radgroupcheck', 'radgroupreply', 'radusergroup', 'nas']

const kopecks = subscribers.reduce((sum, { balance }) => sum + balance, 0)
const total = `${Math.trunc(kopecks / 100)}.${String(kopecks % 100).padStart(2, '0')}`

/** The program that serves later would charge them at once otherwise, and some would be in debt. */
const later = ['--charged-from', '2100-01-01'] as const

/** The numbers of a line of the report. */
const numbers = (text: string, name: string): string[] =>
  (text.split('\n').find((line) => line.startsWith(`${name} `)) ?? '').slice(name.length).trim().split(/\s+/)

t.test('a provider moves in from FreeRADIUS and daloRADIUS', async (t) => {
  const source = await testDatabaseUrl(t, { migrated: false })
  await fillPostgres(source, contents)
  const url = await testDatabaseUrl(t)
  const dataDir = emptyFolder(t)
  const surroundings = { TOLLGATE_DATA_DIR: dataDir, DATABASE_URL: url }
  const move = (from: string, ...options: string[]) =>
    runCommand(['import_from', 'freeradius_sql', from, ...options], surroundings)
  const client = testPool(t, url, 1)

  await t.test('a dry run adds up, and writes nothing', async (t) => {
    const { status, text } = await move(source)
    t.equal(status, 0, text)
    t.strictSame(numbers(text, 'subscribers'), [all, all, '0', '0', '0'])
    t.strictSame(numbers(text, 'tariffs'), ['2', '2', '0', '0', '0'])
    t.strictSame(numbers(text, 'NAS'), ['1', '1', '0', '0', '0'])
    t.strictSame(numbers(text, 'balances, rubles'), [total, total, '0.00', '0.00', '0.00'])
    t.match(text, /Opening operations here of these subscribers: 0, together 0\.00 rubles\.\nNothing was written/)
    const { rows } = await client.query(
      'SELECT (SELECT count(*) FROM abonents) + (SELECT count(*) FROM tarifs) + (SELECT count(*) FROM nas) AS all',
    )
    t.equal(rows[0].all, '0')
  })

  await t.test('everybody comes, and a second run changes nothing', async (t) => {
    const { status, text } = await move(source, '--apply', ...later)
    t.equal(status, 0, text)
    t.strictSame(numbers(text, 'logins'), [all, all, '0', '0', '0'])
    t.match(text, `together ${total} rubles.`)
    const { rows } = await client.query(
      `SELECT count(*)::int4 AS accounts, sum(ostatok)::text AS sum FROM admin_accounts`,
    )
    t.strictSame(rows[0], { accounts: count, sum: `${kopecks}00000000` })
    t.strictSame(await violations(client, 'settled'), [])
    const before = await contentsOf(client)
    const again = await move(source, '--apply', ...later)
    t.equal(again.status, 0, again.text)
    t.strictSame(numbers(again.text, 'subscribers'), [all, '0', all, '0', '0'])
    t.strictSame(numbers(again.text, 'balances, rubles'), [total, '0.00', total, '0.00', '0.00'])
    t.equal(await contentsOf(client), before)
  })

  await t.test('a dump of MySQL says the same as the live database', async (t) => {
    const path = join(dataDir, 'dump.sql')
    writeFileSync(path, `-- MySQL dump 10.19\n${insertsOf(contents, Object.keys(contents), true)}`)
    const { status, text } = await move(path)
    t.equal(status, 0, text)
    t.strictSame(numbers(text, 'subscribers'), [all, '0', all, '0', '0'])
    t.strictSame(numbers(text, 'tariffs'), ['2', '0', '2', '0', '0'])
  })

  const freeradius = await startFreeradius(t, insertsOf(contents, radiusTables, false), secret)

  await t.test('a parallel run finds what is different, and nothing else', async (t) => {
    const path = join(dataDir, 'seen.pcap')
    await signInThere(t, freeradius.port, path)
    const shadow = async (from: readonly string[]) => {
      const { status, text } = await runCommand(['shadow', ...from, '--json'], surroundings)
      return { status, report: JSON.parse(text), text }
    }
    const captured = await shadow(['pcap', path])
    t.equal(captured.status, 0, captured.text)
    t.match(captured.report, { requests: asking.length, same: asking.length, differing: 0, passwords_unknown: 0 })
    // Debian leaves out the passwords of PAP, and rlm_detail the challenge of CHAP where radclient sends none.
    const written = await shadow(['detail', freeradius.radacct])
    t.equal(written.status, 0, written.text)
    t.match(written.report, { requests: asking.length, differing: 0, left_out: {} })
    const { same, not_compared: notCompared } = written.report
    t.equal(same + notCompared.password, asking.length)
    t.ok(same > asking.length / 2, `${same} of ${asking.length} could be compared`)

    await client.query(`UPDATE tarifs SET speed_mbit = 11 WHERE name = 'Home 10'`)
    await client.query(`UPDATE users SET disabled_by_hand = true WHERE login = 'user1'`)
    const speeds = asking.filter(({ isRight, at }) => isRight && at % 2 === 0 && at % 40 !== 0).length
    const expected = [
      { kind: 'rejected_here', detail: 'login_disabled', count: 1, examples: [{ login: 'user1', nas: 'bras' }] },
      { kind: 'attribute', detail: 'speed', count: speeds },
    ]
    for (const from of [['pcap', path] as const, ['detail', freeradius.radacct] as const]) {
      const { status, report } = await shadow(from)
      t.equal(status, 1)
      t.match(report.differences, expected)
      t.equal(report.differences.length, 2)
      t.equal(report.differing, speeds + 1)
    }
    await client.query(`UPDATE tarifs SET speed_mbit = 10 WHERE name = 'Home 10'`)
    await client.query(`UPDATE users SET disabled_by_hand = false WHERE login = 'user1'`)
  })

  await t.test('sign-ins are answered as FreeRADIUS answers them', async (t) => {
    const program = await openProgram(t, surroundings)
    const sample = subscribers.filter((_, at) => at % 151 === 0 || at % 450 === 44 || at % 900 === 29)
    const answers: string[] = []
    for (const [at, subscriber] of sample.entries()) {
      const request = requestOf(subscriber, at)
      const [there, here] = await Promise.all([
        radclient(freeradius.port, 'auth', request, { secret }),
        radclient(program.address.authPort, 'auth', request, { secret }),
      ])
      if (subscriber.balance < 0 && there.received === 'Access-Accept') {
        t.match(here.attributes['Reply-Message'], 'blocked: negative balance', subscriber.username)
        continue
      }
      answers.push(there.received ?? 'none')
      if (!t.equal(here.received, there.received, `${subscriber.username}: ${here.text}`)) continue
      if (there.received !== 'Access-Accept') continue
      for (const [name, value] of Object.entries(there.attributes))
        t.equal(here.attributes[name], value, `${subscriber.username} ${name}`)
      const more = Object.keys(here.attributes).filter((name) => !(name in there.attributes) && !own.has(name))
      t.strictSame(more, [], `${subscriber.username} gets nothing else`)
    }
    t.ok(answers.includes('Access-Accept') && answers.includes('Access-Reject'), 'both are among them')
  })

  const { rows } = await client.query(`SELECT mac::text, simultaneous_use FROM users WHERE login = 'user77'`)
  t.strictSame(rows[0], { mac: macOf(77).replaceAll('-', ':').toLowerCase(), simultaneous_use: 2 })
})

const asking = signInsOf(subscribers.slice(0, askingCount))

/** Has them sign in at FreeRADIUS, all by one radclient, and writes a capture of what it and the server send. */
async function signInThere(t: Test, port: number, path: string): Promise<void> {
  const capture = new Capture()
  const nas = { ip: '127.0.0.1', port: 40_000 }
  const server = { ip: '127.0.0.1', port: 1812 }
  const [front, behind] = [createSocket('udp4'), createSocket('udp4')]
  t.teardown(() => [front, behind].map((socket) => socket.close()))
  front.bind(0, '127.0.0.1')
  behind.bind(0, '127.0.0.1')
  await Promise.all([once(front, 'listening'), once(behind, 'listening')])
  let radclientPort = 0
  front.on('message', (datagram, from) => {
    radclientPort = from.port
    capture.add(nas, server, datagram)
    behind.send(datagram, port, '127.0.0.1')
  })
  behind.on('message', (datagram) => {
    capture.add(server, nas, datagram)
    front.send(datagram, radclientPort, '127.0.0.1')
  })
  const file = `${path}.txt`
  writeFileSync(file, radclientFile(asking))
  const client = spawn('radclient', ['-q', '-f', file, `127.0.0.1:${front.address().port}`, 'auth', secret])
  await once(client, 'close')
  capture.save(path)
}

/** What Tollgate sends of its own accord. */
const own = new Set(['Message-Authenticator', 'Class'])

/** By turns with the right password and a wrong one, and where the clear one is stored by CHAP too. */
function requestOf({ username, password, stored }: Subscriber, at: number): string[] {
  const sent = at % 5 === 4 ? 'wrong' : password
  const attribute = stored === 'clear' && at % 2 === 0 ? 'CHAP-Password' : 'User-Password'
  const station = macOf(Number(username.slice('user'.length)))
  return [
    `User-Name = "${username}"`,
    `${attribute} = "${sent}"`,
    `Calling-Station-Id = ${station}`,
    'Message-Authenticator = 0x00',
  ]
}

async function contentsOf(client: Pool): Promise<string> {
  const tables = [
    'admin_accounts',
    'abonents',
    'abonents_block',
    'users',
    'finance_operations',
    'money_keys',
    'tarifs',
    'nas',
    'audit_operations',
  ]
  const texts = tables.map(
    (name) =>
      `SELECT '${name} ' || count(*) || ' ' || md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS sum FROM ${name} AS t`,
  )
  const { rows } = await client.query<{ sum: string }>(texts.join('\nUNION ALL\n'))
  return rows
    .map(({ sum }) => sum)
    .sort()
    .join('\n')
}
