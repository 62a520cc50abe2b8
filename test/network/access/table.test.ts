import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { AccessReader } from '../../../src/network/access/reader.ts'
import { parseMacText, stationHashOf } from '../../../src/network/access/station.ts'
import { AccessTable } from '../../../src/network/access/table.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { fieldsOf, openAccess } from './entries.ts'

const bytes = (text: string) => Buffer.from(text)

t.test('a login is found with everything an answer needs', async (t) => {
  const table = new AccessTable()
  const reader = new AccessReader(table.handle())
  t.teardown(() => table.close())
  t.notOk(reader.findLogin(bytes('ivan')), 'an empty table knows nobody')

  const prefix = Uint8Array.from([0, 56, 0x20, 1, 0xd, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  const fields = fieldsOf(7, {
    login: 'ivan',
    password: 'тайна',
    mac: parseMacText('00:1A:2b:3c:4d:5e'),
    ip: 0xc0a80105,
    poolId: 12,
    ipv6Prefix: prefix,
    delegatedIpv6Prefix: prefix,
    simultaneousUse: 3,
    downKbit: 100_000,
    upKbit: 50_000,
    walledGarden: true,
    userReply: Uint8Array.from([18, 3, 65]),
    tariffReply: Uint8Array.from([11, 4, 66, 67]),
    access: {
      ...openAccess,
      accountVersion: 9,
      blockBits: 5,
      subscriberEnabled: false,
      asleepUntil: 2e9,
      accessEnd: 3e9,
    },
  })
  table.put(fields)
  t.ok(reader.findLogin(bytes('ivan')))
  const { record } = reader
  t.match(record, {
    loginId: 7,
    subscriberId: fields.subscriberId,
    organizationId: 1,
    accountId: 2_000_000,
    mac: 0x001a2b3c4d5e,
    ip: 0xc0a80105,
    poolId: 12,
    simultaneousUse: 3,
    downKbit: 100_000,
    upKbit: 50_000,
    walledGarden: true,
  })
  t.strictSame(record.access(), fields.access)
  t.equal(record.login(), 'ivan')
  t.equal(Buffer.from(record.bytes.subarray(record.passwordAt, record.userReplyAt)).toString(), 'тайна')
  t.strictSame(record.bytes.slice(record.ipv6PrefixAt, record.delegatedIpv6PrefixAt), prefix)
  t.strictSame(record.bytes.slice(record.delegatedIpv6PrefixAt, record.loginAt), prefix)
  t.strictSame(record.bytes.slice(record.userReplyAt, record.tariffReplyAt), fields.userReply)
  t.strictSame(record.bytes.slice(record.tariffReplyAt, record.tariffReplyEnd), fields.tariffReply)
  t.ok(reader.findMac(parseMacText('001a.2b3c.4d5e')))
  t.equal(reader.record.loginId, 7)
})

t.test('a rewrite moves the keys and keeps the live sessions', async (t) => {
  const table = new AccessTable()
  const reader = new AccessReader(table.handle())
  t.teardown(() => table.close())
  const mac = parseMacText('aa:aa:aa:aa:aa:aa')
  const other = parseMacText('bb:bb:bb:bb:bb:bb')
  table.put(fieldsOf(1, { mac }))
  const station = stationHashOf('00-11-22-33-44-55')
  table.addSession(1, station)
  for (const size of [3, 300, 1200, 10]) {
    table.put(fieldsOf(1, { login: `renamed${size}`, mac: size === 300 ? -1 : other, userReply: new Uint8Array(size) }))
    t.notOk(reader.findLogin(bytes('user1')))
    t.notOk(reader.findMac(mac))
    t.equal(reader.findMac(other), size !== 300)
    t.ok(reader.findLogin(bytes(`renamed${size}`)))
    t.equal(reader.record.liveSessions, 1)
    t.ok(reader.record.hasStation(station))
  }
  t.equal(table.size, 1)
  t.ok(table.remove(1))
  t.notOk(table.remove(1))
  t.notOk(reader.findLogin(bytes('renamed10')))
  t.notOk(reader.findMac(other))
})

t.test('the access part is rewritten in place', async (t) => {
  const table = new AccessTable()
  const reader = new AccessReader(table.handle())
  t.teardown(() => table.close())
  table.put(fieldsOf(1, { walledGarden: true, ip: 5 }))
  const blocked = { ...openAccess, accountVersion: 2, subscriberEnabled: false, loginEnabled: false, blockBits: 1 }
  t.ok(table.setAccess(1, blocked))
  t.ok(reader.findLogin(bytes('user1')))
  t.strictSame(reader.record.access(), blocked)
  t.match(reader.record, { walledGarden: true, ip: 5 })
  t.notOk(table.setAccess(2, blocked), 'an unknown login is left alone')
})

t.test('live sessions are counted, and their stations remembered up to a bound', async (t) => {
  const table = new AccessTable()
  t.teardown(() => table.close())
  table.put(fieldsOf(1))
  const stations = Array.from({ length: 20 }, (_, index) => stationHashOf(`station ${index}`))
  for (const station of stations) table.addSession(1, station)
  table.addSession(1, 0)
  t.equal(table.get(1)?.liveSessions, 21)
  t.equal(table.get(1)?.stationList().length, 16)
  for (const station of stations) table.removeSession(1, station)
  table.removeSession(1, 0)
  table.removeSession(1, 0)
  t.equal(table.get(1)?.liveSessions, 0, 'one stop too many does not go below none')
  t.strictSame(table.get(1)?.stationList(), [])
})

t.test('an opened password takes the place of the sealed one, and of no other', async (t) => {
  const table = new AccessTable()
  const secrets = new Secrets(Buffer.alloc(32, 7))
  const reader = new AccessReader(table.handle(), secrets)
  t.teardown(() => table.close())
  const mac = parseMacText('00:1A:2b:3c:4d:5e')
  const tariffReply = Uint8Array.from([11, 4, 66, 67])
  const sealed = secrets.seal('тайна')
  const put = (password: string, isSealed: boolean) =>
    table.put(fieldsOf(7, { login: 'ivan', password, isSealed, mac, tariffReply }))
  const passwordRead = () => {
    t.ok(reader.findLogin(bytes('ivan')))
    if (reader.record.isSealed) reader.openPassword()
    const { record } = reader
    t.match(record, { loginId: 7, mac, liveSessions: 2, isSealed: false })
    t.strictSame(record.bytes.slice(record.tariffReplyAt, record.tariffReplyEnd), tariffReply)
    t.ok(record.hasStation(5) && record.hasStation(6))
    return record.passwordText()
  }

  put(sealed, true)
  table.addSession(7, 5)
  table.addSession(7, 6)
  t.equal(table.sealedPassword(7), sealed)
  t.equal(passwordRead(), 'тайна', 'a reader opens it for itself')
  const { usedBytes } = table
  table.openPassword(7, sealed, 'тайна')
  t.equal(table.sealedPassword(7), null)
  t.equal(passwordRead(), 'тайна')
  t.equal(table.usedBytes, usedBytes, 'it stays in its block')

  table.openPassword(7, sealed, 'too late')
  t.equal(passwordRead(), 'тайна')
  put(secrets.seal('another'), true)
  table.openPassword(7, sealed, 'тайна')
  t.equal(passwordRead(), 'another', 'changed meanwhile')
  put('clear', false)
  table.openPassword(7, sealed, 'тайна')
  t.equal(passwordRead(), 'clear', 'changed and opened meanwhile')
  table.remove(7)
  table.openPassword(7, sealed, 'тайна')
  t.equal(table.sealedPassword(7), null)
  t.notOk(reader.findLogin(bytes('ivan')))
})

t.test('a hundred thousand logins: all found through every growth, half a KiB each or less', async (t) => {
  const table = new AccessTable()
  const reader = new AccessReader(table.handle())
  t.teardown(() => table.close())
  const count = 100_000
  for (let id = 1; id <= count; id++) {
    table.put(fieldsOf(id, { mac: 0x020000000000 + id, userReply: new Uint8Array(id % 5 === 0 ? 30 : 0) }))
  }
  let missing = 0
  for (let id = 1; id <= count; id++) {
    if (!reader.findLogin(bytes(`user${id}`)) || reader.record.loginId !== id) missing++
    if (!reader.findMac(0x020000000000 + id) || reader.record.loginId !== id) missing++
  }
  t.equal(missing, 0)
  t.ok(table.usedBytes / count <= 512, `${Math.round(table.usedBytes / count)} bytes each`)
  for (let id = 1; id <= count; id += 2) table.remove(id)
  t.equal(table.size, count / 2)
  let wrong = 0
  for (let id = 1; id <= count; id++) if (reader.findLogin(bytes(`user${id}`)) !== (id % 2 === 0)) wrong++
  t.equal(wrong, 0)
  const seen = new Set<number>()
  table.forEachLoginId((id) => seen.add(id))
  t.equal(seen.size, count / 2)
})

t.test('a reader in another thread never sees a torn record or misses one that is there', async (t) => {
  const table = new AccessTable()
  const handle = table.handle()
  const fixed = 200
  // Everything in a record follows from its version, so that a mixture of two shows.
  const versioned = (id: number, version: number) =>
    fieldsOf(id, {
      password: 'p'.repeat(1 + (version % 40)) + version,
      ip: version,
      downKbit: version,
      upKbit: version,
      userReply: new Uint8Array(version % 7 === 0 ? 400 : version % 60).fill(version & 0xff),
      access: { ...openAccess, accountVersion: version, asleepUntil: version, accessEnd: version },
    })
  for (let id = 1; id <= fixed; id++) table.put(versioned(id, 1))
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./table-reader.ts', import.meta.url), {
    workerData: { handle, fixed, stop },
    transferList: [handle.port],
  })
  const [started] = await once(worker, 'message')
  t.equal(started, 'reading')
  // Both are listened for now: the last message and the exit of a worker can arrive in one turn of the event loop.
  const report = once(worker, 'message')
  const exited = once(worker, 'exit')
  for (let round = 0; round < 100_000; round++) {
    const id = 1 + (round % fixed)
    if (round % 3 === 0) table.put(versioned(id, round))
    else if (round % 3 === 1) table.setAccess(id, { ...versioned(id, table.get(id)!.downKbit).access })
    else if (round % 2 === 0) table.addSession(id, round)
    else table.removeSession(id, round - 1)
    // Others come and go, use blocks again and make the memory grow under the reader.
    table.put(fieldsOf(10_000 + (round % 30_000), { userReply: new Uint8Array(round % 500) }))
    if (round % 5 === 0) table.remove(10_000 + ((round * 7) % 30_000))
  }
  Atomics.store(stop, 0, 1)
  const [result] = (await report) as [{ reads: number; torn: number; missing: number; strangers: number }]
  t.match(result, { torn: 0, missing: 0, strangers: 0 })
  t.ok(result.reads > 1000, `${result.reads} reads`)
  await exited
  table.close()
})
