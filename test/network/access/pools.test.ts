import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { AddressPools, AddressSource, type PoolDefinition } from '../../../src/network/access/pools.ts'

const network = 0x0a000000
const pool = (changes: Partial<PoolDefinition> = {}): PoolDefinition => ({
  id: 1,
  network,
  prefixLength: 29,
  gateway: network + 1,
  enabled: true,
  ...changes,
})
const nobody = () => []
const now = 1_800_000_000

function poolsOf(t: { teardown(work: () => void): void }, definitions = [pool()]) {
  const pools = new AddressPools()
  pools.define(definitions, nobody)
  const source = new AddressSource(pools.handle(), 1)
  t.teardown(() => pools.close())
  return { pools, source }
}

t.test('network, broadcast, gateway and fixed addresses are never given out', async (t) => {
  const { pools, source } = poolsOf(t)
  pools.addFixed(network + 4)
  const given = [1, 2, 3, 4, 5].map((login) => source.acquire(1, login, 0, 1, now) - network)
  t.strictSame(given, [2, 3, 5, 6, -1 - network])
  pools.removeFixed(network + 4)
  t.equal(source.acquire(1, 5, 0, 1, now), network + 4)
  t.equal(source.acquire(2, 5, 0, 1, now), -1, 'a pool that is not there has nothing to give')
})

t.test('a login that asks again gets its address', async (t) => {
  const { pools, source } = poolsOf(t)
  const address = source.acquire(1, 7, 11, 1, now)
  t.equal(source.acquire(1, 7, 11, 1, now + 1), address)
  t.equal(source.acquire(1, 7, 22, 1, now + 2), address, 'with one session allowed the station does not matter')
  t.ok(pools.hold(7, 22, address))
  t.equal(source.acquire(1, 7, 22, 1, now + 900), address)
  pools.leave(7, 22, address)
  t.equal(pools.leases(1).length, 1, 'offered anew before the old session ended: still leased')
  pools.releaseOffered(now + 900 + 601)
  t.equal(pools.leases(1).length, 0)
})

t.test('further sessions of a login get further addresses', async (t) => {
  const { pools, source } = poolsOf(t)
  const first = source.acquire(1, 7, 11, 3, now)
  const second = source.acquire(1, 7, 22, 3, now)
  t.not(first, second)
  t.equal(source.acquire(1, 7, 11, 3, now), first)
  const unnamed = source.acquire(1, 8, 0, 3, now)
  t.equal(source.acquire(1, 8, 0, 3, now), unnamed, 'no station, not yet in a session')
  pools.hold(8, 0, unnamed)
  t.not(source.acquire(1, 8, 0, 3, now), unnamed, 'no station, and a session holds the first address')
})

t.test('what would be offered is what is offered then, and looking takes nothing', async (t) => {
  const { pools, source } = poolsOf(t)
  const offered = (login: number, sessions: number) => {
    const previews = [1, 2].map(() => pools.preview(1, login, 0, sessions))
    const address = source.acquire(1, login, 0, sessions, now)
    t.strictSame(previews, [address, address])
    return address
  }
  pools.addFixed(network + 2)
  const first = offered(7, 1)
  t.equal(offered(7, 1), first, 'the address that it has')
  const second = offered(8, 2)
  pools.hold(8, 0, second)
  t.not(offered(8, 2), second, 'a further session')
  t.equal(offered(9, 1), network + 6)
  t.equal(offered(10, 1), -1, 'none is left')
  pools.define([pool({ enabled: false })], nobody)
  t.equal(offered(7, 1), first, 'a closed pool gives a login what it has')
  t.equal(pools.preview(2, 7, 0, 1), -1, 'there is no such pool')
})

t.test('an address is held until its session ends', async (t) => {
  const { pools, source } = poolsOf(t)
  const address = source.acquire(1, 7, 0, 1, now)
  t.ok(pools.hold(7, 0, -1), 'accounting that names no address holds the offered one')
  t.equal(pools.releaseOffered(now + 10_000), 0)
  t.notOk(pools.hold(8, 0, address), 'somebody else cannot take it')
  pools.leave(8, 0, address)
  t.equal(pools.leases(1).length, 1)
  pools.leave(7, 0, address)
  t.equal(pools.leases(1).length, 0)
  t.ok(pools.hold(9, 0, address), 'after a restart, sessions take their addresses back')
  const others = [1, 2, 3, 4].map((login) => source.acquire(1, login, 0, 1, now))
  t.notOk(others.includes(address))
})

t.test('pools that overlap give out nothing that the other one knows to be somebody’s', async (t) => {
  const { pools, source } = poolsOf(t, [pool({ gateway: null })])
  pools.hold(7, 0, network + 2)
  pools.addFixed(network + 1)
  const wide = pool({ id: 2, prefixLength: 28, gateway: null })
  pools.define([pool({ gateway: null }), wide], () => [network + 1])
  pools.addFixed(network + 3)
  pools.hold(8, 0, network + 4)
  const uses = { excluded: 2, fixed: 2, held: 2, offered: 0 }
  t.strictSame(
    [1, 2].map((id) => pools.countsOf(id)),
    [
      { ...uses, free: 2 },
      { ...uses, free: 10 },
    ],
  )
  t.equal(source.acquire(2, 9, 0, 1, now), network + 5)
  pools.leave(7, 0, network + 2)
  pools.leave(8, 0, network + 4)
  pools.removeFixed(network + 1)
  pools.removeFixed(network + 3)
  t.strictSame(
    [1, 2].map((id) => pools.countsOf(id)?.free),
    [6, 13],
  )
})

