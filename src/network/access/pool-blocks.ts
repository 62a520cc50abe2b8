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

/** So long after its last heartbeat a node gives an address to no login that has none; others take over later. */
const newForSeconds = 600
/** An address is given to somebody else when every living node has heard that its session has ended. */
const restSeconds = 6
/** Who comes back tells by then of the sessions that have begun meanwhile. */
const spoolSeconds = 60
/** Without a heartbeat for so long a node does not know what others know. */
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
 * The heartbeat of the node is the lease of all its blocks: while it is alive they are its own. Who is short of free
 * addresses takes blocks that nobody holds, or else asks the others, which give of theirs until both have the same. A
 * block may be given away with the sessions in it, but not while an address of it is offered to a login, since that
 * is known here alone.
 */
export class PoolBlocks {
  readonly #parts: PoolBlocksParts
  readonly #messages: BlockMessages
  readonly #seconds: () => number
  /** What reads or writes the table goes one after another. */
  #last: Promise<unknown> = Promise.resolve()
  #isSeeking = false
  #soughtAtMs = -Infinity
  #nextTidyMs = 0
  /** By first address of a pool: its refusals at the last attempt to get more. */
  readonly #refusals = new Map<number, number>()
  #beat: Heartbeat
  #limits = noPoolLimits
  /** In seconds: no other node has been silent since. */
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

  /** Takes what is free; the sessions of all nodes are loaded already, and no sign-in is answered yet. */
  async open(): Promise<void> {
    const { table, pools, membership } = this.#parts
    await table.inherit()
    const held = await table.claim(openOnes(pools))
    for (const block of held.toReversed()) pools.own(block)
    membership.onBeat((beat) => this.#hear(beat))
    membership.onDrain(() => this.#inTurn('given back', () => this.#giveMost()))
  }

  /** From here on it asks others and is asked. Waits a moment for addresses where it has none. */
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

  /** No worker gives out anything any more. */
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

  /** The table may have lost who holds what. */
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

  /** These are the own blocks by the table. New ones are used when the sessions in them are known. */
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

  /** Gives so much of a pool that both have the same; who refuses logins gets one address at least. */
  async #grant({ from, pool, free, refuses }: SentMessage & { kind: 'wish' }): Promise<void> {
    const { pools, table, membership } = this.#parts
    const own = openOnes(pools).find(({ first, size }) => first === pool.first && size === pool.size)
    if (!own || own.free === 0) return
    const isBadly = refuses && !this.#refusesAnew(own)
    const fair = membership.isDraining ? own.free : Math.floor((own.free - free) / 2)
    const given = this.#giveUpOf(pool, isBadly ? Math.max(1, fair) : fair, isBadly)
    if (given.length === 0) return
    // Where the answer is lost, the next claim tells whose they are.
    await table.give(given, from)
    await this.#messages.tell({ kind: 'gift', to: from.node })
  }

  /** Of blocks with most free addresses first, as many as have so many free ones. */
  #giveUpOf(pool: Block, wanted: number, atLeastOne: boolean): Block[] {
    const { pools } = this.#parts
    const given: Block[] = []
    const candidates = pools.blocks
      .filter((block) => isIn(block, pool))
      .map((block) => ({ block, ...pools.usedOf(block) }))
      .filter(({ free, offered }) => free > 0 && offered === 0)
      .sort((a, b) => b.free - a.free)
    if (atLeastOne) candidates.sort((a, b) => Number(a.free > wanted) - Number(b.free > wanted))
    let left = wanted
    for (const { block, free } of candidates) {
      const fits = free <= left || (atLeastOne && given.length === 0)
      if (!fits || left <= 0 || !pools.giveUp(block)) continue
      given.push(block)
      left -= free
    }
    return given
  }

  #hear(beat: Heartbeat): void {
    const { clock } = this.#parts
    const wasAlone = this.#beat.others === 0
    const { silentMs } = beat
    this.#beat = beat
    const sentAt = this.#seconds() - Math.ceil((clock.elapsedMs() - beat.sentAtMs) / 1000)
    const limit = () => this.#setLimits(beat, sentAt)
    // Others may have taken over the blocks meanwhile, and this node must know it before it gives out of them again.
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

  /** Gives back what belongs to no pool any more, or has the limits of an earlier one. */
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
    const spare = openOnes(pools).flatMap((pool) => this.#giveUpOf(pool, pool.free - this.#reserveOf(pool.size), false))
    await this.#giveBack([...full, ...spare])
  }

  async #giveBack(blocks: readonly Block[]): Promise<void> {
    if (blocks.length === 0) return
    await this.#parts.table.giveBack(blocks)
    await this.#messages.tell({ kind: 'free' })
  }

  /** What fails while the database is away is tried again: the blocks that this node has are read with each claim. */
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
