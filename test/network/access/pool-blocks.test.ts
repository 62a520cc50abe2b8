import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { PoolDefinition } from '../../../src/network/access/pools.ts'
import { testDatabaseUrl, testPool } from '../../support/database.ts'
import { SimulatedNode, World } from './simulated-nodes.ts'

const network = 0x0a4d0000
const poolOf = (prefixLength: number): PoolDefinition => ({
  id: 1,
  network,
  prefixLength,
  gateway: null,
  enabled: true,
})

/** Who has which address, as the NAS see it. */
class Subscribers {
  readonly #world: World
  readonly #offers = new Map<number, { address: number; at: number }>()
  readonly #sessions = new Map<number, { address: number; session: number }>()
  #lastSession = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Nobody else may have it. */
  offered(login: number, address: number): void {
    for (const [other, { address: held }] of this.#sessions)
      assert.ok(
        other === login || held !== address,
        `${address} is offered to ${login} while ${other} is online with it`,
      )
    for (const [other, offer] of this.#offers)
      assert.ok(
        other === login || offer.address !== address || this.#hasLapsed(offer),
        `${address} is offered to ${login} and was to ${other}`,
      )
    this.#offers.set(login, { address, at: this.#world.seconds })
  }

  start(login: number, at: SimulatedNode): void {
    const offer = this.#offers.get(login)
    if (!offer || this.#sessions.has(login) || this.#hasLapsed(offer)) return
    this.#offers.delete(login)
    const began = { session: ++this.#lastSession, address: offer.address }
    this.#sessions.set(login, began)
    at.account({ kind: 'start', login, ...began })
  }

  stop(login: number, at: SimulatedNode): void {
    const session = this.#sessions.get(login)
    if (!session) return
    this.#sessions.delete(login)
    at.account({ kind: 'stop', login, ...session })
  }

  #hasLapsed = ({ at }: { at: number }): boolean => this.#world.seconds - at >= 595
}

const rare = ['kill', 'restart', 'restart', 'end', 'freeze', 'cut', 'drain'] as const
const step = fc.record({
  deed: fc.oneof(
    { weight: 12, arbitrary: fc.constant('signIn' as const) },
    { weight: 10, arbitrary: fc.constantFrom('start' as const, 'stop' as const) },
    { weight: 6, arbitrary: fc.constantFrom('look' as const, 'wait' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...rare) },
  ),
  node: fc.nat(2),
  login: fc.integer({ min: 1, max: 9 }),
  seconds: fc.constantFrom(1, 1, 4, 20, 120, 290),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function apply(world: World, subscribers: Subscribers, { deed, node, login, seconds }: Step): Promise<void> {
  const at = world.nodes[node]!
  const other = world.nodes[(node + 1) % 3]!
  switch (deed) {
    case 'signIn': {
      const address = at.answers ? at.signIn(1, login) : -1
      if (address >= 0) subscribers.offered(login, address)
      return
    }
    case 'start':
      if (at.answers) subscribers.start(login, at)
      return
    case 'stop':
      if (at.answers) subscribers.stop(login, at)
      return
    case 'look':
      return world.moment()
    case 'wait':
      // A node that is away for longer than others wait has sessions that they do not know, see docs/cluster.md.
      for (const one of world.nodes) if (one.isCut && one.silentSeconds + seconds > 800) one.isCut = false
      return world.advance(seconds)
    case 'kill':
      // What a node had in its spool comes to light when its disk is back, which is another matter.
      if (at.reaches) await at.quiet()
      if (at.reaches) at.kill()
      return
    case 'restart':
      // What was offered before it was killed may be a session that only a node knows that is cut off.
      if (!at.runs && !world.nodes.some(({ isCut }) => isCut)) await at.start({ loses: seconds === 20 })
      return
    case 'end':
      if (at.reaches) await at.stop()
      return
    case 'freeze':
      if (at.isFrozen) await at.thaw()
      else if (at.reaches) {
        await at.quiet()
        at.isFrozen = true
      }
      return
    case 'cut':
      if (at.isCut) at.isCut = false
      else if (at.reaches && other.reaches) {
        await at.quiet()
        at.isCut = true
      }
      return
    case 'drain':
      if (at.reaches) at.drain()
  }
}

t.test('whatever happens to nodes, no address is given to two logins', async (t) => {
  const pool = testPool(t, await testDatabaseUrl(t), 4)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(28, 29, 29),
      fc.array(step, { maxLength: 300, size: 'max' }),
      async (prefix, steps) => {
        const world = await World.empty(pool)
        const subscribers = new Subscribers(world)
        try {
          for (const number of [1, 2, 3]) await new SimulatedNode(world, number, [poolOf(prefix)]).start()
          for (const one of steps) await apply(world, subscribers, one)
        } finally {
          for (const node of world.nodes) node.kill()
        }
      },
    ),
    { numRuns: 6, endOnFailure: true },
  )
})

/** Two nodes and the six addresses of a pool. */
async function twoNodes(t: Parameters<typeof testPool>[0], url: string) {
  const world = await World.empty(testPool(t, url, 3))
  const [a, b] = [1, 2].map((number) => new SimulatedNode(world, number, [poolOf(29)])) as [
    SimulatedNode,
    SimulatedNode,
  ]
  t.teardown(() => {
    for (const node of [a, b]) node.kill()
  })
  await a.start()
  await b.start()
  await world.advance(1)
  /** Logins that nobody knows get what is left, from one node until it has nothing any more, however often they ask. */
  const rest = async (at: SimulatedNode): Promise<number[]> => {
    const given: number[] = []
    for (let login = 100, misses = 0; misses < 12; login++) {
      const address = at.signIn(1, login)
      if (address >= 0) given.push(address)
      misses = address < 0 ? misses + 1 : 0
      await world.moment()
    }
    return given.map((address) => address - network).sort((x, y) => x - y)
  }
  return { world, a, b, rest }
}

t.test('nodes', async (t) => {
  const url = await testDatabaseUrl(t)

  await t.test('share a pool, and one gives all of it while the other needs nothing', async (t) => {
    const { a, b, rest } = await twoNodes(t, url)
    t.ok(a.pools.blocks.length > 2 && b.pools.blocks.length > 2)
    t.strictSame(await rest(b), [1, 2, 3, 4, 5, 6])
  })

  await t.test('know the address of a session, and of an offer of it, whose block it ever is', async (t) => {
    const { world, a, b, rest } = await twoNodes(t, url)
    const address = a.signIn(1, 7)
    const session = { session: 1, login: 7, address }
    a.account({ kind: 'start', ...session })
    await world.advance(1)
    t.equal(b.signIn(1, 7), address)
    await world.moment()
    a.account({ kind: 'stop', ...session })
    await world.advance(30)
    t.notOk((await rest(a)).includes(address - network), 'the other one has offered it again')
    t.equal(a.signIn(1, 7), address)
  })

  await t.test('take up no offer of a block that they have given away', async (t) => {
    const { world, a, b, rest } = await twoNodes(t, url)
    const address = a.signIn(1, 7)
    const session = { session: 1, login: 7, address }
    a.account({ kind: 'start', ...session })
    a.account({ kind: 'stop', ...session })
    for (const seconds of [1, 30]) await world.advance(seconds)
    t.ok((await rest(b)).includes(address - network))
    a.kill()
    await a.start()
    t.not(a.signIn(1, 7), address, 'though its files tell of it')
  })

  await t.test('let an address rest until all have heard that its session has ended', async (t) => {
    const { world, a, b, rest } = await twoNodes(t, url)
    const address = a.signIn(1, 7)
    a.account({ kind: 'start', session: 1, login: 7, address })
    await world.advance(1)
    t.equal((await rest(a)).length, 5)
    a.account({ kind: 'stop', session: 1, login: 7, address })
    t.equal(a.signIn(1, 8), -1)
    await world.advance(4)
    await world.advance(4)
    t.equal(a.signIn(1, 8), address)
    t.ok(b.answers)
  })

  await t.test('take over what one has left when its last offers and sessions are known', async (t) => {
    const { world, a, b, rest } = await twoNodes(t, url)
    const left = a.pools.blocks.length
    a.kill()
    t.ok((await rest(b)).length < 6)
    for (const seconds of [300, 300, 290]) await world.advance(seconds)
    await world.moment()
    t.equal(b.pools.blocks.length, 8 - left)
    await world.advance(20)
    await rest(b)
    t.equal(b.pools.blocks.length, 8)
  })

  await t.test('give no new address when the database has not been reached for ten minutes', async (t) => {
    const { world, a } = await twoNodes(t, url)
    const address = a.signIn(1, 7)
    a.account({ kind: 'start', session: 1, login: 7, address })
    a.isCut = true
    await world.advance(590)
    t.ok(a.signIn(1, 8) >= 0)
    await world.advance(15)
    t.equal(a.signIn(1, 9), -1)
    t.equal(a.signIn(1, 7), address, 'what a session holds it goes on giving')
  })

  await t.test('give back what they can when they are drained and everything when they end', async (t) => {
    const { world, a, b } = await twoNodes(t, url)
    a.drain()
    await world.moment()
    t.ok(a.pools.blocks.length < 3)
    t.ok(a.signIn(1, 7) >= 0, 'it still answers')
    await a.stop()
    await world.advance(1)
    await world.advance(11)
    t.equal(b.pools.blocks.length, 7, 'all but the block of its last offer')
  })
})
