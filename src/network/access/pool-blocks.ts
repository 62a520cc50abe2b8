import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { goneAfterMs } from '../../platform/nodes/nodes-table.ts'
import type { Heartbeat, Membership } from '../../platform/nodes/membership.ts'
import { BlockMessages, type MessageChannel, type SentMessage } from './block-messages.ts'
import { type BlockTable, blockSizeOf } from './block-table.ts'
import { steadySeconds } from './pool-layout.ts'
import { type AddressPools, type Block, noPoolLimits, type PoolStock } from './pools.ts'

export type PoolBlocksParts = {
  readonly table: Pick<
    BlockTable,
    'own' | 'inherit' | 'claim' | 'claimOfGone' | 'claimAgain' | 'give' | 'giveBack' | 'giveBackLater'
  >
  readonly pools: AddressPools
  readonly membership: Pick<Membership, 'onBeat' | 'onDrain' | 'isDraining' | 'isReplaced'>
  readonly channel: MessageChannel
  /** Resolves when what other nodes had committed before the call is known here, sessions above all. */
  readonly caughtUp: () => Promise<void>
  readonly clock: Clock
  readonly log: Log
  /** Default: `steadySeconds`. */
  readonly seconds?: () => number
}

/**
 * For this long after its last heartbeat a node gives addresses to logins that have none; then it stops, and other
 * nodes take its blocks over later than that.
 */
const newForSeconds = 600
/** For so long a freed address goes to its last holder alone: then every living node knows that its session ended. */
const restSeconds = 6
/** Within this time a node that comes back has told the others of the sessions that began while it was away. */
const spoolSeconds = 60
/** A node without a heartbeat for this long does not know what the others know. */
const fencedSeconds = 5
const lookMs = 100
/** Between two attempts to get more addresses, while logins are refused and otherwise. */
const urgentMs = 500
const patientMs = 10_000
const tidyMs = 10_000
/** How long a start waits for the first addresses of others. */
const firstMs = 2_000

/**
 * The share of this program in the pools of several programs on one database. It gives out addresses of its own blocks,
 * so no sign-in waits for another program or for the database; what a session of any node holds, every node knows.
 *
 * The heartbeat of the node is the lease of all its blocks: while it is alive they are its own. A node that is short of
 * free addresses takes blocks that nobody holds, or else asks the others, which give of theirs until both have equally
 * many. A block may be given away with the sessions in it, but not while one of its addresses is offered to a login,
 * since only this node knows that.
 */
export class PoolBlocks {
  readonly #parts: PoolBlocksParts
  readonly #messages: BlockMessages
  readonly #seconds: () => number
  /** The end of the last work on the table; the works follow one another. */
  #last: Promise<unknown> = Promise.resolve()
  #isSeeking = false
  #soughtAtMs = -Infinity
  #nextTidyMs = 0
  /** By the first address of a pool, how often it had refused a login at the last attempt to get more addresses. */
  readonly #refusals = new Map<number, number>()
  #beat: Heartbeat
  #limits = noPoolLimits
  /** Since which second no other node has been silent. */
  #hearsAllSince = -spoolSeconds
  #cancel: () => void = () => {}
  #endMessages: () => void = () => {}
  #isStarted = false
  #isStopped = false

  constructor(parts: PoolBlocksParts) {
    const { table, channel, clock, seconds = steadySeconds } = parts
    this.#parts = parts
    this.#messages = new BlockMessages(channel, table.own)
    this.#seconds = seconds
    this.#beat = { sentAtMs: clock.elapsedMs(), silentMs: 0, steadyMs: 0, others: 0, silent: 0 }
  }

