import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import { AccountingPort } from '../../../src/network/radius/accounting-port.ts'
import {
  countersBytes,
  type DropFault,
  readCounts,
  WorkerCounters,
} from '../../../src/network/radius/worker/counters.ts'
import type { AccountingBatch, WorkerRules } from '../../../src/network/radius/worker/messages.ts'
import { NasSigns, signsBytes } from '../../../src/network/radius/worker/nas-signs.ts'
import { AccountingReceiver } from '../../../src/network/radius/worker/accounting-receiver.ts'
import { NasTable } from '../../../src/network/radius/worker/nas-table.ts'
import { datagramWord, datagramWords, type UdpPort } from '../../../src/network/radius/udp/udp-port.ts'
import { steadyMs } from '../../../src/platform/actors/day-time.ts'
import { loopback } from '../../support/nas.ts'
import { NasNotices } from '../../../src/network/radius/worker/nas-notices.ts'
import { createLog } from '../../../src/platform/log.ts'
import { freeUdpPort } from '../../support/free-port.ts'
import { Client, isSigned, nasEntry, secret, udpPreference, usualSettings } from './fixture.ts'
import { build, integer, signed, type Tlv, zeros } from './wire/builder.ts'

type Handed = { batch: AccountingBatch; store: () => void }

/** The port of accounting without any worker; what it hands over waits until the test stores it. */
async function openPort(t: { teardown(action: () => unknown): unknown }, udp = udpPreference) {
  const nas = { ...nasEntry(), nasSlot: 1, edition: 1 }
  const rules: { published: WorkerRules } = { published: { nas: [nas], settings: usualSettings } }
  const counters = new SharedArrayBuffer(countersBytes)
  const handed: Handed[] = []
  const logged: Record<string, unknown>[] = []
  let onHanded = () => {}
  const number = await freeUdpPort()
  const port = new AccountingPort({
    host: '127.0.0.1',
    port: number,
    udp,
    rules,
    counters,
    signs: new SharedArrayBuffer(signsBytes),
    notices: new NasNotices(() => {}),
    dayTimeMs: Date.now,
    accounting: (batch) =>
      new Promise((resolve) => {
        handed.push({ batch, store: () => resolve(Int32Array.from(batch.tokens.keys())) })
        onHanded()
      }),
    log: createLog({ level: 'warn', pretty: false, write: (line) => logged.push(JSON.parse(line)) }),
  })
  await port.start()
  t.teardown(() => port.stop(0))
  const client = await Client.open({ addresses: { host: '127.0.0.1', authPort: 0, acctPort: number } }, '127.0.0.1')
  t.teardown(() => client.close())
  const nextHanded = async (count: number): Promise<Handed> => {
    while (handed.length < count) await new Promise<void>((resolve) => (onHanded = resolve))
    return handed[count - 1]!
  }
  const answered = () => readCounts([counters], 2).find(({ result }) => result === 'accounting')?.count ?? 0
  const drops = () =>
    Object.fromEntries(
      readCounts([counters], 2).flatMap(({ fault, count }) => (fault === null ? [] : [[fault, count]])),
    )
  return { port, client, rules, handed, nextHanded, answered, drops, logged }
}

const interim = (client: Client) =>
  client.accounting([
    ['User-Name', 'ivan'],
    ['Acct-Session-Id', 's'],
    ['Acct-Status-Type', 'Interim-Update'],
  ])

t.test('the thread that stores accounting receives and answers it, and needs no worker', async (t) => {
  const { client, nextHanded, answered } = await openPort(t)
  const requests = [interim(client), interim(client)]
  client.send(requests[0]!, 'acct')
  const first = await nextHanded(1)
  client.send(requests[1]!, 'acct')
  const second = await nextHanded(2)
  t.equal(answered(), 0)
  first.store()
  second.store()
  t.strictSame([(await client.next())[1], (await client.next())[1]], [requests[0]![1], requests[1]![1]])
  t.equal(answered(), 2)
})

t.test('a stop receives nothing more and waits for what is in work, but only as long as it may', async (t) => {
  const { port, client, nextHanded } = await openPort(t)
  const request = interim(client)
  client.send(request, 'acct')
  const { store } = await nextHanded(1)
  const stopped = port.stop(60_000)
  store()
  await stopped
  t.equal((await client.next())[1], request[1], 'the answer left before the port was closed')

  const other = await openPort(t)
  other.client.send(interim(other.client), 'acct')
  await other.nextHanded(1)
  await other.port.stop(1)
  t.pass('what is never stored does not hold up the stop')
})

for (const udp of ['auto', 'dgram'] as const)
  t.test(`what is stored after the port was closed is not answered and disturbs nothing (${udp})`, async (t) => {
    const { port, client, nextHanded, answered } = await openPort(t, udp)
    client.send(interim(client), 'acct')
    const { store } = await nextHanded(1)
    await port.stop(0)
    store()
    // An error here would be an unhandled rejection, which ends the program.
    await nextTurn()
    t.equal(answered(), 1, 'it was stored')
  })

