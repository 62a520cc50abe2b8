import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { MessageChannel } from '../../../src/network/access/block-messages.ts'
import { BlockTable } from '../../../src/network/access/block-table.ts'
import { PoolBlocks, type PoolBlocksParts } from '../../../src/network/access/pool-blocks.ts'
import { AddressPools, AddressSource, type PoolDefinition } from '../../../src/network/access/pools.ts'
import type { Clock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import type { Heartbeat } from '../../../src/platform/nodes/membership.ts'
import { isAliveSql, mayServeSql } from '../../../src/platform/nodes/nodes-table.ts'

type SessionEvent = {
  readonly kind: 'start' | 'stop'
  readonly session: number
  readonly login: number
  readonly address: number
}
type Heard = SessionEvent & { readonly by: SimulatedNode }
type Offer = { readonly address: number; readonly loginId: number; readonly station: 0; readonly offeredAt: number }

/** The clock of one process: what was due while it was frozen happens once when it wakes. */
class ProcessClock implements Clock {
  readonly #world: { nowMs: number }
  #alarms: { atMs: number; callback: () => void }[] = []

  constructor(world: { nowMs: number }) {
    this.#world = world
  }

  now = () => new Date(this.#world.nowMs)
  elapsedMs = () => this.#world.nowMs

  after(ms: number, callback: () => void): () => void {
    const alarm = { atMs: this.#world.nowMs + ms, callback }
    this.#alarms.push(alarm)
    return () => {
      this.#alarms = this.#alarms.filter((one) => one !== alarm)
    }
  }

  run(): void {
    const due = this.#alarms.filter(({ atMs }) => atMs <= this.#world.nowMs)
    this.#alarms = this.#alarms.filter(({ atMs }) => atMs > this.#world.nowMs)
    for (const { callback } of due) callback()
  }
}

/** Everything between the programs: the database with its clock, the log of sessions, and time. */
export class World {
  readonly pool: Pool
  readonly nodes: SimulatedNode[] = []
  /** What is committed about sessions, in this order. */
  readonly log: Heard[] = []
  nowMs = 1_800_000_000_000
  /** Calls of the database that have not ended. */
  busy = 0

  constructor(pool: Pool) {
    this.pool = pool
  }

  static async empty(pool: Pool): Promise<World> {
    await pool.query('TRUNCATE nodes RESTART IDENTITY; TRUNCATE pool_blocks')
    return new World(pool)
  }

  get seconds(): number {
    return Math.floor(this.nowMs / 1000)
  }

  async counted<T>(work: Promise<T>): Promise<T> {
    this.busy++
    try {
      return await work
    } finally {
      this.busy--
    }
  }

  /** Until nothing happens any more. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.busy > 0 ? 0 : quiet + 1) await nextTurn()
  }

  /** Time passes, for the database too; the heartbeats of who reaches it do not stop meanwhile. */
  async advance(seconds: number): Promise<void> {
    this.nowMs += seconds * 1000
    await this.pool.query(
      `UPDATE nodes SET heartbeat_at = CASE WHEN number = ANY($1) THEN clock_timestamp() ELSE heartbeat_at - interval '${seconds} s' END`,
      [this.nodes.filter(({ reaches }) => reaches).map(({ number }) => number)],
    )
    await this.pool.query(`UPDATE pool_blocks SET until = until - interval '${seconds} s' WHERE until IS NOT NULL`)
    for (const node of this.nodes) await node.live()
    await this.settle()
  }

  /** A few looks of everybody. */
  async moment(): Promise<void> {
    for (let looks = 0; looks < 3; looks++) {
      this.nowMs += 110
      for (const node of this.nodes) node.look()
      await this.settle()
    }
  }
}

/** A program with one worker, whose database and sessions are those of the world. */
export class SimulatedNode {
  readonly number: number
  readonly #world: World
  readonly #pools: readonly PoolDefinition[]
  #folder = crypto.randomUUID()
  /** What the files of the data folder say. */
  #offers: Offer[] = []
  #clock: ProcessClock | null = null
  #program: { pools: AddressPools; source: AddressSource; blocks: PoolBlocks } | null = null
  #hear: (beat: Heartbeat) => void = () => {}
  #drain: () => void = () => {}
  readonly #membership = {
    isReplaced: false,
    isDraining: false,
    onBeat: (listener: (beat: Heartbeat) => void) => {
      this.#hear = listener
    },
    onDrain: (listener: () => void) => {
      this.#drain = listener
    },
  }
  #steadySinceMs = 0
  #beatAtMs = 0
  #read = 0
  /** Events that wait for the database. */
  #spool: Heard[] = []
  #listeners = new Set<(payload: string) => void>()
  isFrozen = false
  isCut = false

  constructor(world: World, number: number, pools: readonly PoolDefinition[]) {
    this.#world = world
    this.number = number
    this.#pools = pools
    world.nodes.push(this)
  }

  get runs(): boolean {
    return this.#program !== null
  }

  get answers(): boolean {
    return this.runs && !this.isFrozen
  }

  get reaches(): boolean {
    return this.answers && !this.isCut
  }

  get pools(): AddressPools {
    return this.#program!.pools
  }

  async start({ loses = false } = {}): Promise<void> {
    const world = this.#world
    if (loses) {
      this.#folder = crypto.randomUUID()
      this.#offers = []
    }
    await world.pool.query(
      `INSERT INTO nodes (number, name, version) VALUES ($1, $2, '0')
        ON CONFLICT (number) DO UPDATE SET heartbeat_at = clock_timestamp(), stopped_at = NULL`,
      [this.number, `node ${this.number}`],
    )
    this.#clock = new ProcessClock(world)
    this.#steadySinceMs = world.nowMs
    this.#membership.isDraining = false
    this.#read = 0
    const seconds = () => world.seconds
    const pools = new AddressPools({ isShared: true, seconds })
    pools.define(this.#pools, () => [])
    const source = new AddressSource(pools.handle(), 1, null, seconds)
    const blocks = new PoolBlocks({ ...this.#parts(pools, this.#clock), seconds })
    this.#program = { pools, source, blocks }
    this.#hearSessions()
    await blocks.open()
    pools.restoreOffers(
      this.#offers.filter(({ offeredAt }) => offeredAt > world.seconds - 600),
      { ownOnly: true },
    )
    await this.live()
    const started = blocks.start()
    let isStarted = false
    void started.then(() => {
      isStarted = true
    })
    while (!isStarted) await world.moment()
  }

  /** kill -9, also of a program that is stopped in its tracks. */
  kill(): void {
    this.#program?.source.close()
    this.#program?.pools.close()
    this.#program = null
    this.#clock = null
    this.#listeners.clear()
    this.#spool = []
    this.isFrozen = false
    this.isCut = false
  }

  async stop(): Promise<void> {
    await this.#program!.blocks.stop()
    await this.#world.pool.query('UPDATE nodes SET stopped_at = clock_timestamp() WHERE number = $1', [this.number])
    this.kill()
  }

  drain(): void {
    this.#membership.isDraining = true
    this.#drain()
  }

  signIn(poolId: number, login: number): number {
    const now = this.#world.seconds
    const address = this.#program!.source.acquire(poolId, login, 0, 1, now)
    if (address >= 0) this.#offers.push({ address, loginId: login, station: 0, offeredAt: now })
    return address
  }

  /** Accounting of a NAS, which is stored, or waits in the spool and counts for this node. */
  account(told: SessionEvent): void {
    const event = { ...told, by: this }
    if (!this.isCut) {
      this.#hearSessions()
      this.#world.log.push(event)
      this.#hearSessions()
      return
    }
    this.#spool.push(event)
    this.#apply(event)
  }

  /** Its timers that are due. */
  look(): void {
    if (this.answers) this.#clock!.run()
  }

  /** The heartbeat, and what it waits for. */
  async live(): Promise<void> {
    if (!this.answers) return
    if (this.isCut) this.#steadySinceMs = this.#world.nowMs
    else {
      this.#drainSpool()
      const { rows } = await this.#world.pool.query<{ others: number; silent: number }>(beatText, [this.number])
      const { nowMs } = this.#world
      const silentMs = nowMs - this.#beatAtMs
      this.#beatAtMs = nowMs
      this.#hear({ ...rows[0]!, sentAtMs: nowMs, silentMs, steadyMs: nowMs - this.#steadySinceMs })
      this.#hearSessions()
      this.#program!.pools.releaseOffered(this.#world.seconds)
    }
    this.#clock!.run()
  }

  /** A tenth of a second has passed since it offered something. */
  async quiet(): Promise<void> {
    this.#world.nowMs += 110
    this.look()
    await this.#world.settle()
  }

  /** The first thing that happens is a heartbeat. */
  async thaw(): Promise<void> {
    this.isFrozen = false
    this.#steadySinceMs = this.#world.nowMs
    await this.live()
    await this.#world.settle()
  }

  /** Since its last heartbeat. */
  get silentSeconds(): number {
    return (this.#world.nowMs - this.#beatAtMs) / 1000
  }

  #drainSpool(): void {
    for (const event of this.#spool.splice(0)) {
      // What it has applied already it must not apply again.
      this.#hearSessions()
      // Its end is stored already, so the session is not taken up.
      if (this.#world.log.some(({ kind, session }) => kind === 'stop' && session === event.session)) continue
      this.#world.log.push(event)
      this.#read++
    }
  }

  #hearSessions(): void {
    while (this.#read < this.#world.log.length) this.#apply(this.#world.log[this.#read++]!)
  }

  #apply({ kind, login, address, by }: Heard): void {
    if (kind === 'start') this.#program!.pools.hold(login, 0, address, by === this)
    else this.#program!.pools.leave(login, 0, address)
  }

  #parts(pools: AddressPools, clock: Clock): PoolBlocksParts {
    const world = this.#world
    const table = new BlockTable(world.pool, { node: this.number, folder: this.#folder })
    const mine = () => this.#clock === clock
    const reached = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.isCut || !mine()) throw new Error('The database is away.')
      const result = await world.counted(work())
      // Who was killed or frozen meanwhile does not get the answer, or gets it later.
      while (mine() && this.isFrozen) await nextTurn()
      if (!mine()) return new Promise<T>(() => {})
      return result
    }
    return {
      table: {
        own: table.own,
        inherit: () => reached(() => table.inherit()),
        claim: (...order) => reached(() => table.claim(...order)),
        claimOfGone: (...order) => reached(() => table.claimOfGone(...order)),
        claimAgain: (...order) => reached(() => table.claimAgain(...order)),
        give: (...order) => reached(() => table.give(...order)),
        giveBack: (...order) => reached(() => table.giveBack(...order)),
        giveBackLater: (...order) => reached(() => table.giveBackLater(...order)),
      },
      pools,
      membership: this.#membership,
      channel: this.#channel(),
      caughtUp: async () => {
        if (this.isCut) throw new Error('The database is away.')
        this.#hearSessions()
      },
      clock,
      log: silentLog,
    }
  }

  /** Notifications that a frozen process gets when it wakes, and one that is cut off not at all. */
  #channel(): MessageChannel {
    return {
      tell: async (payload) => {
        if (this.isCut) return
        for (const node of this.#world.nodes)
          if (node.runs && !node.isCut) for (const hear of node.#listeners) hear(payload)
      },
      on: (listener) => {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
    }
  }
}

const beatText = `WITH own AS (UPDATE nodes SET heartbeat_at = clock_timestamp() WHERE number = $1)
  SELECT count(*)::int4 AS others, count(*) FILTER (WHERE NOT ${isAliveSql})::int4 AS silent
    FROM nodes WHERE number <> $1 AND ${mayServeSql}`
