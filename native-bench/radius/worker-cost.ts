import { parseArgs } from 'node:util'
import { nasId } from '../../src/domain/ids.ts'
import { AddressPools, AddressSource } from '../../src/network/access/pools.ts'
import { AccessReader } from '../../src/network/access/reader.ts'
import { AccessTable } from '../../src/network/access/table.ts'
import { templateOf } from '../../src/network/radius/templates.ts'
import { loadAddon } from '../../src/network/radius/udp/addon.ts'
import { BatchPort } from '../../src/network/radius/udp/batch-port.ts'
import { datagramWord, datagramWords, type UdpPort } from '../../src/network/radius/udp/udp-port.ts'
import { parseAddress } from '../../src/network/radius/wire/address.ts'
import { SharedSecret } from '../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../src/network/radius/wire/writer.ts'
import { AccessHandler } from '../../src/network/radius/worker/access-handler.ts'
import { AnswerNotices } from '../../src/network/radius/worker/answer-notices.ts'
import { AccessReceiver } from '../../src/network/radius/worker/access-receiver.ts'
import { NasSigns, signsBytes } from '../../src/network/radius/worker/nas-signs.ts'
import { countersBytes, WorkerCounters } from '../../src/network/radius/worker/counters.ts'
import { NasNotices } from '../../src/network/radius/worker/nas-notices.ts'
import { NasTable } from '../../src/network/radius/worker/nas-table.ts'
import { RejectionNotices } from '../../src/network/radius/worker/rejection-notices.ts'
import { ClassWriter } from '../../src/network/radius/worker/session-class.ts'
import { fieldsOf } from '../../test/network/access/entries.ts'
import { accessRequest } from '../access-client.ts'
import { loginOf, nasFirst, passwordNumber, passwords, secret } from './subscribers.ts'

/**
 * `npx node native-bench/radius/worker-cost.ts [--users 10000] [--batch 32] [--rounds 20000] [--pool] [--networks]
 * [--wrong] [--log none|rejects|accepts]`:
 * what a PAP sign-in costs a RADIUS worker without the kernel, from a datagram in memory to the answer that waits to be
 * signed and sent. A round of one batch is short enough to fall between two other programs, so the least of thousands
 * is the same on a machine with other work; the median is printed beside it. The processor time of the second half of
 * all rounds includes what is done once a second.
 */
const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '10000' },
    batch: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '20000' },
    /** Addresses of a pool in place of a fixed one for each login. */
    pool: { type: 'boolean', default: false },
    /** The record of the NAS is of a network, and another one around it has a NAS-Identifier. */
    networks: { type: 'boolean', default: false },
    /** Every password is wrong. */
    wrong: { type: 'boolean', default: false },
    /** What is noted for the log of sign-ins. */
    log: { type: 'string', default: 'rejects' },
  },
})
const users = Number(values.users)
const batch = Number(values.batch)
const rounds = Number(values.rounds)

const loaded = loadAddon()
if ('missing' in loaded) throw new Error(loaded.missing)

const table = new AccessTable()
for (let user = 1; user <= users; user++) {
  const address = values.pool ? { poolId: 1 } : { ip: 0x0a000000 + user }
  const speed = { downKbit: 100_000, upKbit: 100_000 }
  table.put(fieldsOf(user, { login: loginOf(user), password: passwords[passwordNumber(user)]!, ...address, ...speed }))
}
const pools = new AddressPools()
pools.define([{ id: 1, network: 0x0a000000, prefixLength: 16, gateway: null, enabled: true }], () => [])