for (const udp of ['auto', 'dgram'] as const)
  t.test(`what is handed over says when it arrived (${udp})`, async (t) => {
    const { client, nextHanded } = await openPort(t, udp)
    const sentMs = steadyMs()
    client.send(interim(client), 'acct')
    const { batch } = await nextHanded(1)
    t.equal(batch.arrivedMs.length, 1)
    t.ok(batch.arrivedMs[0]! > sentMs && batch.arrivedMs[0]! <= steadyMs())
  })

t.test('a change of the rules is in force for the next packet', async (t) => {
  const { client, rules, nextHanded } = await openPort(t)
  const { nas, settings } = rules.published
  client.send(interim(client), 'acct')
  const before = await nextHanded(1)
  rules.published = { nas: [{ ...nas[0]!, id: nasId(7) }], settings }
  client.send(interim(client), 'acct')
  const after = await nextHanded(2)
  t.strictSame(
    [before, after].map(({ batch }) => [...batch.nasIds]),
    [[1], [7]],
  )
})

/** An Accounting-Request with what stands for its Acct-Status-Type. */
const ofStatus = (client: Client, ...status: Tlv[]) =>
  signed(build(4, client.identifier, zeros(16), [[1, 'ivan'], [44, 's'], ...status]), zeros(16), secret)

t.test('accounting without an Acct-Status-Type gets no answer, and is counted and told', async (t) => {
  const { client, handed, drops, logged } = await openPort(t)
  t.ok(await client.staysSilent(ofStatus(client), 'acct'))
  t.ok(await client.staysSilent(ofStatus(client, [40, Buffer.of(0, 1)]), 'acct'), 'nor one of two octets')
  t.strictSame(drops(), { missingStatus: 2 })
  t.match(logged, [{ level: 'warn', message: /without an Acct-Status-Type/, nas: 'bras-1' }])
  t.equal(logged.length, 1, 'once in an hour')
  t.equal(handed.length, 0)
})

t.test('accounting of a type that is not stored is answered, and counted and told', async (t) => {
  const { client, handed, drops, logged, answered } = await openPort(t)
  for (const type of [9, 9, 15]) {
    const request = ofStatus(client, [40, integer(type)])
    client.send(request, 'acct')
    const answer = await client.next()
    t.equal(answer[0], 5)
    t.ok(isSigned(request, answer))
    client.send(request, 'acct')
    t.ok((await client.next()).equals(answer), 'a repetition gets the same answer')
  }
  t.strictSame(drops(), { unstoredStatus: 3 })
  t.equal(answered(), 0)
  t.match(logged, [
    { message: /answered and not stored/, nas: 'bras-1', statusType: 9 },
    { nas: 'bras-1', statusType: 15 },
  ])
  t.equal(logged.length, 2)
  t.equal(handed.length, 0)
})

t.test('an answer that cannot be sent is counted and reported, and the others leave', async (t) => {
  const counters = new SharedArrayBuffer(countersBytes)
  const nas = new NasTable([{ ...nasEntry(), nasSlot: 1, edition: 1 }])
  const failed: unknown[] = []
  const receiver = new AccountingReceiver(
    {
      counters: new WorkerCounters(counters),
      signs: new NasSigns(new SharedArrayBuffer(signsBytes)),
      nas: () => nas,
      notices: new NasNotices(() => {}),
      dayTimeMs: Date.now,
      failed: (error) => failed.push(error),
    },
    async (batch) => Int32Array.from(batch.tokens.keys()),
    () => {},
  )
  const client = await Client.open({ addresses: { host: '127.0.0.1', authPort: 0, acctPort: 0 } }, '127.0.0.1')
  t.teardown(() => client.close())
  const packets = [interim(client), interim(client)]
  const received = new Int32Array(2 * datagramWords)
  for (const [index, packet] of packets.entries()) {
    const at = index * datagramWords
    received[at + datagramWord.offset] = index * packets[0]!.length
    received[at + datagramWord.length] = packet.length
    // A datagram may come from port 0, to which node:dgram refuses to send.
    received[at + datagramWord.port] = index
    received.set(loopback, at + datagramWord.address)
  }
  const sent: number[] = []
  const { promise: flushed, resolve } = Promise.withResolvers<void>()
  const udp: UdpPort = {
    bytes: Buffer.concat(packets),
    received,
    arrivedMs: new Float64Array(2),
    number: 1813,
    digester: null,
    queue: (_at, _length, source, sourceAt) => {
      const port = source[sourceAt + datagramWord.port]!
      if (port === 0) throw new RangeError('Port should be > 0 and < 65536.')
      sent.push(port)
    },
    flush: () => sent.length > 0 && resolve(),
    stopReceiving: () => {},
    close: () => {},
  }
  receiver.datagrams(udp, 2)
  await flushed
  t.strictSame(sent, [1])
  t.equal(failed.length, 1)
  const dropped = (as: DropFault) => readCounts([counters], 2).find(({ fault }) => fault === as)?.count
  t.equal(dropped('failure'), 1)
})