  /** Takes the blocks that are free. To be called when the sessions of all nodes are loaded and before any sign-in. */
  async open(): Promise<void> {
    const { table, pools, membership } = this.#parts
    await table.inherit()
    const held = await table.claim(openOnes(pools))
    for (const block of held.toReversed()) pools.own(block)
    membership.onBeat((beat) => this.#hear(beat))
    membership.onDrain(() => this.#inTurn('given back', () => this.#giveMost()))
  }

  /** From here on the program asks others and is asked. Waits a moment for addresses of pools of which it has none. */
  async start(): Promise<void> {
    const { clock, pools } = this.#parts
    this.#isStarted = true
    this.#endMessages = this.#messages.on((message) => this.#take(message))
    await this.#messages.tell({ kind: 'hello' })
    if (this.#beat.others > 0) await this.#pause(lookMs)
    const untilMs = clock.elapsedMs() + firstMs
    const hasNone = () => this.#beat.others > 0 && openOnes(pools).some(({ free }) => free === 0)
    while (hasNone() && clock.elapsedMs() < untilMs) {
      await this.#seek()
      if (hasNone()) await this.#pause(lookMs)
    }
    this.#lookLater()
  }

  /** Gives all blocks back. To be called when no worker gives out addresses any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    this.#endMessages()
    await this.#inTurn('given back', async () => {
      const { pools, table } = this.#parts
      await this.#messages.tellOffers(pools.takeUntold())
      const blocks = pools.blocks
      const offered = new Set(blocks.filter((block) => pools.usedOf(block).offered > 0))
      for (const block of blocks) pools.giveUpAtOnce(block)
      await table.giveBackLater([...offered])
      await table.giveBack(blocks.filter((block) => !offered.has(block)))
      await this.#messages.tell({ kind: 'free' })
    })
  }

  /** Writes again which blocks this program holds. To be called when the table may have lost that. */
  async claimAll(): Promise<void> {
    await this.#inTurn('taken again', () => this.#claimAgain())
  }

  #lookLater(): void {
    if (this.#isStopped) return
    this.#cancel = this.#parts.clock.after(lookMs, () => {
      this.#look()
      this.#lookLater()
    })
  }

  #look(): void {
    const { pools, membership, clock } = this.#parts
    if (membership.isReplaced) {
      pools.setLimits({ ...this.#limits, newUntil: 1 })
      return
    }
    void this.#messages.tellOffers(pools.takeUntold())
    const nowMs = clock.elapsedMs()
    const isUrgent = this.#shortOnes().some((stock) => this.#refusesAnew(stock))
    if (nowMs - this.#soughtAtMs >= (isUrgent ? urgentMs : patientMs)) void this.#seek()
    if (nowMs < this.#nextTidyMs) return
    this.#nextTidyMs = nowMs + tidyMs
    void this.#tidy()
  }

  /** The pools of which few addresses are left here, while others may have more. */
  #shortOnes(): PoolStock[] {
    const mayGet = (pool: Block) => this.#beat.others > 0 || this.#sizeIn(pool) < pool.size
    return openOnes(this.#parts.pools).filter((pool) => pool.free < this.#reserveOf(pool.size) && mayGet(pool))
  }

  #sizeIn(pool: Block): number {
    return this.#parts.pools.blocks.reduce((all, block) => (isIn(block, pool) ? all + block.size : all), 0)
  }

  #reserveOf(size: number): number {
    const least = blockSizeOf(size)
    return this.#parts.membership.isDraining ? least : Math.max(least, size / 16)
  }

  #refusesAnew({ first, refusals }: PoolStock): boolean {
    return refusals !== (this.#refusals.get(first) ?? 0)
  }

  /** Gets more addresses of the pools that are short of them. Never rejects. */
  async #seek(): Promise<void> {
    const short = this.#shortOnes()
    if (short.length === 0 || this.#isSeeking || this.#isStopped) return
    this.#isSeeking = true
    const refusing = new Set(short.filter((stock) => this.#refusesAnew(stock)).map(({ first }) => first))
    for (const { first, refusals } of short) this.#refusals.set(first, refusals)
    this.#soughtAtMs = this.#parts.clock.elapsedMs()
    await this.#inTurn('taken', async () => {
      await this.#claim(short)
      const stillShort = this.#beat.steadyMs >= goneAfterMs ? this.#shortOnes() : []
      if (stillShort.length > 0) await this.#hold(await this.#parts.table.claimOfGone(stillShort))
    })
    for (const { first, size, free } of this.#shortOnes())
      if (this.#beat.others > 0)
        await this.#messages.tell({ kind: 'wish', pool: { first, size }, free, refuses: refusing.has(first) })
    this.#isSeeking = false
  }

  async #claim(pools: readonly Block[]): Promise<void> {
    await this.#hold(await this.#parts.table.claim(pools))
  }

  async #claimAgain(): Promise<void> {
    const { table, pools } = this.#parts
    await this.#hold(await table.claimAgain(pools.blocks))
  }

  /** Takes these as the own blocks, because the table says so. New ones are used when their sessions are known. */
  async #hold(held: readonly Block[]): Promise<void> {
    const { pools, caughtUp, log } = this.#parts
    const isHeld = new Set(held.map(({ first }) => first))
    const lost = pools.blocks.filter(({ first }) => !isHeld.has(first))
    for (const block of lost) pools.giveUpAtOnce(block)
    if (lost.length > 0) log.warn('Others have taken over pool addresses of this node.', { blocks: lost.length })
    const fresh = held.filter((block) => !pools.owns(block))
    if (fresh.length === 0) return
    await caughtUp()
    for (const block of fresh.toReversed()) pools.own(block)
  }

  #take(message: SentMessage): void {
    const { pools, table, membership, clock } = this.#parts
    switch (message.kind) {
      case 'offers': {
        const offeredAt = Math.floor(clock.now().getTime() / 1000)
        for (const [address, loginId, station] of message.offers)
          pools.offeredElsewhere({ address, loginId, station, offeredAt, holders: 0 })
        return
      }
      case 'hello':
        void this.#messages.tellOffers(pools.foreignOffers())
        return
      case 'wish':
        if (!membership.isReplaced) void this.#inTurn('given away', () => this.#grant(message))
        return
      case 'gift':
        if (message.to === table.own.node) void this.#inTurn('taken', () => this.#claim([]))
        return
      case 'free':
        this.#soughtAtMs = -Infinity
    }
  }

