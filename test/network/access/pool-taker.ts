import { parentPort, workerData } from 'node:worker_threads'
import type { PoolShare } from '../../../src/network/access/pool-layout.ts'
import { AddressSource } from '../../../src/network/access/pools.ts'
import type { SharedHandle } from '../../../src/network/access/shared.ts'

/** Takes so many addresses, or until the first word of `stop` is 1. */
const { handle, holder, rounds, stop } = workerData as {
  handle: SharedHandle<PoolShare[]>
  holder: number
  rounds: number
  stop?: Int32Array
}
const source = new AddressSource(handle, holder)
const given = new Map<number, number>()
for (let round = 0; round < rounds && !(stop && Atomics.load(stop, 0)); round++) {
  const login = holder * 1_000_000 + (round % 30_000)
  const address = source.acquire(1, login, 0, 1, 1_800_000_000)
  if (address >= 0) given.set(login, address)
}
parentPort!.postMessage(given)