const record = {
  id: nasId(1),
  name: 'bras',
  ip: values.networks ? null : nasFirst,
  network: values.networks ? '127.0.0.0/16' : null,
  secret,
  type: 'mikrotik' as const,
  coaPort: 3799,
  enabled: true,
  requireMessageAuthenticator: 'auto' as const,
  limitProxyState: 'auto' as const,
  nasSlot: 1,
  edition: 1,
}
const other = { ...record, id: nasId(2), ip: null, network: '127.0.0.0/8', identifier: 'other', nasSlot: 2 }
const nas = new NasTable(values.networks ? [record, other] : [record])
const settings = {
  interimSeconds: 300,
  simultaneous: 'reject' as const,
  walledGardenList: 'debtors',
  realms: '',
  loginCase: 'exact' as const,
  logsAccepts: values.log === 'accepts',
  timeZone: 'Europe/Moscow',
}
const template = templateOf(record)
if ('fault' in template) throw new Error(String(template.fault))
const rejections = new RejectionNotices(
  () => {},
  () => settings.timeZone,
)
const answered = new AnswerNotices((message) => structuredClone(message))
const handler = new AccessHandler(
  new AccessReader(table.handle()),
  new AddressSource(pools.handle(), 1),
  new ClassWriter(Buffer.alloc(32, 3), 0),
  { nas: [record], settings, templates: new Map([[record.id, template]]) },
  {
    rejected: (reason, packet, nasId, login, atMs) => {
      rejections.add(reason, packet, nasId, login, atMs)
      if (values.log !== 'none') answered.add(reason, packet, nasId, login, atMs)
    },
    accepted: (_grant, packet, nasId, login, atMs) => answered.add('accept', packet, nasId, login, atMs),
    learned: () => {},
    proved: () => {},
    garbled: () => {},
  },
)
const failed = (error: unknown) => {
  throw error
}
const counters = new WorkerCounters(new SharedArrayBuffer(countersBytes))
const receiver = new AccessReceiver(
  {
    counters,
    signs: new NasSigns(new SharedArrayBuffer(signsBytes)),
    nas: () => nas,
    notices: new NasNotices(() => {}),
    dayTimeMs: Date.now,
    failed,
  },
  handler,
  () => {},
)

// The socket lends its digests only; datagrams are put where it would have received them.
const socket = new BatchPort(loaded.addon, {
  host: '127.0.0.1',
  port: 0,
  sharesPort: false,
  output: receiver.replies.bytes,
  listener: receiver,
})
let answers = 0
const port: UdpPort = {
  bytes: socket.bytes,
  received: socket.received,
  arrivedMs: socket.arrivedMs,
  number: socket.number,
  digester: socket.digester,
  queue: () => answers++,
  flush: () => {},
  stopReceiving: () => {},
  close: () => {},
}

const source = new Int32Array(parseAddress(nasFirst)!.buffer)
const writer = new PacketWriter()
const shared = new SharedSecret(secret)
const requests = Array.from({ length: users }, (_, index) =>
  accessRequest(
    writer,
    shared,
    index & 255,
    loginOf(index + 1),
    values.wrong ? 'wrong' : passwords[passwordNumber(index + 1)]!,
  ),
)
const slotBytes = socket.bytes.length / (socket.received.length / datagramWords)

function fill(round: number): void {
  for (let slot = 0; slot < batch; slot++) {
    const number = round * batch + slot
    const request = requests[number % users]!
    const at = slot * datagramWords
    socket.bytes.set(request, slot * slotBytes)
    socket.received[at + datagramWord.offset] = slot * slotBytes
    socket.received[at + datagramWord.length] = request.length
    // A pass over all users comes from a port of its own, or it would be answered as a repetition.
    socket.received[at + datagramWord.port] = 1024 + (Math.floor(number / users) % 60_000)
    socket.received.set(source, at + datagramWord.address)
  }
}

const flushRounds = Math.ceil(50_000 / batch)
let begun = process.cpuUsage()
const costs = Array.from({ length: rounds }, (_, round) => {
  if (round === Math.floor(rounds / 2)) begun = process.cpuUsage()
  fill(round)
  const beganMs = performance.now()
  // The timers of the worker do not run here. A worker answers so many in a second.
  if (round % flushRounds === 0) {
    rejections.flush()
    answered.flush()
  }
  receiver.datagrams(port, batch)
  return ((performance.now() - beganMs) * 1000) / batch
})
const spent = process.cpuUsage(begun)
const cpuUs = (spent.user + spent.system) / (batch * Math.ceil(rounds / 2))
if (answers !== rounds * batch) throw new Error(`${answers} answers to ${rounds * batch} requests.`)
// The first third is compiled while it runs.
const sorted = costs.slice(rounds / 3).toSorted((a, b) => a - b)
const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(2)
process.stdout.write(
  `${at(0)} µs a sign-in at least, ${at(0.1)} in a tenth, ${at(0.5)} in half of the rounds; ${cpuUs.toFixed(2)} µs of processor time with the making of requests\n`,
)
process.exit()
