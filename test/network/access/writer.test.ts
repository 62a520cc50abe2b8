import t from 'tap'
import { AccountStore } from '../../../src/billing/accounts/account-store.ts'
import { replyMessage } from '../../../src/domain/access.ts'
import type { Account } from '../../../src/domain/account.ts'
import { noBlocks } from '../../../src/domain/block.ts'
import { accountId, loginId, subscriberId } from '../../../src/domain/ids.ts'
import { lastMoment } from '../../../src/domain/moments.ts'
import type { NasEntry } from '../../../src/domain/nas.ts'
import { RealmList } from '../../../src/domain/realms.ts'
import { AccessWriter } from '../../../src/network/access/writer.ts'
import { rowBatches } from '../../../src/network/access/row-batches.ts'
import { AccessReader } from '../../../src/network/access/reader.ts'
import { parseMacText } from '../../../src/network/access/station.ts'
import { createLog, silentLog } from '../../../src/platform/log.ts'
import type { Database } from '../../../src/platform/storage/database.ts'
import { AdminAccount } from '../../../src/platform/storage/entities/accounts.ts'
import { persisting } from '../../../src/platform/storage/transactions.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { aLogin, anAccount, aSubscriber } from '../../support/account.ts'
import { SharedDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const shared = await SharedDatabase.open(t)

const secrets = new Secrets(Buffer.alloc(32, 7))
const now = new Date('2026-03-01T12:00:00Z')

/** Account 10 with subscriber 20 on tariff 30, logins 41 (ivan) and 42 (petr, from the pool 50). */
async function provider(t: { teardown(deed: () => unknown): unknown }) {
  const database = await shared.anew()
  await database.ledger.query(`
    INSERT INTO tarifs (id, name, price, speed_mbit, upload_mbit, walled_garden, radius_reply)
      VALUES (30, 'T', 0, 100, 20.5, true, '[{"name": "Idle-Timeout", "value": 60}]');
    INSERT INTO admin_accounts (id, version) VALUES (10, 5);
    INSERT INTO abonents (id, name, contract_number, tarif_id, account_id, organization_id)
      VALUES (20, 'Ivan', 'c-1', 30, 10, 1);
    INSERT INTO ip_pulls (id, name, network, gateway) VALUES (50, 'P', '10.5.0.0/29', '10.5.0.1')`)
  const login = `INSERT INTO users (id, abonent_id, login, password, ip, mac, pool_id, ipv6_prefix, simultaneous_use, radius_reply)
    VALUES ($1, 20, $2, $3, $4, $5, $6, $7, $8, $9)`
  const reply = '[{"name": "Reply-Message", "value": "hi"}, {"name": "No-Such-Attribute", "value": 1}]'
  const mac = '00:11:22:33:44:55'
  await database.ledger.query(login, [
    41,
    'ivan',
    secrets.seal('one'),
    '10.5.0.3',
    mac,
    null,
    '2001:db8::/56',
    2,
    reply,
  ])
  await database.ledger.query(login, [42, 'petr', secrets.seal('two'), null, null, 50, null, 1, '[]'])
  const access = await AccessWriter.load({ database, secrets, log: silentLog })
  t.teardown(() => access.close())
  const reader = new AccessReader(access.table.handle())
  const find = (login: string) => (reader.findLogin(Buffer.from(login)) ? reader.record : null)
  return { database, access, reader, find }
}

/** Account 10 as the ledger knows it. */
const account = (over: Partial<Account>): Account => ({
  ...anAccount({ id: accountId(10), version: 5, subscribers: [] }),
  subscribers: [
    aSubscriber({
      id: subscriberId(20),
      blocks: { ...noBlocks, debt: true },
      enabled: false,
      hasBlockRecord: true,
      logins: [
        aLogin({ id: loginId(41), name: 'ivan', enabled: false }),
        aLogin({ id: loginId(42), name: 'petr', enabled: false }),
      ],
    }),
  ],
  ...over,
})

t.test('everything an answer needs comes from the tables', async (t) => {
  const { database, access, reader, find } = await provider(t)
  const ivan = find('ivan')!
  t.match(ivan, {
    loginId: 41,
    subscriberId: 20,
    accountId: 10,
    organizationId: 1,
    accountVersion: 5,
    ip: 0x0a050003,
    mac: parseMacText('001122334455'),
    poolId: 0,
    simultaneousUse: 2,
    downKbit: 100_000,
    upKbit: 20_500,
    walledGarden: true,
    loginEnabled: true,
    subscriberEnabled: true,
    deleted: false,
    blockBits: 0,
    accessEnd: 0,
  })
  const text = (from: number, to: number) => Buffer.from(ivan.bytes.subarray(from, to)).toString('latin1')
  t.equal(text(ivan.passwordAt, ivan.userReplyAt), 'one')
  t.equal(text(ivan.userReplyAt, ivan.tariffReplyAt), '\x12\x04hi', 'an unknown attribute is left out')
  t.equal(text(ivan.tariffReplyAt, ivan.tariffReplyEnd), '\x1c\x06\x00\x00\x00\x3c')
  t.equal(ivan.bytes[ivan.ipv6PrefixAt + 1], 56)
  t.equal(find('petr')?.poolId, 50)
  t.ok(reader.findMac(parseMacText('00-11-22-33-44-55')))
  t.strictSame(access.ownerOf('0011.2233.4455'), { userId: 41, subscriberId: 20, organizationId: 1, login: 'ivan' })
  t.equal(access.ownerOf('nobody'), null)
  t.equal(access.ownerOf('IVAN@isp.ru'), null)
  const names = { realms: RealmList.parse('isp.ru')!, ignoresCase: true }
  t.match(access.ownerOf('IVAN@isp.ru', names), { userId: 41, login: 'ivan' }, 'a User-Name is read as for a sign-in')
  t.strictSame(
    access.pools.usage(),
    [{ poolId: 50, size: 8, free: 4 }],
    'eight less network, broadcast, gateway and a fixed one',
  )

  const end = new Date('2030-01-01T00:00:00Z')
  await database.ledger.query(
    'UPDATE admin_accounts SET version = 6, unlimited = true, unlimited_date = $1, debit = -1, ostatok = -1, sleep_date = $1',
    [end],
  )
  await access.refresh({ accounts: [10] })
  t.match(find('ivan'), { accountVersion: 6, accessEnd: end.getTime() / 1000, asleepUntil: end.getTime() / 1000 })
})

t.test('the VLAN of a login counts before that of its tariff', async (t) => {
  const { database, access, find } = await provider(t)
  t.match(find('ivan'), { vlan: 0, hasOwnVlan: false })
  await database.ledger.query('UPDATE users SET vlan = 4094 WHERE id = 41; UPDATE tarifs SET vlan = 120')
  await access.refresh({ tarifs: [30] })
  t.match(find('ivan'), { vlan: 4094, hasOwnVlan: true })
  t.match(find('petr'), { vlan: 120, hasOwnVlan: false })
  await t.rejects(database.ledger.query('UPDATE users SET vlan = 4095'), /users_vlan/)
  await t.rejects(database.ledger.query('UPDATE tarifs SET vlan = 0'), /tarifs_vlan/)
})

t.test('a refresh after a write is visible when it resolves', async (t) => {
  const { database, access, find } = await provider(t)
  await database.ledger.query(`UPDATE users SET login = 'ivan2', password = $1, ip = NULL WHERE id = 41`, [
    secrets.seal('new'),
  ])
  await access.refresh({ users: [41] })
  t.equal(find('ivan'), null)
  t.equal(find('ivan2')?.ip, -1)
  t.equal(access.pools.usage()[0]?.free, 5, 'its address belongs to the pool again')
  await database.ledger.query('UPDATE tarifs SET speed_mbit = 50, upload_mbit = NULL')
  await access.refresh({ tarifs: [30] })
  t.match(find('petr'), { downKbit: 50_000, upKbit: 50_000 })
  await database.ledger.query('UPDATE abonents SET deleted = true')
  await access.refresh({ subscribers: [20] })
  t.equal(find('petr')?.deleted, true)
  await database.ledger.query('DELETE FROM users WHERE id = 42')
  await access.refresh({ users: [42] })
  t.equal(find('petr'), null)
  await database.ledger.query('DELETE FROM users')
  await access.refresh({ users: '*' })
  t.equal(access.table.size, 0)
})

t.test('the word of the ledger is seen at once and outlives older readings', async (t) => {
  const { database, access, find } = await provider(t)
  access.applyAccount(account({ version: 6 }), now)
  t.match(find('ivan'), { blockBits: 1, subscriberEnabled: false, loginEnabled: false, accountVersion: 6 })
  await access.refresh({ users: '*' })
  t.match(find('ivan'), { blockBits: 1, accountVersion: 6 }, 'the table is still at version 5')
  access.applyAccount(account({ version: 4, subscribers: [] }), now)
  t.equal(find('ivan')?.blockBits, 1)
  await database.ledger.query('UPDATE admin_accounts SET version = 7')
  await access.refresh({ accounts: [10] })
  t.match(find('ivan'), { blockBits: 0, subscriberEnabled: true, accountVersion: 7 }, 'and a newer version wins')
  access.applyAccount(account({ version: 6 }), now)
  t.equal(find('ivan')?.blockBits, 0, 'a late word too is old')
})

t.test('an earlier reading that comes late overwrites nothing', async (t) => {
  const { database, access, find } = await provider(t)
  const slow = delayed(database)
  const first = access.refresh({ users: [41] })
  await slow.waiting
  await database.ledger.query(`UPDATE users SET simultaneous_use = 9 WHERE id = 41`)
  await access.refresh({ users: [41] })
  access.applyAccount(account({ id: accountId(11), version: 1 }), now)
  slow.release()
  await first
  t.match(find('ivan'), { simultaneousUse: 9, accountId: 11, blockBits: 1 })
})

t.test('a word of the ledger on a login that is being read for the first time is not lost', async (t) => {
  const { database, access, find } = await provider(t)
  await database.ledger.query(`INSERT INTO users (id, abonent_id, login, password) VALUES (43, 20, 'new', '')`)
  const slow = delayed(database)
  const reading = access.refresh({ users: [43] })
  await slow.waiting
  const logins = [aLogin({ id: loginId(43), name: 'new', enabled: false })]
  const [subscriber] = account({}).subscribers
  access.applyAccount(account({ version: 6, subscribers: [{ ...subscriber!, logins }] }), now)
  slow.release()
  await reading
  t.match(find('new'), { blockBits: 1, loginEnabled: false, accountVersion: 6 })
})

t.test('a row that cannot be an entry keeps no other out', async (t) => {
  const { database, access, find } = await provider(t)
  await database.ledger.query(`UPDATE users SET radius_reply = '5', simultaneous_use = 7 WHERE id = 41;
    UPDATE users SET simultaneous_use = 7 WHERE id = 42`)
  await access.refresh({ users: '*' })
  t.equal(find('ivan'), null)
  t.equal(find('petr')?.simultaneousUse, 7)
})

t.test('an address of radius_reply is the address of the login, for the pools too', async (t) => {
  const { database, access, find } = await provider(t)
  await database.ledger.query(`UPDATE users SET radius_reply = '[{"name":"Framed-IP-Address","value":"10.5.0.4"}]' WHERE id = 42;
    UPDATE tarifs SET radius_reply = '[{"name":"Acct-Interim-Interval","value":3600},{"name":"Framed-IPv6-Prefix","value":"2001:db8:7::/64","op":"="}]'`)
  await access.refresh({ users: '*' })
  t.match(find('ivan'), { ip: 0x0a050003, hasIpv6Prefix: false })
  t.match(find('petr'), { ip: 0x0a050004, poolId: 0 })
  t.strictSame([access.interimSecondsOf(42), access.interimSecondsOf(77), access.interimSecondsOf(null)], [3600, 0, 0])
  t.strictSame(access.pools.usage(), [{ poolId: 50, size: 8, free: 3 }], 'one address less is free')
})

t.test(
  'the template of a NAS is followed, and one that no longer fits the dictionary leaves it to its type',
  async (t) => {
    const { database, access } = await provider(t)
    const template = (name: string) => `[{"name":"${name}","value":"{down_kbit}"}]`
    await database.ledger.query(`INSERT INTO nas_templates (id, name, nas_type, accept)
      VALUES (7, 'own', 'generic', '${template('Filter-Id')}'), (8, 'old', 'generic', '${template('Gone')}');
    INSERT INTO nas (id, name, ip, secret, template_id) VALUES (1, 'a', '10.0.0.1', '${secrets.seal('x')}', 7),
      (2, 'b', '10.0.0.2', '${secrets.seal('x')}', 8), (3, 'c', '10.0.0.3', '${secrets.seal('x')}', NULL)`)
    await access.refresh({ nas: '*' })
    const accepts = () => access.nas.map(({ template }) => template?.accept[0]?.name)
    t.strictSame(accepts(), ['Filter-Id', undefined, undefined])
    const followed = new Promise<void>((resolve) => {
      access.onNas((list) => {
        if (list[0]?.template?.accept[0]?.name === 'Reply-Message') resolve()
      })
    })
    await database.pool.query(`UPDATE nas_templates SET accept = '${template('Reply-Message')}' WHERE id = 7`)
    await followed
    t.strictSame(accepts(), ['Reply-Message', undefined, undefined])
  },
)

t.test('rows that could not be read when they changed are read later', async (t) => {
  const { database, access, find } = await provider(t)
  const { refresh } = access
  const failed = new Promise<void>((resolve) => {
    access.refresh = async () => {
      access.refresh = refresh
      resolve()
      throw new Error('timeout exceeded when trying to connect')
    }
  })
  await database.pool.query('UPDATE users SET simultaneous_use = 8 WHERE id = 41')
  await failed
  await until(() => find('ivan')?.simultaneousUse === 8)
  t.pass()
})

t.test('what others write is followed', async (t) => {
  const { database, access, find } = await provider(t)
  await database.pool.query(`UPDATE abonents SET enabled = false`)
  await until(() => find('ivan')?.subscriberEnabled === false)
  await database.pool.query(`INSERT INTO users (abonent_id, login, password) VALUES (20, 'new', $1)`, [
    secrets.seal('x'),
  ])
  await until(() => find('new') !== null)
  await database.pool.query(`DELETE FROM users WHERE login = 'new'`)
  await until(() => find('new') === null)
  await database.pool.query(`UPDATE ip_pulls SET network = '10.5.0.0/24'`)
  await until(() => access.pools.usage()[0]?.size === 256)
  const lists: (readonly NasEntry[])[] = []
  access.onNas((list) => lists.push(list))
  t.strictSame(lists, [[]], 'told at once what there is')
  await database.pool.query(`INSERT INTO nas (name, ip, secret, nas_type) VALUES ('b', '10.0.0.1', $1, 'cisco')`, [
    secrets.seal('s'),
  ])
  await until(() => lists.length > 1)
  t.match(lists.at(-1), [
    { name: 'b', ip: '10.0.0.1', secret: 's', type: 'cisco', requireMessageAuthenticator: 'auto' },
  ])
  t.equal(access.nas, lists.at(-1))
})

t.test('a login is let in, into the garden or not at all, whatever sessions it has', async (t) => {
  const { database, access } = await provider(t)
  const session = { userId: 42, callingStationId: 'a', ip: null }
  access.sessions.sessionStarted(session)
  t.equal(access.reachOf(42, now), 'open', 'its one session is the one that is in')
  t.equal(access.reachOf(99, now), null)
  t.same([access.loginOf(42), access.loginOf(99)], ['petr', null])
  access.applyAccount(account({ version: 6 }), now)
  t.equal(access.reachOf(42, now), 'garden')
  await database.pool.query('UPDATE tarifs SET walled_garden = false')
  await access.refresh({ tarifs: [30] })
  t.equal(access.reachOf(42, now), 'closed')
})

t.test('an account that somebody lets sleep for ever in psql sleeps until the last moment there is', async (t) => {
  const { database, access, find } = await provider(t)
  await database.pool.query(`UPDATE admin_accounts SET sleep_date = 'infinity', unlimited_date = '10001-01-01'`)
  await access.refresh({ accounts: [10] })
  t.equal(replyMessage('asleep', find('ivan')!, 'UTC'), 'frozen until 9999-12-31T00:00:00+00:00')
  const store = new AccountStore(database.ledger)
  const loaded = (await store.load(accountId(10)))!
  t.same([loaded.sleepUntil, loaded.unlimitedUntil], [lastMoment, lastMoment])
  access.applyAccount({ ...loaded, version: loaded.version + 1 }, now)
  t.equal(replyMessage('asleep', find('ivan')!, 'UTC'), 'frozen until 9999-12-31T00:00:00+00:00')
  await database.pool.query(`UPDATE admin_accounts SET sleep_date = '-infinity'`)
  t.ok((await store.load(accountId(10)))!.sleepUntil! < now)
  const shown = await persisting({ database, timeZone: () => 'UTC' }, (_, manager) =>
    manager.findOneOrFail(AdminAccount, 10),
  )
  t.comment(shown.unlimited_date, shown.sleep_date)
})

t.test('sessions are counted and hold their addresses', async (t) => {
  const { access, find } = await provider(t)
  const session = { userId: 42, callingStationId: 'AA-BB', ip: '10.5.0.4' }
  access.sessions.sessionStarted(session)
  t.equal(find('petr')?.liveSessions, 1)
  t.match(access.pools.leases(50), [{ loginId: 42, station: 0, holders: 1 }])
  t.equal(
    access.sessions.sessionStarted({ userId: 41, callingStationId: null, ip: '10.5.0.4' }),
    false,
    'somebody else has it',
  )
  access.sessions.sessionStopped({ userId: 41, callingStationId: null, ip: '10.5.0.4' })
  t.match(access.pools.leases(50), [{ loginId: 42, holders: 1 }], 'and keeps it')
  access.sessions.sessionMoved(session, { ...session, ip: '10.5.0.5' })
  t.equal(find('petr')?.liveSessions, 1)
  t.strictSame(
    access.pools.leases(50).map(({ address }) => address),
    [0x0a050005],
  )
  await access.refresh({ users: '*' })
  t.equal(find('petr')?.liveSessions, 1, 'reading rows leaves the sessions alone')
  access.sessions.sessionStopped({ ...session, ip: '10.5.0.5' })
  t.equal(find('petr')?.liveSessions, 0)
  t.strictSame(access.pools.leases(50), [])
  access.sessions.sessionStarted({ userId: null, callingStationId: null, ip: null })
  access.sessions.sessionStarted({ userId: 999, callingStationId: null, ip: '10.5.0.4' })
  t.strictSame(access.pools.leases(50), [], 'an unknown login holds nothing')
})

t.test('more logins than are read at once have their passwords too', async (t) => {
  const { database, access } = await provider(t)
  const count = 5003
  const logins = Array.from({ length: count }, (_, n) => secrets.seal(`word ${n}`))
  await database.ledger.query(
    `INSERT INTO users (id, abonent_id, login, password)
      SELECT 1000 + n, 20, 'login' || n, password FROM unnest($1::text[]) WITH ORDINALITY AS row (password, n)`,
    [logins],
  )
  await database.ledger.query("UPDATE users SET password = 'not sealed' WHERE id = 1002")
  const errors: string[] = []
  const log = createLog({ level: 'error', pretty: false, write: (line) => errors.push(line) })
  const started = await AccessWriter.load({ database, secrets, log })
  t.teardown(() => started.close())
  t.equal(started.table.size, access.table.size + count)
  const reader = new AccessReader(started.table.handle(), secrets)
  t.teardown(() => reader.close())
  const wrong = (changed: readonly number[] = []) =>
    logins.flatMap((_, n) => {
      if (!reader.findLogin(Buffer.from(`login${n + 1}`))) return [n]
      if (reader.record.isSealed) reader.openPassword()
      const expected = n === 1 ? '' : changed.includes(n) ? 'changed' : `word ${n}`
      return reader.record.passwordText() === expected ? [] : [n]
    })
  const sealedCount = () => logins.filter((_, n) => started.table.sealedPassword(1001 + n) !== null).length
  t.equal(sealedCount(), count - 5, 'the load opens only those of the page that is not full')
  t.strictSame(wrong(), [], 'each is right before it is opened')
  const changed = secrets.seal('changed')
  await database.ledger.query('UPDATE users SET password = $1 WHERE id IN (1001, 6000)', [changed])
  await started.refresh({ users: [1001, 6000] })
  await started.openPasswords()
  t.equal(sealedCount(), 0)
  t.strictSame(wrong([0, 4999]), [])
  t.equal(errors.length, 1)
  t.match(errors[0], /"loginId":"1002"/)
})

t.test('the start reads both halves of many logins side by side, each login once', async (t) => {
  const { database } = await provider(t)
  await database.ledger.query(`
    INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
      SELECT 1000 + n, 'Many', 'm-' || n, 10, 1 FROM generate_series(1, 100) AS n;
    INSERT INTO users (id, abonent_id, login, password)
      SELECT 10000 + n, 1000 + (n - 1) / 110 + 1, 'many' || n, 'sealed' FROM generate_series(1, 11000) AS n`)
  const read = async (isStart: boolean) => {
    const batches = []
    for await (const { rows } of rowBatches(database, null, '*', isStart)) batches.push([...rows])
    return batches
  }
  const [halves, whole] = [await read(true), await read(false)]
  const ids = (batches: Awaited<ReturnType<typeof read>>) => batches.flat().map(({ id }) => id)
  t.strictSame(
    ids(halves).toSorted((a, b) => a - b),
    ids(whole),
  )
  t.equal(new Set(ids(whole)).size, 11_002)
  const firsts = halves.map(([first]) => first!.abonent_id)
  t.ok(firsts[1]! > firsts[2]!, `every second batch is of the upper half: ${firsts}`)
})

t.test('a password under another key leaves the login without one and is logged', async (t) => {
  const { database, find, access } = await provider(t)
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line), pretty: false })
  const other = await AccessWriter.load({ database, secrets: new Secrets(Buffer.alloc(32, 8)), log })
  t.teardown(() => other.close())
  t.equal(other.table.size, access.table.size)
  const record = other.table.findByName('ivan')!
  t.equal(record.passwordAt, record.userReplyAt)
  t.ok(lines.some((line) => line.includes('The password of a login cannot be read.')))
  t.ok(find('ivan'))
})

/** The next query of the pool waits for its release, with its rows read. */
function delayed(database: Database): { waiting: Promise<void>; release: () => void } {
  const { pool } = database
  const query = pool.query
  let release = () => {}
  let isWaiting = () => {}
  const waiting = new Promise<void>((resolve) => (isWaiting = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  pool.query = (async (...args: never[]) => {
    pool.query = query
    const result = await (query as (...args: never[]) => Promise<unknown>).apply(pool, args)
    isWaiting()
    await released
    return result
  }) as typeof pool.query
  return { waiting, release }
}
