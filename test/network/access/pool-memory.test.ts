import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import t from 'tap'
import { PoolMemory } from '../../../src/network/access/pool-memory.ts'
import { AddressPools, AddressSource } from '../../../src/network/access/pools.ts'

const network = 0x0a000000
const size = 8
const isExcluded = (address: number) => address === network || address === network + size - 1

/** What PoolMemory should do, in plain words and for logins with one session. */
class Model {
  readonly free: number[] = []
  readonly leases = new Map<number, { login: number; holders: number; isOffered: boolean }>()
  /** The address that a login had last, while nobody else has had it. */
  readonly last = new Map<number, number>()
  readonly fixed = new Set<number>()

  constructor() {
    for (let at = 0; at < size; at++) if (!isExcluded(network + at)) this.free.push(network + at)
  }

  acquire(login: number): number | 'exhausted' {
    let address = this.leaseOf(login)
    if (address < 0) {
      const last = this.last.get(login) ?? -1
      const given = this.free.includes(last) ? last : this.free[0]
      if (given === undefined) return 'exhausted'
      address = given
      this.#lease(address, login)
    }
    this.leases.get(address)!.isOffered = true
    return address
  }

  hold(address: number, login: number): boolean {
    const lease = this.leases.get(address) ?? this.#lease(address, login)
    if (lease.login !== login) return false
    lease.holders++
    lease.isOffered = false
    return true
  }

  leave(address: number, login: number): void {
    const lease = this.leases.get(address)
    if (lease?.login !== login) return
    lease.holders = Math.max(0, lease.holders - 1)
    if (lease.holders === 0 && !lease.isOffered) this.#release(address)
  }

  lapse(): void {
    for (const address of [...this.leases.keys()].sort((a, b) => a - b)) {
      const lease = this.leases.get(address)!
      const isOver = lease.isOffered && lease.holders === 0
      lease.isOffered = false
      if (isOver) this.#release(address)
    }
  }

  fix(address: number): void {
    this.fixed.add(address)
    this.#remove(address)
  }

  unfix(address: number): void {
    if (this.fixed.delete(address) && !this.leases.has(address)) this.free.push(address)
  }

  remember(address: number, login: number): void {
    if (!this.free.includes(address)) return
    this.#lease(address, login)
    this.#release(address)
  }

  leaseOf(login: number): number {
    return [...this.leases].find(([, lease]) => lease.login === login)?.[0] ?? -1
  }

  #lease(address: number, login: number) {
    const lease = { login, holders: 0, isOffered: false }
    this.leases.set(address, lease)
    this.#remove(address)
    for (const [other, last] of this.last) if (last === address) this.last.delete(other)
    return lease
  }

  #release(address: number): void {
    this.last.set(this.leases.get(address)!.login, address)
    this.leases.delete(address)
    if (!this.fixed.has(address)) this.free.push(address)
  }

  #remove(address: number): void {
    if (this.free.includes(address)) this.free.splice(this.free.indexOf(address), 1)
  }
}

const kinds = ['acquire', 'hold', 'leave', 'lapse', 'fix', 'unfix', 'remember'] as const
type Step = { kind: (typeof kinds)[number]; login: number; address: number }
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    login: fc.integer({ min: 1, max: 9 }),
    address: fc.integer({ min: network + 1, max: network + size - 2 }),
  }),
  { maxLength: 100, size: 'max' },
)

/** Does the same to both and returns both answers. */
function apply(pool: PoolMemory, model: Model, { kind, login, address }: Step): [unknown, unknown] {
  const leased = model.leaseOf(login)
  switch (kind) {
    case 'acquire':
      return [pool.acquire(login, 0, false, 1), model.acquire(login)]
    case 'hold': {
      const held = leased < 0 ? address : leased
      return [pool.hold(held, login, 0), model.hold(held, login)]
    }
    case 'leave':
      return [pool.leave(leased < 0 ? address : leased, login), model.leave(leased < 0 ? address : leased, login)]
    case 'lapse':
      return [void pool.releaseOffered(2), model.lapse()]
    case 'fix':
      return [pool.setFixed(address, true), model.fix(address)]
    case 'unfix':
      return [pool.setFixed(address, false), model.unfix(address)]
    case 'remember':
      return [pool.remember({ address, loginId: login, station: 0 }), model.remember(address, login)]
  }
}

