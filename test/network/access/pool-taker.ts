import { parentPort, workerData } from 'node:worker_threads'
import type { PoolShare } from '../../../src/network/access/pool-memory.ts'
import { AddressSource } from '../../../src/network/access/pools.ts'
import type { SharedHandle } from '../../../src/network/access/shared.ts'

const { handle, holder, rounds } = workerData as { handle: SharedHandle<PoolShare[]>; holder: number; rounds: number }
const source = new AddressSource(handle, holder)
const given = new Map<number, number>()
for (let round = 0; round < rounds; round++) {
  const login = holder * 1_000_000 + (round % 30_000)
  const address = source.acquire(1, login, 0, 1, 1_800_000_000)
  if (address >= 0) given.set(login, address)
}
parentPort!.postMessage(given)
