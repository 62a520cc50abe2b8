import { createHash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasEntry } from '../../../src/domain/nas.ts'
import { SharedValue } from '../../../src/network/access/shared.ts'
import type { AccountingBatch, WorkerRules } from '../../../src/network/radius/worker/messages.ts'
import { loadAddon } from '../../../src/network/radius/udp/addon.ts'
import { countersBytes } from '../../../src/network/radius/worker/counters.ts'
import { signsBytes } from '../../../src/network/radius/worker/nas-signs.ts'
import { WorkerHandle } from '../../../src/network/radius/worker/worker-handle.ts'
import { freeUdpPort } from '../../support/free-port.ts'
import { parseMacText } from '../../../src/network/access/station.ts'
import { Client, classKey, nasEntry, RadiusFixture, secret, secrets, udpPreference, usualSettings } from './fixture.ts'
import { build } from './wire/builder.ts'

const ivan: [string, unknown][] = [
  ['User-Name', 'ivan'],
  ['User-Password', 'right'],
]
const proxied: [string, unknown][] = [...ivan, ['Proxy-State', Buffer.from('p')]]

async function withIvan(t: { teardown(deed: () => unknown): unknown }, nas: Partial<NasEntry> = {}) {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry(nas)] })
  fixture.login(1, { login: 'ivan', password: 'right' })
  return { fixture, client: await fixture.client() }
}

const countOf = (fixture: RadiusFixture, fault: string) =>
  fixture.engine
    .snapshot()
    .counts.filter((row) => row.fault === fault)
    .reduce((sum, { count }) => sum + count, 0)

t.test('what is malformed, unsigned or on the wrong port gets no answer and is counted by its fault', async (t) => {
  const { fixture, client } = await withIvan(t)
  const good = client.access(ivan)
  const badSignature = Buffer.from(good)
  badSignature[badSignature.length - 1]! ^= 1
  const wrongSecret = client.accounting(
    [
      ['User-Name', 'ivan'],
      ['Acct-Status-Type', 'Start'],
    ],
    { secret: 'another' },
  )
  const silent: [string, Buffer, 'auth' | 'acct'][] = [
    ['shorterThanHeader', Buffer.alloc(5), 'auth'],
    ['lengthBelowHeader', Buffer.concat([Buffer.of(1, 1, 0, 4), Buffer.alloc(20)]), 'auth'],
    ['shorterThanLength', good.subarray(0, good.length - 3), 'auth'],
    ['attributeOverrun', overrun(), 'auth'],
    [
      'wrongCode',
      client.accounting([
        ['User-Name', 'ivan'],
        ['Acct-Status-Type', 'Start'],
      ]),
      'auth',
    ],
    ['wrongCode', good, 'acct'],
    ['badMessageAuthenticator', badSignature, 'auth'],
    ['badAuthenticator', wrongSecret, 'acct'],
    ['missingMessageAuthenticator', build(12, 3, randomBytes(16), []), 'auth'],
    ['missingMessageAuthenticator', build(12, 3, randomBytes(16), []), 'acct'],
    [
      'missingMessageAuthenticator',
      client.access(
        [
          ['User-Name', 'ivan'],
          ['EAP-Message', Buffer.from('x')],
        ],
        { signed: false },
      ),
      'auth',
    ],
  ]
  for (const [fault, packet, port] of silent) {
    const before = countOf(fixture, fault)
    t.ok(await client.staysSilent(packet, port), fault)
    t.equal(countOf(fixture, fault), before + 1, `${fault} is counted`)
  }
  t.equal((await client.exchange(good)).code, 'Access-Accept', 'and the next good one is answered')
})

const overrun = () => Buffer.concat([Buffer.of(1, 9, 0, 24), randomBytes(16), Buffer.of(1, 9, 65, 66)])