  /** Gives the sender as much of a pool as makes both have equally many; one that refuses logins gets at least one. */
  async #grant({ from, pool, free, refuses }: SentMessage & { kind: 'wish' }): Promise<void> {
    const { pools, table, membership } = this.#parts
    const own = openOnes(pools).find(({ first, size }) => first === pool.first && size === pool.size)
    if (!own || own.free === 0) return
    const isUrgent = refuses && !this.#refusesAnew(own)
    const fair = membership.isDraining ? own.free : Math.floor((own.free - free) / 2)
    const given = isUrgent ? this.#giveUpSome(pool, Math.max(1, fair)) : this.#giveUpOf(pool, fair)
    if (given.length === 0) return
    // Where the answer of the database is lost, the next claim finds out whose the blocks are.
    await table.give(given, from)
    await this.#messages.tell({ kind: 'gift', to: from.node })
  }

  /** Gives up blocks that together have at most `wanted` free addresses, those with most of them first. */
  #giveUpOf(pool: Block, wanted: number): Block[] {
    const { pools } = this.#parts
    const given: Block[] = []
    let left = wanted
    for (const { block, free } of this.#spareBlocks(pool)) {
      if (free > left || !pools.giveUp(block)) continue
      given.push(block)
      left -= free
    }
    return given
  }

  /** As `#giveUpOf`; where no block has so few free addresses, one that has more. */
  #giveUpSome(pool: Block, wanted: number): Block[] {
    const given = this.#giveUpOf(pool, wanted)
    if (given.length > 0) return given
    const larger = this.#spareBlocks(pool).find(({ block }) => this.#parts.pools.giveUp(block))
    return larger ? [larger.block] : []
  }

  /** The own blocks of a pool that may be given away, those with most free addresses first. */
  #spareBlocks(pool: Block): { readonly block: Block; readonly free: number }[] {
    const { pools } = this.#parts
    return pools.blocks
      .filter((block) => isIn(block, pool))
      .map((block) => ({ block, ...pools.usedOf(block) }))
      .filter(({ free, offered }) => free > 0 && offered === 0)
      .sort((a, b) => b.free - a.free)
  }

  #hear(beat: Heartbeat): void {
    const { clock } = this.#parts
    const wasAlone = this.#beat.others === 0
    const { silentMs } = beat
    this.#beat = beat
    const sentAt = this.#seconds() - Math.ceil((clock.elapsedMs() - beat.sentAtMs) / 1000)
    const limit = () => this.#setLimits(beat, sentAt)
    // Other nodes may have taken the blocks over meanwhile, which this node must know before it gives out addresses.
    if (silentMs > newForSeconds * 1000) void this.#inTurn('taken again', () => this.#claimAgain().then(limit))
    else limit()
    if (silentMs > fencedSeconds * 1000) void this.#messages.tellOffers(this.#parts.pools.foreignOffers())
    const isAloneNow = beat.others === 0 && !wasAlone
    if (isAloneNow && this.#isStarted) void this.#inTurn('taken', () => this.#claim(openOnes(this.#parts.pools)))
  }

  #setLimits({ others, silent }: Heartbeat, sentAt: number): void {
    if (silent > 0) this.#hearsAllSince = sentAt
    const isFresh = sentAt - this.#hearsAllSince < restSeconds
    // A node that is alone has nobody who could take anything over. Who does not hear this node, or has not been heard,
    // may give a login the address of a session that has ended, and know one that has begun.
    this.#limits =
      others === 0
        ? noPoolLimits
        : {
            newUntil: sentAt + newForSeconds,
            restFrom: (isFresh && this.#limits.restFrom) || sentAt - restSeconds,
            lapseFrom: this.#hearsAllSince + spoolSeconds,
            lapseUntil: sentAt + fencedSeconds,
          }
    this.#parts.pools.setLimits(this.#limits)
  }

  /** Gives back the blocks that belong to no pool any more, or have the limits of a pool as it was before a change. */
  async #tidy(): Promise<void> {
    const { pools } = this.#parts
    const isStray = (block: Block) =>
      !pools.stocks().some(({ first, size }) => {
        const usual = blockSizeOf(size)
        return isIn(block, { first, size }) && block.size === usual && (block.first - first) % usual === 0
      })
    if (!pools.blocks.some(isStray)) return
    await this.#inTurn('given back', async () => {
      await this.#giveBack(pools.blocks.filter((block) => isStray(block) && pools.giveUp(block)))
      await this.#claim(openOnes(pools))
    })
  }

  /** A node that is to be stopped keeps a few addresses, because it answers sign-ins until then. */
  async #giveMost(): Promise<void> {
    const { pools } = this.#parts
    const full = pools.blocks.filter((block) => pools.usedOf(block).free === 0 && pools.giveUp(block))
    const spare = openOnes(pools).flatMap((pool) => this.#giveUpOf(pool, pool.free - this.#reserveOf(pool.size)))
    await this.#giveBack([...full, ...spare])
  }

  async #giveBack(blocks: readonly Block[]): Promise<void> {
    if (blocks.length === 0) return
    await this.#parts.table.giveBack(blocks)
    await this.#messages.tell({ kind: 'free' })
  }

  /**
   * Does one work on the table after the other. A work that fails while the database is away is not repeated, because
   * each claim reads again which blocks this node has.
   */
  #inTurn(what: string, work: () => Promise<unknown>): Promise<void> {
    const done = this.#last.then(work).then(
      () => {},
      (error) => this.#parts.log.debug(`pool addresses could not be ${what}`, { error }),
    )
    this.#last = done
    return done
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(ms, resolve))
  }
}

const openOnes = (pools: AddressPools): PoolStock[] => pools.stocks().filter(({ isOpen }) => isOpen)

const isIn = (block: Block, pool: Block): boolean =>
  block.first >= pool.first && block.first + block.size <= pool.first + pool.size
