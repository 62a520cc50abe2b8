import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { OfferLog } from '../../access/offer-log.ts'
import { AddressSource } from '../../access/pools.ts'
import { AccessReader } from '../../access/reader.ts'
import { SharedView } from '../../access/shared.ts'
import { dayTimeOf } from '../../../platform/actors/day-time.ts'
import { Secrets } from '../../../platform/secrets/secrets.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'
import { udpOpener } from '../udp/open-port.ts'
import type { UdpPort } from '../udp/udp-port.ts'
import { AccessHandler } from './access-handler.ts'
import { AccessReceiver } from './access-receiver.ts'
import { AnswerNotices } from './answer-notices.ts'
import { WorkerCounters } from './counters.ts'
import { FaultLimit } from './fault-limit.ts'
import { NasNotices } from './nas-notices.ts'
import { NasSigns } from './nas-signs.ts'
import { NasTable } from './nas-table.ts'
import { PacketTraces } from './packet-traces.ts'
import { RejectionNotices } from './rejection-notices.ts'
import { ClassWriter } from './session-class.ts'

/**
 * One RADIUS worker thread with a socket of its own for Access-Requests, which are answered within the event in which
 * they arrive.
 */
const start = workerData as WorkerStart
const toMain = parentPort!
const post = (message: FromWorker) => toMain.postMessage(message)

const drainStepMs = 10

const dayTimeMs = dayTimeOf(start.clock)
const counters = new WorkerCounters(start.counters)
const signs = new NasSigns(start.signs)
const reader = new AccessReader(start.table, Secrets.ofKeys(start.secretKeys))
let areOffersWritten = true
const offers =
  start.offersFolder === null
    ? null
    : new OfferLog(start.offersFolder, start.number, dayTimeMs() / 1000, (error) => {
        if (error !== null && areOffersWritten) post({ kind: 'offersUnwritten', message: error.message })
        areOffersWritten = error === null
      })
const addresses = new AddressSource(start.pools, start.number, offers)
const classes = new ClassWriter(start.classKey, randomBytes(4).readUInt32BE())
const rules = new SharedView(start.rules)
const rejections = new RejectionNotices(post, () => rules.value.settings.timeZone)
const answered = new AnswerNotices(post)
const notices = new NasNotices((heard, edition) => post({ kind: 'heard', heard, edition }), dayTimeMs)
const traces =
  start.tracedShare > 0 ? new PacketTraces(start.tracedShare, (packets) => post({ kind: 'traced', packets })) : null
const handler = new AccessHandler(reader, addresses, classes, rules.value, {
  rejected: (reason, packet, nasId, record, atMs) => {
    rejections.add(reason, packet, nasId, record, atMs)
    answered.add(reason, packet, nasId, record, atMs)
    if (traces !== null) traces.reason = reason
  },
  accepted: (grant, packet, nasId, record, atMs) =>
    answered.add(grant.walledGarden ? 'garden' : 'accept', packet, nasId, record, atMs),
  learned: (learned, edition) => post({ kind: 'learned', learned, edition }),
  proved: (nas) => notices.proved(nas),
  garbled: (nas) => signs.garbled(nas.record.nasSlot),
})

const faults = new FaultLimit(({ message, stack }) => post({ kind: 'fault', message, stack }))

let nasTable = new NasTable(rules.value.nas)
const receiver = new AccessReceiver(
  { counters, signs, nas: followRules, notices, dayTimeMs, failed: faults.report },
  handler,
  post,
  traces,
)
let socket: UdpPort | undefined
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
    socket = await opener.open({
      host: start.host,
      port: start.authPort,
      sharesPort: start.sharesPort,
      output: receiver.replies.bytes,
      listener: receiver,
    })
    post({ kind: 'ready', mode: opener.mode })
  } catch (error) {
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    toMain.close()
  }
}

function takeMessage(message: ToWorker): void {
  switch (message.kind) {
    case 'passwordCompared':
      // The token comes from this socket, so it is open.
      receiver.settle(socket!, message)
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

/** Accepts no new requests, and answers those in work as long as there is time. */
async function stop(withinMs: number): Promise<void> {
  socket?.stopReceiving()
  const deadline = performance.now() + withinMs
  while (receiver.waiting > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, drainStepMs))
  rejections.flush()
  answered.flush()
  socket?.close()
  reader.close()
  addresses.close()
  rules.close()
  toMain.close()
}