t.test('an unknown source and a NAS that is switched off get nothing; a change is in force at once', async (t) => {
  const { fixture, client } = await withIvan(t)
  const stranger = await fixture.client('127.0.0.9')
  stranger.send(stranger.access(ivan))
  t.equal((await client.exchange(client.access(ivan))).code, 'Access-Accept')
  fixture.engine.setNas([nasEntry(), nasEntry({ id: nasId(9), ip: '127.0.0.9', name: 'new' })])
  t.equal((await stranger.exchange(stranger.access(ivan))).code, 'Access-Accept', 'its first request was dropped')
  t.equal(countOf(fixture, 'unknownNas'), 1)
  fixture.engine.setNas([nasEntry({ enabled: false }), nasEntry({ id: nasId(9), ip: '127.0.0.9', name: 'new' })])
  client.send(client.access(ivan))
  await stranger.exchange(stranger.access(ivan))
  fixture.engine.setNas([nasEntry({ secret: 'changed' })])
  const answer = client.access(ivan, { secret: 'changed' })
  client.send(answer)
  const reply = await client.next()
  t.equal(reply[0], 2)
  t.equal(reply[1], answer[1], 'nothing came while it was off')
  t.match(fixture.engine.snapshot().counts, [
    { nas: null, fault: 'unknownNas' },
    { nas: 'bras-1', result: 'accept' },
    { nas: 'new' },
  ])
})

t.test('Status-Server is answered on both ports', async (t) => {
  const { client } = await withIvan(t)
  const auth = await client.exchange(client.raw([], randomBytes(16), 12))
  t.equal(auth.code, 'Access-Accept')
  t.equal(auth.raw[0]?.[0], 80)
  t.equal((await client.exchange(client.raw([], randomBytes(16), 12), 'acct')).code, 'Accounting-Response')
})

t.test(
  'a retransmission gets the same bytes, a new request with the same identifier an answer of its own',
  async (t) => {
    const { fixture, client } = await withIvan(t, { type: 'mikrotik' })
    const request = client.access(ivan)
    const first = await client.exchange(request)
    fixture.table.remove(1)
    for (let again = 0; again < 3; again++) {
      client.send(request)
      t.ok((await client.next()).equals(first.bytes))
    }
    const burst = client.access(ivan)
    for (let again = 0; again < 4; again++) client.send(burst)
    const refused = await client.next()
    t.equal(refused[0], 3)
    for (let again = 0; again < 3; again++) t.ok((await client.next()).equals(refused), 'also in one breath')
    const other = await fixture.client()
    t.equal((await other.exchange(request)).code, 'Access-Reject', 'from another port it is another request')
    const unsigned = build(1, request[1]!, randomBytes(16), [[1, 'ivan']])
    t.equal((await client.exchange(unsigned)).code, 'Access-Reject')
  },
)

t.test('require_message_authenticator and limit_proxy_state, yes and no', async (t) => {
  const strict = await withIvan(t, { requireMessageAuthenticator: 'yes' })
  t.ok(await strict.client.staysSilent(strict.client.access(ivan, { signed: false })))
  t.equal((await strict.client.exchange(strict.client.access(proxied))).code, 'Access-Accept')
  const limited = await withIvan(t, { limitProxyState: 'yes' })
  t.ok(await limited.client.staysSilent(limited.client.access(proxied, { signed: false })))
  t.equal(countOf(limited.fixture, 'unsignedProxyState'), 1)
  t.equal((await limited.client.exchange(limited.client.access(ivan, { signed: false }))).code, 'Access-Accept')
  t.equal((await limited.client.exchange(limited.client.access(proxied))).code, 'Access-Accept')
  const open = await withIvan(t)
  t.equal((await open.client.exchange(open.client.access(proxied, { signed: false }))).code, 'Access-Accept')
  for (const { fixture } of [strict, limited, open]) t.strictSame(fixture.learned, [], 'nothing to learn')
})

