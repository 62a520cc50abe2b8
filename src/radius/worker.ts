import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { AddressSource } from '../access/pools.ts'
import { AccessReader } from '../access/reader.ts'
import { SharedView } from '../access/shared.ts'
import { AccessDesk, type AccessOutcome, statusFault } from './access-desk.ts'
import { type CountedResult, type DropFault, type RadiusPort, unknownSeat, WorkerCounters } from './counters.ts'
import type { AccountingAnswer, FromWorker, NasSeat, ToWorker, WorkerStart } from './messages.ts'
import { PendingAccounting, pendingMax } from './pending.ts'
import { RejectionNotices } from './notices.ts'
import { Replies } from './replies.ts'
import { type KnownNas, knownNas } from './signature-rules.ts'
import { verifyMessageAuthenticator, verifyRequestAuthenticator } from './wire/authenticator.ts'
import { codes, PacketView } from './wire/packet.ts'
import { PacketWriter } from './wire/writer.ts'

/**
 * One RADIUS worker thread with sockets of its own on both ports. Access-Requests are answered within the event that brings them;
 * accounting goes to the main thread in one batch a turn and is answered when it is durable.
 */
const start = workerData as WorkerStart
const toMain = parentPort!
const post = (message: FromWorker) => toMain.postMessage(message)

const receiveBufferBytes = 1 << 22
const faultsPerSecondMax = 5
const drainStepMs = 10

const counters = new WorkerCounters(start.counters)
const reader = new AccessReader(start.table)
const addresses = new AddressSource(start.pools, start.number)
const rules = new SharedView(start.rules)
const rejections = new RejectionNotices(post)
const pending = new PendingAccounting()
const desk = new AccessDesk(reader, addresses, rules.value.settings, {
  rejected: (rejection) => rejections.add(rejection),
  replaced: (replacement) => post({ kind: 'replacement', ...replacement }),
  learned: (learned, edition) => post({ kind: 'learned', learned, edition }),
})

/** Answers of each port, apart: the same source port and identifier may be in use on both. */
const replies: Record<RadiusPort, Replies> = { auth: new Replies(), acct: new Replies() }
const packet = new PacketView()
const writer = new PacketWriter()
let nasByAddress = nasOf(rules.value.nas)
let faultSecond = 0
let faultsInSecond = 0

const sockets: Record<RadiusPort, Socket> = { auth: openSocket('auth'), acct: openSocket('acct') }
toMain.on('message', (message: ToWorker) => takeMessage(message))
// An idle worker still follows the growth of the table.
setInterval(() => {
  reader.refresh()
  addresses.refresh()
  followRules()
}, 1000).unref()
await bind()

async function bind(): Promise<void> {
  try {
    for (const port of ['auth', 'acct'] as const) {
      const socket = sockets[port]
      // With a lookup that answers at once, the event may come before bind returns.
      const listening = once(socket, 'listening')
      socket.bind({ address: start.host, port: port === 'auth' ? start.authPort : start.acctPort })
      await listening
      // From here errors belong to single packets: a NAS that is gone answers with ICMP.
      socket.on('error', () => counters.add(port, unknownSeat, 'notSent'))
    }
    post({ kind: 'ready', authPort: sockets.auth.address().port, acctPort: sockets.acct.address().port })
  } catch (error) {
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    sockets.auth.close()
    sockets.acct.close()
    toMain.close()
  }
}

function openSocket(port: RadiusPort): Socket {
  const socket = createSocket({
    type: isIPv6(start.host) ? 'udp6' : 'udp4',
    reusePort: start.sharesPort,
    recvBufferSize: receiveBufferBytes,
    // Addresses come from datagrams; the resolver would cost a turn of the event loop for each answer.
    lookup: (address, _options, callback) => callback(null, address, isIPv6(address) ? 6 : 4),
  })
  socket.on('message', (datagram, from) => {
    try {
      takeDatagram(port, datagram, from)
    } catch (error) {
      counters.add(port, unknownSeat, 'failure')
      tellFault(error)
    }
  })
  return socket
}

function takeDatagram(port: RadiusPort, datagram: Buffer, from: RemoteInfo): void {
  followRules()
  const nas = nasByAddress.get(from.address) ?? nasByAddress.get(plainAddress(from.address))
  if (!nas) {
    counters.add(port, unknownSeat, 'unknownNas')
    return
  }
  const counted = serve(port, nas, datagram, from)
  if (counted) counters.add(port, nas.record.seat, counted)
}

/** What became of a datagram; null where that is not known yet. */
function serve(port: RadiusPort, nas: KnownNas, datagram: Buffer, from: RemoteInfo): CountedResult | DropFault | null {
  const nowMs = performance.now()
  const fault = packet.reset(datagram) ?? (isServed(port, packet.code) ? null : 'wrongCode')
  if (fault) return fault
  const known = replies[port].find(nas.record.seat, from.port, datagram, 0, nowMs)
  if (known === 'inWork') return 'inWork'
  if (known === 'answered') {
    send(port, from.port, from.address)
    return 'repeated'
  }
  if (port === 'acct') return takeAccounting(nas, datagram, from, nowMs)
  const isStatus = packet.code === codes.statusServer
  const outcome = isStatus ? desk.answerStatus(packet, nas, writer) : desk.answerAccess(packet, nas, Date.now(), writer)
  if (isAnswer(outcome)) answer('auth', nas, from, nowMs)
  if (isAnswer(outcome) && !isStatus) counters.access((performance.now() - nowMs) * 1000)
  return outcome
}

