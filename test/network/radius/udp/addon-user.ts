import { parentPort, workerData } from 'node:worker_threads'
import { loadAddon } from '../../../../src/network/radius/udp/addon.ts'
import { BatchPort } from '../../../../src/network/radius/udp/batch-port.ts'
import { datagramWords, type UdpPort } from '../../../../src/network/radius/udp/udp-port.ts'

/** A thread that echoes datagrams and after some of them ends in the way asked for. */
const { ending } = workerData as { ending: 'terminate' | 'exit' | 'throw' | 'close' | 'leave' }
const loaded = loadAddon()
if ('missing' in loaded) throw new Error(loaded.missing)
let taken = 0
const output = Buffer.alloc(64)

function datagrams(port: UdpPort, count: number): void {
  for (let index = 0; index < count; index++) port.queue(0, 8, port.received, index * datagramWords)
  port.flush()
  taken += count
  if (taken < 100) return
  if (ending === 'exit') process.exit(3)
  if (ending === 'throw') throw new Error('as a fault of ours would')
  if (ending === 'close') port.close()
  if (ending === 'leave') parentPort!.close()
  if (ending === 'leave') port.stopReceiving()
}

const port = new BatchPort(loaded.addon, {
  host: '127.0.0.1',
  port: 0,
  sharesPort: false,
  output,
  listener: { datagrams, notSent: () => {} },
})
parentPort!.postMessage(port.number)