t.test('a MAC address without a password, which anybody can send, teaches nothing', async (t) => {
  const auto = { requireMessageAuthenticator: 'auto', limitProxyState: 'auto' } as const
  const { fixture, client } = await withIvan(t, auto)
  fixture.login(2, { login: 'line', password: 'x', mac: parseMacText('00:1a:2b:3c:4d:5e') })
  const name: [string, unknown] = ['User-Name', '00:1a:2b:3c:4d:5e']
  const accepted = async (...more: [string, unknown][]) =>
    t.equal((await client.exchange(client.access([name, ...more], { signed: false }))).code, 'Access-Accept')
  await accepted(['Proxy-State', Buffer.from('p')])
  await accepted(['User-Password', '001a.2b3c.4d5e'])
  t.match(await fixture.taught(1), { messageAuthenticator: false, proxyState: true }, 'with its password it does')
})

t.test('auto learns from the first valid request and again when the record is saved', async (t) => {
  const auto = { requireMessageAuthenticator: 'auto', limitProxyState: 'auto' } as const
  const { fixture, client } = await withIvan(t, auto)
  const forged = client.access(ivan)
  forged[forged.length - 1]! ^= 1
  t.ok(await client.staysSilent(forged), 'a forged request teaches nothing')
  t.equal((await client.exchange(client.access(ivan))).code, 'Access-Accept')
  t.ok(await client.staysSilent(client.access(ivan, { signed: false })), 'one that signs must go on signing')
  t.strictSame(await fixture.taught(1), { nasId: 1, messageAuthenticator: true, proxyState: null })

  fixture.engine.setNas([nasEntry(auto)])
  t.equal((await client.exchange(client.access(ivan, { signed: false }))).code, 'Access-Accept')
  t.ok(
    await client.staysSilent(client.access(proxied, { signed: false })),
    'one that is no proxy may not become one unsigned',
  )
  t.match(await fixture.taught(2), { messageAuthenticator: false, proxyState: true })

  fixture.engine.setNas([nasEntry(auto)])
  t.equal(
    (await client.exchange(client.access(proxied, { signed: false }))).code,
    'Access-Accept',
    'an old proxy is let through',
  )
  t.equal((await client.exchange(client.access(proxied, { signed: false }))).code, 'Access-Accept')
  t.match(await fixture.taught(3), { messageAuthenticator: false, proxyState: false })

  fixture.engine.setNas([nasEntry(auto)])
  const guess = client.access(
    [
      ['User-Name', 'ivan'],
      ['User-Password', 'guessed'],
    ],
    { signed: false },
  )
  t.equal((await client.exchange(guess)).code, 'Access-Reject')
  t.equal((await client.exchange(client.access(ivan, { signed: false }))).code, 'Access-Accept')
  t.match(
    await fixture.taught(4),
    { messageAuthenticator: false },
    'an unsigned request without the right password teaches nothing',
  )
  t.equal(fixture.learned.length, 4)
  t.equal((await client.exchange(client.access(ivan))).code, 'Access-Accept')
  t.match(await fixture.taught(5), { messageAuthenticator: true }, 'the first signed one ends "unsigned" for good')
  t.ok(await client.staysSilent(client.access(ivan, { signed: false })))

  fixture.engine.setNas([nasEntry({ ...auto, learnedMessageAuthenticator: true })])
  t.ok(await client.staysSilent(client.access(ivan, { signed: false })), 'what was learned before the restart counts')
})