t.test('an offer without a session is freed after the grace, the longest unused address is given first', async (t) => {
  const { pools, source } = poolsOf(t)
  const addresses = [1, 2, 3, 4, 5].map((login) => source.acquire(1, login, 0, 1, now + login))
  t.equal(source.acquire(1, 6, 0, 1, now), -1)
  t.equal(pools.releaseOffered(now + 600 + 3), 2)
  t.equal(source.acquire(1, 6, 0, 1, now), addresses[0])
  t.strictSame(pools.usage(), [{ poolId: 1, size: 8, free: 1 }])
})

t.test('a login that comes back gets the address it had last, while that is free', async (t) => {
  const { pools, source } = poolsOf(t)
  const come = (login: number, station = 0, sessions = 1) => source.acquire(1, login, station, sessions, now)
  const go = (login: number, address: number, station = 0) => {
    pools.hold(login, station, address)
    pools.leave(login, station, address)
  }
  const [first, second] = [come(1), come(2)]
  go(1, first)
  go(2, second)
  t.not(come(3), first, 'a new login gets an address that nobody had')
  t.equal(come(2), second)
  t.equal(come(1), first)
  go(2, second)
  pools.addFixed(second)
  const other = come(2)
  t.not(other, second, 'it is somebody’s own meanwhile')
  pools.removeFixed(second)
  go(2, other)
  t.equal(come(2), other, 'the last one, not the one before')
  const [phone, tablet] = [come(4, 77, 2), come(4, 88, 2)]
  t.equal(come(5), -1, 'all are taken')
  go(4, phone, 77)
  go(4, tablet, 88)
  t.equal(come(4, 88, 2), tablet)
  t.equal(come(5), phone, 'an address does not wait for its login when there is no other')
  t.equal(come(4, 77, 2), -1)
})

t.test('logins find their last addresses in a pool that grew or shrank', async (t) => {
  const { pools, source } = poolsOf(t, [pool({ prefixLength: 28 })])
  const given = [1, 2, 3, 4, 5, 6, 7, 8].map((login) => source.acquire(1, login, 0, 1, now))
  pools.releaseOffered(now + 601)
  const [second, last] = [given[1]!, given[7]!]
  pools.define([pool({ prefixLength: 24 })], nobody)
  t.equal(source.acquire(1, 8, 0, 1, now), last)
  pools.releaseOffered(now + 601)
  pools.define([pool({ prefixLength: 29 })], nobody)
  t.equal(source.acquire(1, 2, 0, 1, now), second)
  t.not(source.acquire(1, 8, 0, 1, now), last, 'it is not in the pool any more')
  pools.define([pool({ network: network + 256, gateway: null })], nobody)
  t.equal(source.acquire(1, 2, 0, 1, now), network + 257)
})

t.test('a pool changes under its leases', async (t) => {
  const { pools, source } = poolsOf(t)
  const kept = source.acquire(1, 7, 0, 1, now)
  pools.define([pool({ enabled: false })], nobody)
  t.equal(source.acquire(1, 8, 0, 1, now), -1, 'closed for new ones')
  t.equal(source.acquire(1, 7, 0, 1, now), kept)
  pools.define([pool({ prefixLength: 24 })], () => [network + 3])
  t.equal(source.acquire(1, 7, 0, 1, now), kept)
  const given = Array.from({ length: 252 }, (_, login) => source.acquire(1, 100 + login, 0, 1, now))
  t.equal(
    new Set(given.filter((address) => address > 0)).size,
    251,
    '256 less network, broadcast, gateway, fixed and leased',
  )
  t.notOk(given.includes(network + 3))
  pools.define([], nobody)
  t.equal(source.acquire(1, 7, 0, 1, now), -1)
})

t.test('any sequence of offers, sessions and ends never gives one address to two', async (t) => {
  const { pools, source } = poolsOf(t, [pool({ prefixLength: 26 })])
  const owner = new Map<number, number>()
  let seed = 12345
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % below
  }
  let clashes = 0
  for (let step = 0; step < 20_000; step++) {
    const login = 1 + random(90)
    const address = source.acquire(1, login, 0, 1, now + step)
    if (address < 0) {
      const busy = [...owner]
      const [gone, whose] = busy[random(busy.length)]!
      pools.hold(whose, 0, gone)
      pools.leave(whose, 0, gone)
      owner.delete(gone)
      continue
    }
    if (owner.has(address) && owner.get(address) !== login) clashes++
    owner.set(address, login)
  }
  t.equal(clashes, 0)
  t.equal(pools.leases(1).length, owner.size)
})

t.test('workers and the main thread at once: every address has one owner', async (t) => {
  const pools = new AddressPools()
  pools.define([pool({ prefixLength: 16 })], nobody)
  const rounds = 60_000
  const workers = [1, 2].map((holder) => {
    const handle = pools.handle()
    return new Worker(new URL('./pool-taker.ts', import.meta.url), {
      workerData: { handle, holder, rounds },
      transferList: [handle.port],
    })
  })
  const answers = Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as Map<number, number>))
  for (let step = 0; step < 20_000; step++) pools.hold(9_000_000 + step, 0, network + 60_000 - step)
  for (let step = 0; step < 20_000; step++) pools.leave(9_000_000 + step, 0, network + 60_000 - step)
  const results = await answers
  const owners = new Map<number, number>()
  let clashes = 0
  for (const { address, loginId } of pools.leases(1)) {
    if (owners.has(address)) clashes++
    owners.set(address, loginId)
  }
  for (const given of results) for (const [login, address] of given) if (owners.get(address) !== login) clashes++
  t.equal(clashes, 0)
  t.equal(owners.size + (pools.usage()[0]?.free ?? 0), 65_536 - 3, 'taken and free make the whole')
  pools.close()
})
