import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { OfferLog } from '../../access/offer-log.ts'
import { AddressSource } from '../../access/pools.ts'
import { AccessReader } from '../../access/reader.ts'
import { SharedView } from '../../access/shared.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'
import { udpOpener } from '../udp/open-port.ts'
import type { UdpPort } from '../udp/udp-port.ts'
import { AccessHandler } from './access-handler.ts'
import { AccessReceiver } from './access-receiver.ts'
import { AccountingReceiver } from './accounting-receiver.ts'
import { type RadiusPort, WorkerCounters } from './counters.ts'
import { NasNotices } from './nas-notices.ts'
import { NasTable } from './nas-table.ts'
import type { PacketReceiver, ReceiverParts } from './packet-receiver.ts'
import { RejectionNotices } from './rejection-notices.ts'
import { ClassWriter } from './session-class.ts'

/**
 * One RADIUS worker thread with sockets of its own on both ports. Access-Requests are answered within the event in
 * which they arrive; accounting goes to the main thread in the batches in which it arrives and is answered when it is
 * durable.
 */
const start = workerData as WorkerStart
const toMain = parentPort!
const post = (message: FromWorker) => toMain.postMessage(message)

const faultsPerSecondMax = 5
const drainStepMs = 10

const counters = new WorkerCounters(start.counters)
const reader = new AccessReader(start.table)
let areOffersWritten = true
const offers =
  start.offersFolder === null
    ? null
    : new OfferLog(start.offersFolder, start.number, Date.now() / 1000, (error) => {
        if (error !== null && areOffersWritten) post({ kind: 'offersUnwritten', message: error.message })
        areOffersWritten = error === null
      })
const addresses = new AddressSource(start.pools, start.number, offers)
const classes = new ClassWriter(start.classKey, randomBytes(4).readUInt32BE())
const rules = new SharedView(start.rules)
const rejections = new RejectionNotices(post)
const notices = new NasNotices((heard, edition) => post({ kind: 'heard', heard, edition }))
const handler = new AccessHandler(reader, addresses, classes, rules.value, {
  rejected: (rejection) => rejections.add(rejection),
  learned: (learned, edition) => post({ kind: 'learned', learned, edition }),
  proved: (nas) => notices.proved(nas),
})

let nasTable = new NasTable(rules.value.nas)
let faultSecond = 0
let faultsInSecond = 0

const parts: ReceiverParts = { counters, nas: followRules, notices, failed: reportFault }
const receivers = { auth: new AccessReceiver(parts, handler, post), acct: new AccountingReceiver(parts, post) }
const sockets: Partial<Record<RadiusPort, UdpPort>> = {}
toMain.on('message', (message: ToWorker) => takeMessage(message))
// An idle worker still follows the growth of the table.
setInterval(() => {
  reader.refresh()
  addresses.refresh()
  followRules()
}, 1000).unref()
await open()

async function open(): Promise<void> {
  try {
    const opener = udpOpener(start.udp)
    const openFor = (port: number, receiver: PacketReceiver) =>
      opener.open({
        host: start.host,
        port,
        sharesPort: start.sharesPort,
        output: receiver.replies.bytes,
        listener: receiver,
      })
    sockets.auth = await openFor(start.authPort, receivers.auth)
    sockets.acct = await openFor(start.acctPort, receivers.acct)
    post({ kind: 'ready', authPort: sockets.auth.number, acctPort: sockets.acct.number, mode: opener.mode })
  } catch (error) {
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    closeSockets()
    toMain.close()
  }
}

function takeMessage(message: ToWorker): void {
  switch (message.kind) {
    case 'accountingStored':
      // The tokens come from this socket, so it is open.
      receivers.acct.settle(sockets.acct!, message)
      break
    case 'passwordCompared':
      receivers.auth.settle(sockets.auth!, message)
      break
    case 'stop':
      void stop(message.withinMs)
  }
}

function followRules(): NasTable {
  if (!rules.refresh()) return nasTable
  handler.follow(rules.value)
  nasTable = new NasTable(rules.value.nas)
  return nasTable
}

function reportFault(error: unknown): void {
  const second = Math.floor(performance.now() / 1000)
  if (second !== faultSecond) {
    faultSecond = second
    faultsInSecond = 0
  }
  if (faultsInSecond++ >= faultsPerSecondMax) return
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  post({ kind: 'fault', message, stack })
}

/** Accepts no new requests, and answers those in work as long as there is time. */
async function stop(withinMs: number): Promise<void> {
  for (const socket of Object.values(sockets)) socket.stopReceiving()
  const deadline = performance.now() + withinMs
  while (receivers.acct.waiting + receivers.auth.waiting > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, drainStepMs))
  rejections.flush()
  closeSockets()
  reader.close()
  addresses.close()
  rules.close()
  toMain.close()
}

function closeSockets(): void {
  for (const socket of Object.values(sockets)) socket.close()
}