t.test(
  'accounting is answered when it is durable, dropped while in work, and repeated when it was refused',
  async (t) => {
    const batches: { batch: AccountingBatch; settle: (accepted: number[]) => void; fail: (error: Error) => void }[] = []
    let arrived = () => {}
    const fixture = await RadiusFixture.start(t, {
      accounting: (batch) =>
        new Promise((resolve, reject) => {
          batches.push({ batch, settle: (accepted) => resolve(Int32Array.from(accepted)), fail: reject })
          arrived()
        }),
    })
    const batchNumber = async (number: number) => {
      while (batches.length < number) await new Promise<void>((resolve) => (arrived = resolve))
      return batches[number - 1]!
    }
    const client = await fixture.client()
    const start = client.accounting([
      ['User-Name', 'ivan'],
      ['Acct-Status-Type', 'Start'],
      ['Proxy-State', Buffer.from('p')],
    ])
    t.ok(await client.staysSilent(start, 'acct'), 'nothing is stored yet')
    t.ok(await client.staysSilent(start, 'acct'))
    t.equal(countOf(fixture, 'inWork'), 1)
    const first = await batchNumber(1)
    t.strictSame([...first.batch.nasIds], [1])
    t.ok(Buffer.from(first.batch.packets).equals(start), 'the packet crosses as it came')
    first.settle([0])
    const response = await client.next()
    const expected = createHash('md5')
      .update(
        Buffer.concat([response.subarray(0, 4), start.subarray(4, 20), response.subarray(20), Buffer.from(secret)]),
      )
      .digest()
    t.ok(expected.equals(response.subarray(4, 20)))
    t.equal(response.subarray(22).toString(), 'p')
    client.send(start, 'acct')
    t.ok((await client.next()).equals(response), 'a retransmission gets the same bytes and is not stored twice')
    t.equal(batches.length, 1)

    const stop = client.accounting([
      ['User-Name', 'ivan'],
      ['Acct-Status-Type', 'Stop'],
    ])
    client.send(stop, 'acct')
    ;(await batchNumber(2)).settle([])
    const interim = client.accounting([
      ['User-Name', 'ivan'],
      ['Acct-Status-Type', 'Interim-Update'],
    ])
    client.send(interim, 'acct')
    ;(await batchNumber(3)).fail(new Error('the disk is full'))
    const tail = client.accounting([
      ['User-Name', 'ivan'],
      ['Acct-Status-Type', 'Start'],
    ])
    client.send(tail, 'acct')
    ;(await batchNumber(4)).settle([0])
    t.equal((await client.next())[1], tail[1], 'what was not stored is not answered')
    client.send(stop, 'acct')
    ;(await batchNumber(5)).settle([0])
    t.equal((await client.next())[1], stop[1], 'its repeat is taken as new')
  },
)

t.test('accounting is handed over as it comes, also while what came before is not stored yet', async (t) => {
  const arrivals: (() => void)[] = []
  const settle: (() => void)[] = []
  const fixture = await RadiusFixture.start(t, {
    accounting: (batch) =>
      new Promise((resolve) => {
        settle.push(() => resolve(Int32Array.from(batch.tokens.keys())))
        arrivals.shift()!()
      }),
  })
  const client = await fixture.client()
  const asked = Array.from({ length: 4 }, (_, at) =>
    client.accounting([
      ['User-Name', 'ivan'],
      ['Acct-Session-Id', `s${at}`],
      ['Acct-Status-Type', 'Interim-Update'],
    ]),
  )
  for (const request of asked) {
    const arrived = new Promise<void>((resolve) => arrivals.push(resolve))
    client.send(request, 'acct')
    await arrived
  }
  for (const [at, request] of asked.entries()) {
    settle[at]!()
    t.equal((await client.next())[1], request[1])
  }
})

t.test('many requests in one breath to two workers all get their answers', async (t) => {
  const fixture = await RadiusFixture.start(t, { workers: 2 })
  fixture.login(1, { login: 'ivan', password: 'right' })
  const clients = await Promise.all(Array.from({ length: 10 }, () => fixture.client()))
  const answers = clients.map(async (client) => {
    for (let round = 0; round < 10; round++) {
      const accepted = await client.pap('ivan', 'right')
      const stored = await client.exchange(
        client.accounting([
          ['User-Name', 'ivan'],
          ['Acct-Status-Type', 'Start'],
        ]),
        'acct',
      )
      if (accepted.code !== 'Access-Accept' || stored.code !== 'Accounting-Response') return false
    }
    return true
  })
  t.ok((await Promise.all(answers)).every(Boolean))
  // A worker counts what it has answered, in shared memory, after the answer has left.
  while (fixture.engine.snapshot().access.count < 100) await nextTurn()
  const { counts, access } = fixture.engine.snapshot()
  t.equal(counts.find(({ result }) => result === 'accept')?.count, 100)
  t.equal(counts.find(({ result }) => result === 'accounting')?.count, 100)
  t.equal(access.count, 100)
})