t.test('whatever happens to a pool, a login gets the address it had last, others the longest unused one', async () => {
  fc.assert(
    fc.property(steps, (list) => {
      const pool = PoolMemory.create(1, network, size, isExcluded, 1)
      const model = new Model()
      for (const step of list) {
        const [answer, expected] = apply(pool, model, step)
        assert.equal(answer, expected, step.kind)
        const leases = pool.leases().map(({ address, loginId, holders }) => [address, loginId, holders])
        const expectedLeases = [...model.leases]
          .sort(([a], [b]) => a - b)
          .map(([address, { login, holders }]) => [address, login, holders])
        assert.deepEqual(leases, expectedLeases)
        assert.equal(pool.freeCount, model.free.length)
        assert.deepEqual(pool.nextFree(3), model.free.slice(0, 3))
        const lastOf = new Map([...model.last].map(([login, address]) => [address, login]))
        assert.deepEqual(
          pool.lastHolders().map(({ address, loginId }) => [address, loginId]),
          model.free.flatMap((address) => (lastOf.has(address) ? [[address, lastOf.get(address)]] : [])),
        )
      }
      // Every free address can be given out, the longest unused first.
      const given = model.free.map((_, index) => pool.acquire(100 + index, 0, false, 1))
      assert.deepEqual(given, model.free)
      assert.equal(pool.acquire(200, 0, false, 1), 'exhausted')
    }),
    { numRuns: 1000 },
  )
})

t.test('while threads take and the main thread frees, no address is lost and none has two owners', async (t) => {
  const pools = new AddressPools()
  pools.define([{ id: 1, network, prefixLength: 20, gateway: null, enabled: true }], () => [])
  t.teardown(() => pools.close())
  // More logins than addresses, so that addresses change hands and logins find theirs again.
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const workers = [1, 2].map((holder) => {
    const handle = pools.handle()
    return new Worker(new URL('./pool-taker.ts', import.meta.url), {
      workerData: { handle, holder, rounds: Infinity, stop },
      transferList: [handle.port],
    })
  })
  const ended = workers.map((worker) => once(worker, 'exit'))
  for (let freed = 0; freed < 200_000; freed += pools.releaseOffered(2_000_000_000)) {
    for (const at of [5, 6, 7]) pools.addFixed(network + at)
    for (const at of [5, 6, 7]) pools.removeFixed(network + at)
    await nextTurn()
  }
  Atomics.store(stop, 0, 1)
  await Promise.all(ended)
  pools.releaseOffered(2_000_000_000)
  t.strictSame(pools.usage(), [{ poolId: 1, size: 4096, free: 4094 }])
  const source = new AddressSource(pools.handle(), 3)
  t.teardown(() => source.close())
  const given = Array.from({ length: 4094 }, (_, index) => source.acquire(1, 1 + index, 0, 1, 1))
  t.equal(new Set(given).size, 4094)
  t.notOk(given.includes(-1))
  t.equal(source.acquire(1, 9999, 0, 1, 1), -1)
})

t.test('a pool whose lock a dead thread held is put right', async (t) => {
  const pool = PoolMemory.create(1, network, size, isExcluded, 1)
  const [first, second] = [1, 2, 3].map((login) => pool.acquire(login, 0, false, login)) as [number, number]
  pool.releaseOffered(2)
  // The list of free addresses comes behind the eight words of the header.
  const words = new Int32Array(pool.share.memory)
  words[0] = 77
  words.fill(3, 8, 8 + 2 * (size + 1))
  pool.unlockFor(76)
  t.equal(words[0], 77, 'it is another thread that died')
  pool.unlockFor(77)
  t.equal(pool.acquire(2, 0, false, 5), second, 'leased')
  t.equal(pool.acquire(1, 0, false, 5), first, 'remembered')
  const given = [4, 5, 6].map((login) => pool.acquire(login, 0, false, 5))
  t.equal(new Set([...given, ...pool.leases().map(({ address }) => address)]).size, 6)
  t.equal(pool.acquire(7, 0, false, 5), 'exhausted')
})