const isAnswer = (outcome: AccessOutcome) => outcome === 'accept' || outcome === 'reject' || outcome === 'status'

const isServed = (port: RadiusPort, code: number) =>
  code === codes.statusServer || code === (port === 'auth' ? codes.accessRequest : codes.accountingRequest)

function takeAccounting(
  nas: KnownNas,
  datagram: Buffer,
  from: RemoteInfo,
  nowMs: number,
): CountedResult | DropFault | null {
  const { seat, id } = nas.record
  const isStatus = packet.code === codes.statusServer
  const fault = isStatus ? statusFault(packet, nas) : accountingFault(nas)
  if (fault) return fault
  // The answer does not depend on what is stored, so it is made while the request is in sight.
  writer.begin(codes.accountingResponse, packet.identifier)
  writer.proxyStates(packet)
  writer.finishResponseTo(packet, nas.secret)
  if (isStatus) {
    answer('acct', nas, from, nowMs)
    return 'status'
  }
  if (pending.size >= pendingMax) return 'overload'
  replies.acct.begin(seat, from.port, datagram, 0, nowMs)
  if (pending.collected === 0) setImmediate(() => post(pending.takeBatch()))
  const request = Uint8Array.prototype.slice.call(datagram, 0, packet.length)
  const { address, port } = from
  pending.add(id, { seat, address, port, request, response: writer.copy(), length: writer.length })
  return null
}

function accountingFault(nas: KnownNas): DropFault | null {
  if (!verifyRequestAuthenticator(packet, nas.secret)) return 'badAuthenticator'
  return verifyMessageAuthenticator(packet, nas.secret) === 'wrong' ? 'badMessageAuthenticator' : null
}

/** Remembers what the writer holds as the answer to `packet` and sends it. */
function answer(port: RadiusPort, nas: KnownNas, from: RemoteInfo, nowMs: number): void {
  replies[port].store(nas.record.seat, from.port, packet.bytes, packet.start, nowMs, writer.bytes, writer.length)
  send(port, from.port, from.address)
}

/** Sends the answer last found or stored; its bytes stay where they are until the ring comes round. */
function send(port: RadiusPort, toPort: number, toAddress: string): void {
  const { bytes, at, length } = replies[port]
  sockets[port].send(bytes, at, length, toPort, toAddress)
}

function takeMessage(message: ToWorker): void {
  switch (message.kind) {
    case 'accountingStored':
      answerAccounting(message)
      break
    case 'stop':
      void stop(message.withinMs)
  }
}

function answerAccounting({ tokens, dropped }: AccountingAnswer): void {
  const nowMs = performance.now()
  for (const token of tokens) {
    const waiting = pending.take(token)
    if (!waiting) continue
    const { seat, port, address, request, response, length } = waiting
    replies.acct.store(seat, port, request, 0, nowMs, response, length)
    counters.add('acct', seat, 'accounting')
    send('acct', port, address)
  }
  for (const token of dropped) {
    const waiting = pending.take(token)
    if (waiting) replies.acct.forget(waiting.seat, waiting.port, waiting.request, 0)
  }
}

function followRules(): void {
  if (!rules.refresh()) return
  desk.settings = rules.value.settings
  nasByAddress = nasOf(rules.value.nas)
}

/** By source address. What `auto` has come to arrives with the record. */
function nasOf(list: readonly NasSeat[]): Map<string, KnownNas> {
  return new Map(list.filter(({ enabled }) => enabled).map((record) => [plainAddress(record.ip), knownNas(record)]))
}

/** A dual-stack socket names IPv4 sources `::ffff:192.0.2.1`. */
function plainAddress(address: string): string {
  const lower = address.toLowerCase().replace(/%.*$/, '')
  return lower.startsWith('::ffff:') && lower.includes('.') ? lower.slice(7) : lower
}

function tellFault(error: unknown): void {
  const second = Math.floor(performance.now() / 1000)
  if (second !== faultSecond) {
    faultSecond = second
    faultsInSecond = 0
  }
  if (faultsInSecond++ >= faultsPerSecondMax) return
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  post({ kind: 'fault', message, stack })
}

/** No new requests; those in work are answered as long as there is time. */
async function stop(withinMs: number): Promise<void> {
  for (const socket of [sockets.auth, sockets.acct]) socket.removeAllListeners('message')
  const deadline = performance.now() + withinMs
  while (pending.size > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, drainStepMs))
  rejections.flush()
  for (const socket of [sockets.auth, sockets.acct]) socket.close()
  reader.close()
  addresses.close()
  rules.close()
  toMain.close()
}