t.test('a busy port is a readable sentence; a stopped engine frees its ports', async (t) => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  await t.rejects(RadiusFixture.start(t, { authPort: port }), {
    message: new RegExp(`RADIUS port ${port} on 127.0.0.1 is in use`),
  })
  socket.close()
  const authPort = await freeUdpPort()
  const fixture = await RadiusFixture.start(t, { authPort, workers: 2 })
  t.ok(fixture.engine.isReady())
  await t.rejects(RadiusFixture.start(t, { authPort, workers: 2 }), {
    message: /in use/,
  })
  await fixture.engine.stop()
  t.notOk(fixture.engine.isReady())
  const next = await RadiusFixture.start(t, { authPort, workers: 2 })
  t.equal(next.engine.addresses.authPort, authPort)
})

t.test('a worker that dies is replaced and takes up the same port', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'right' })
  t.equal(fixture.engine.mode.kind, udpPreference === 'auto' && 'addon' in loadAddon() ? 'batches' : 'dgram')
  t.ok(fixture.logged.some((line) => line.includes('RADIUS receives and answers')))
  const rules = new SharedValue<WorkerRules>({
    nas: [{ ...nasEntry(), nasSlot: 1, edition: 1 }],
    settings: usualSettings,
  })
  const addresses = { host: '127.0.0.1', authPort: await freeUdpPort(), acctPort: 0 }
  let gone = 0
  const nasSlot = new WorkerHandle({
    startWith: () => ({
      number: 1,
      host: addresses.host,
      authPort: addresses.authPort,
      sharesPort: false,
      udp: udpPreference,
      table: fixture.table.handle(),
      pools: fixture.pools.handle(),
      rules: rules.handle(),
      classKey,
      secretKeys: secrets.keys,
      offersFolder: null,
      clock: null,
      counters: new SharedArrayBuffer(countersBytes),
      signs: new SharedArrayBuffer(signsBytes),
      tracedShare: 0,
    }),
    onTraced: () => {},
    comparePassword: async () => false,
    log: fixture.log,
    onLearned: () => {},
    onHeard: () => {},
    onRejections: () => {},
    onAnswered: () => {},
    onGone: () => gone++,
  })
  t.teardown(() => nasSlot.stop(0))
  await nasSlot.start()
  const client = await Client.open({ addresses }, '127.0.0.1')
  t.teardown(() => client.close())
  t.equal((await client.exchange(client.access(ivan))).code, 'Access-Accept')
  // Nothing in the program sends this; the thread falls over it as over a bug.
  nasSlot.post(null as never)
  await fixture.nextLine('A RADIUS worker listens again.')
  t.ok(fixture.logged.some((line) => line.includes('A RADIUS worker failed.')))
  t.equal(gone, 1)
  t.equal((await client.exchange(client.access(ivan))).code, 'Access-Accept')
})

t.test('IPv4 and IPv6 sources on a dual-stack socket', async (t) => {
  const fixture = await RadiusFixture.start(t, { host: '::', nas: [nasEntry(), nasEntry({ id: nasId(2), ip: '::1' })] })
  fixture.login(1, { login: 'ivan', password: 'right' })
  for (const address of ['127.0.0.1', '::1']) {
    const client = await fixture.client(address)
    t.equal((await client.exchange(client.access(ivan))).code, 'Access-Accept', address)
  }
})
