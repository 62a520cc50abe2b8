import { parentPort, workerData } from 'node:worker_threads'
import { AccessReader } from '../../../src/network/access/reader.ts'
import type { SharedHandle } from '../../../src/network/access/shared.ts'
import type { TableShare } from '../../../src/network/access/table.ts'

const { handle, fixed, stop } = workerData as { handle: SharedHandle<TableShare>; fixed: number; stop: Int32Array }
const reader = new AccessReader(handle)
const names = Array.from({ length: fixed }, (_, index) => Buffer.from(`user${index + 1}`))
const others = Array.from({ length: 30_000 }, (_, index) => Buffer.from(`user${10_000 + index}`))
const result = { reads: 0, torn: 0, missing: 0, strangers: 0 }

function isWhole(): boolean {
  const { record } = reader
  const version = record.downKbit
  const expected = Buffer.from('p'.repeat(1 + (version % 40)) + version)
  const password = record.bytes.subarray(record.passwordAt, record.userReplyAt)
  const reply = record.bytes.subarray(record.userReplyAt, record.tariffReplyAt)
  return (
    record.upKbit === version &&
    record.ip === version &&
    record.accountVersion === version &&
    record.asleepUntil === version &&
    record.accessEnd === version &&
    expected.equals(password) &&
    reply.length === (version % 7 === 0 ? 400 : version % 60) &&
    reply.every((byte) => byte === (version & 0xff))
  )
}

parentPort!.postMessage('reading')
while (Atomics.load(stop, 0) === 0) {
  const index = result.reads % fixed
  if (!reader.findLogin(names[index]!)) result.missing++
  else if (reader.record.loginId !== index + 1) result.strangers++
  else if (!isWhole()) result.torn++
  const other = (result.reads * 13) % others.length
  if (reader.findLogin(others[other]!) && reader.record.loginId !== 10_000 + other) result.strangers++
  result.reads++
}
parentPort!.postMessage(result)
