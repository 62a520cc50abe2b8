import { type Offer, type OfferLog, offerGraceSeconds } from './offer-log.ts'
import {
  type AcquireResult,
  type AddressUse,
  type Holder,
  type Lease,
  type PoolShare,
  poolAddressesMax,
  poolState,
  steadySeconds,
  taken,
  type UsedPart,
} from './pool-layout.ts'
import { PoolMemory } from './pool-memory.ts'
import { type SharedHandle, SharedValue, SharedView } from './shared.ts'

/** An IPv4 pool as configured; addresses are 32-bit numbers. */
export type PoolDefinition = {
  id: number
  network: number
  prefixLength: number
  gateway: number | null
  enabled: boolean
}

/**
 * An address that is used. `loginId` is the login that it is leased to, 0 for none; a fixed address should be leased to
 * its own login only.
 */
export type UsedAddress = { address: number; use: AddressUse; loginId: number }

const mainHolder = 1_000_000
const replacementWaitsMax = 100
const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Consecutive IPv4 addresses as 32-bit numbers, which one program gives out. */
export type Block = { readonly first: number; readonly size: number }

/** How many addresses of a pool one program can give out, and how often it had none for a login. */
export type PoolStock = Block & { readonly isOpen: boolean; readonly free: number; readonly refusals: number }

/**
 * The limits that hold while other programs give out addresses, too. `newUntil` and `restFrom` are described in
 * pool-layout.ts. Offers lapse only between the seconds `lapseFrom` and `lapseUntil`, because outside of them the
 * session that followed an offer may have begun at a node that is not heard.
 */
export type PoolLimits = {
  readonly newUntil: number
  readonly restFrom: number
  readonly lapseFrom: number
  readonly lapseUntil: number
}

export const noPoolLimits: PoolLimits = { newUntil: 0, restFrom: 0, lapseFrom: 0, lapseUntil: Infinity }

/**
 * The main thread's side of the address pools: it defines them, follows the sessions and frees the addresses that no
 * session took.
 */
export class AddressPools {
  readonly #shared = new SharedValue<PoolShare[]>([])
  readonly #pools = new Map<number, { definition: PoolDefinition; memory: PoolMemory }>()
  /** By the address, how many logins have an address of a pool as their Users.ip. */
  readonly #fixed = new Map<number, number>()
  readonly #seconds: () => number
  /** The blocks of this program where several share the pools; null: all addresses are its own. */
  readonly #blocks: Map<number, Block> | null
  #limits = noPoolLimits

  /** With `isShared` only the addresses in blocks that `own` has named are given out. */
  constructor({ isShared = false, seconds = steadySeconds } = {}) {
    this.#blocks = isShared ? new Map() : null
    this.#seconds = seconds
  }

  get isEmpty(): boolean {
    return this.#pools.size === 0
  }

  handle(): SharedHandle<PoolShare[]> {
    return this.#shared.handle()
  }

  close(): void {
    this.#shared.close()
  }

  /**
   * Replaces the definitions. Leases on addresses that remain survive. `fixedAddresses` yields every Users.ip, for new
   * pools.
   */
  define(definitions: readonly PoolDefinition[], fixedAddresses: () => Iterable<number>): void {
    const wanted = new Map(definitions.map((definition) => [definition.id, definition]))
    let changed = false
    for (const [id, { memory }] of this.#pools) {
      if (wanted.has(id)) continue
      memory.setState(poolState.replaced)
      this.#pools.delete(id)
      changed = true
    }
    const fresh = [...wanted.values()].filter((definition) => this.#define(definition))
    if (fresh.length > 0)
      this.#countFixed(
        fresh.map(({ id }) => this.#pools.get(id)!.memory),
        fixedAddresses(),
      )
    if (changed || fresh.length > 0) this.#shared.publish([...this.#pools.values()].map(({ memory }) => memory.share))
  }

  addFixed(address: number): void {
    const pools = this.#poolsOf(address)
    if (pools.length === 0) return
    this.#fixed.set(address, (this.#fixed.get(address) ?? 0) + 1)
    for (const pool of pools) pool.setFixed(address, true)
  }

  removeFixed(address: number): void {
    const count = this.#fixed.get(address) ?? 0
    if (count > 1) this.#fixed.set(address, count - 1)
    else if (this.#fixed.delete(address)) for (const pool of this.#poolsOf(address)) pool.setFixed(address, false)
  }

  /**
   * Has a session that began hold its address until it ends. When accounting named no address (`address` -1), it is the
   * one offered to the login and station. The session usually is what the last offer led to, so it ends the offer; of a
   * session that another program has heard of nobody knows that, and `endsOffer` is false. False when the address is
   * leased to another login.
   */
  hold(loginId: number, station: number, address: number, endsOffer = true): boolean {
    const held = address >= 0 ? address : this.leaseOf(loginId, station)
    const areHeld = this.#poolsOf(held).map((pool) => pool.hold(held, loginId, station, endsOffer))
    return !areHeld.includes(false)
  }

  leave(loginId: number, station: number, address: number): void {
    const held = address >= 0 ? address : this.leaseOf(loginId, station)
    for (const pool of this.#poolsOf(held)) pool.leave(held, loginId)
  }

  /**
   * The address that the login and station hold or were offered; -1 for none. The address of a login that may have only
   * one session is leased without a station.
   */
  leaseOf(loginId: number, station: number): number {
    for (const { memory } of this.#pools.values()) {
      for (const key of station === 0 ? [0] : [station, 0]) {
        const address = memory.findLease(loginId, key)
        if (address >= 0) return address
      }
    }
    return -1
  }

  /** Frees the addresses whose offer was never followed by a session; returns how many. `now` is in epoch seconds. */
  releaseOffered(now: number, graceSeconds = offerGraceSeconds): number {
    let count = 0
    const seconds = this.#seconds()
    if (seconds < this.#limits.lapseFrom || seconds > this.#limits.lapseUntil) return 0
    for (const { memory } of this.#pools.values()) count += memory.releaseOffered(now - graceSeconds)
    return count
  }

  /**
   * Takes up offers of the program before this one; an address that a session holds meanwhile stays with it.
   * `ownOnly`: not those in blocks of others, who may have given the address to somebody else since.
   */
  restoreOffers(offers: readonly Offer[], { ownOnly }: { readonly ownOnly: boolean }): void {
    for (const offer of offers) this.#poolOf(offer.address)?.adopt({ ...offer, holders: 0 }, ownOnly)
  }

  /** Notes who had an address last: they get it again while it is free, and others get it after all other addresses. */
  remember(poolId: number, holder: Holder): void {
    this.#pools.get(poolId)?.memory.remember(holder)
  }

  leases(poolId: number): Lease[] {
    return this.#pools.get(poolId)?.memory.leases() ?? []
  }

  /** The address that a pool offers next, with its prefix length; null: it has none, is disabled or does not exist. */
  nextFree(poolId: number): { address: number; prefixLength: number } | null {
    const pool = this.#pools.get(poolId)
    if (!pool?.definition.enabled) return null
    const [address] = this.freeOnes(poolId, 1)
    return address === undefined ? null : { address, prefixLength: pool.definition.prefixLength }
  }

  /** Up to `max` free addresses of an enabled pool, the next one first. */
  freeOnes(poolId: number, max: number): number[] {
    const pool = this.#pools.get(poolId)
    if (!pool?.definition.enabled) return []
    const own = pool.memory.nextFree(max)
    return own.concat(this.#blocks ? pool.memory.freeElsewhere(max - own.length) : [])
  }

  /**
   * The address that a worker would offer to this login now, which stays as free as it is; -1 when the pool has none.
   * Arguments as of AddressSource.acquire.
   */
  preview(poolId: number, loginId: number, station: number, simultaneousUse: number): number {
    const several = simultaneousUse > 1
    const result = this.#pools.get(poolId)?.memory.preview(loginId, several ? station : 0, several)
    return typeof result === 'number' ? result : -1
  }

  /** What an address is used for; null: it belongs to no pool. */
  useOf(address: number): AddressUse | null {
    return this.#poolOf(address)?.useOf(address) ?? null
  }

  /** The pool that an address belongs to, and the login that it is leased to, 0 for none; null: it belongs to none. */
  leaseAt(address: number): { poolId: number; loginId: number } | null {
    const memory = this.#poolOf(address)
    return memory ? { poolId: memory.share.id, loginId: memory.lesseeOf(address) } : null
  }

  get blocks(): Block[] {
    return [...(this.#blocks?.values() ?? [])]
  }

  owns({ first }: Block): boolean {
    return this.#blocks?.has(first) === true
  }

  /** This program gives these addresses out from here on. */
  own(block: Block): void {
    this.#blocks?.set(block.first, block)
    for (const { memory } of this.#pools.values()) memory.own(block.first, block.size)
  }

  /**
   * From here on other programs give this block out. False, and nothing is done, while one of its addresses is offered
   * to a login, which the others do not know.
   */
  giveUp(block: Block): boolean {
    const { first, size } = block
    const touched = this.#memoriesOf(block)
    if (!touched.every((memory) => memory.giveUp(first, size, 'unoffered'))) {
      for (const memory of touched) memory.own(first, size)
      return false
    }
    this.#blocks?.delete(first)
    return true
  }

  /** The same whatever is offered, because others have taken the block over or nobody signs in here any more. */
  giveUpAtOnce(block: Block): void {
    const { first, size } = block
    for (const memory of this.#memoriesOf(block)) memory.giveUp(first, size, 'atOnce')
    this.#blocks?.delete(first)
  }

  usedOf({ first, size }: Block): UsedPart {
    const parts = [...this.#pools.values()].map(({ memory }) => memory.usedOf(first, size))
    return { free: sum(parts.map(({ free }) => free)), offered: sum(parts.map(({ offered }) => offered)) }
  }

  stocks(): PoolStock[] {
    return [...this.#pools.values()].map(({ definition, memory }) => ({
      first: memory.share.network,
      size: memory.share.size,
      isOpen: definition.enabled,
      free: memory.freeCount,
      refusals: memory.refusals,
    }))
  }

  setLimits(limits: PoolLimits): void {
    this.#limits = limits
    for (const { memory } of this.#pools.values()) memory.setLimits(limits.newUntil, limits.restFrom)
  }

  /** The offers of addresses in blocks of others since the last call. */
  takeUntold(): Lease[] {
    return [...this.#pools.values()].flatMap(({ memory }) => memory.takeUntold())
  }

  /** All offers of addresses in blocks of others. */
  foreignOffers(): Lease[] {
    return [...this.#pools.values()].flatMap(({ memory }) =>
      memory.leases(taken.foreign).filter(({ offeredAt }) => offeredAt > 0),
    )
  }

  /** Another program has offered this address to a login that it knows to have it. */
  offeredElsewhere(lease: Lease): void {
    this.#poolOf(lease.address)?.offeredElsewhere(lease)
  }

  /** How many addresses have each use; null: there is no such pool of IPv4 addresses. */
  countsOf(poolId: number): Record<AddressUse, number> | null {
    const memory = this.#pools.get(poolId)?.memory
    if (!memory) return null
    const counts = { excluded: 0, fixed: 0, held: 0, offered: 0, free: 0 }
    const { network, size } = memory.share
    for (let at = 0; at < size; at++) counts[memory.useOf(network + at)]++
    return counts
  }

  /** Up to `max` addresses above `after` that are in use, in their order. */
  usedAfter(poolId: number, after: number, max: number): UsedAddress[] {
    const memory = this.#pools.get(poolId)?.memory
    if (!memory) return []
    const { network, size } = memory.share
    const found: UsedAddress[] = []
    for (let address = Math.max(network, after + 1); address < network + size && found.length < max; address++) {
      const use = memory.useOf(address)
      if (use === 'fixed' || use === 'held' || use === 'offered')
        found.push({ address, use, loginId: memory.lesseeOf(address) })
    }
    return found
  }

  /** The enabled pools in the order in which they are asked for a free address. */
  enabledIds(): number[] {
    return [...this.#pools.values()]
      .flatMap(({ definition }) => (definition.enabled ? [definition.id] : []))
      .sort(byNumber)
  }

  usage(): { poolId: number; size: number; free: number }[] {
    return [...this.#pools].map(([poolId, { memory }]) => ({ poolId, size: memory.share.size, free: memory.freeCount }))
  }

  /** Releases the locks of a worker that died; `holder` is the number that its AddressSource was given. */
  unlockFor(holder: number): void {
    for (const { memory } of this.#pools.values()) memory.unlockFor(holder)
  }

  #define(definition: PoolDefinition): boolean {
    const present = this.#pools.get(definition.id)
    const state = definition.enabled ? poolState.open : poolState.closed
    if (present && sameNetwork(present.definition, definition)) {
      present.memory.setState(state)
      present.definition = definition
      return false
    }
    const memory = this.#create(definition)
    // From here on the old memory offers nothing, so no lease can be missed.
    present?.memory.setState(poolState.replaced)
    for (const lease of present?.memory.leases() ?? []) memory.adopt(lease)
    const { network: first, size } = memory.share
    // What a session holds in a pool that overlaps this one is taken here, too.
    for (const lease of this.#memoriesOf({ first, size }).flatMap((other) => other.leases()))
      if (lease.holders > 0) memory.adopt({ ...lease, offeredAt: 0 })
    for (const holder of present?.memory.lastHolders() ?? []) memory.remember(holder)
    memory.setState(state)
    this.#pools.set(definition.id, { definition, memory })
    return true
  }

  #countFixed(fresh: readonly PoolMemory[], fixedAddresses: Iterable<number>): void {
    for (const address of this.#fixed.keys())
      if (fresh.some((pool) => pool.contains(address))) this.#fixed.delete(address)
    for (const address of fixedAddresses) if (fresh.some((pool) => pool.contains(address))) this.addFixed(address)
  }

  #create({ id, network, prefixLength, gateway }: PoolDefinition): PoolMemory {
    const addresses = 2 ** (32 - prefixLength)
    const size = Math.min(addresses, poolAddressesMax)
    const broadcast = network + addresses - 1
    // A /31 and a /32 have no network and broadcast address (RFC 3021).
    const excluded = (address: number) =>
      address === gateway || (prefixLength < 31 && (address === network || address === broadcast))
    const memory = PoolMemory.create(id, network, size, excluded, mainHolder, this.#seconds)
    if (this.#blocks) memory.giveUp(network, size, 'atOnce')
    for (const block of this.blocks) memory.own(block.first, block.size)
    memory.setLimits(this.#limits.newUntil, this.#limits.restFrom)
    return memory
  }

  #memoriesOf(block: Block): PoolMemory[] {
    const found: PoolMemory[] = []
    for (const { memory } of this.#pools.values()) if (overlap(memory.share, block)) found.push(memory)
    return found
  }

  readonly #poolOf = (address: number): PoolMemory | undefined => this.#poolsOf(address)[0]

  /** More than one where pools overlap. */
  readonly #poolsOf = (address: number): PoolMemory[] => this.#memoriesOf({ first: address, size: 1 })
}

/** A worker's side of the address pools: addresses for Access-Accepts. */
export class AddressSource {
  readonly #view: SharedView<PoolShare[]>
  readonly #holder: number
  readonly #log: OfferLog | null
  readonly #seconds: () => number
  #pools = new Map<number, PoolMemory>()

  constructor(
    handle: SharedHandle<PoolShare[]>,
    holder: number,
    log: OfferLog | null = null,
    seconds: () => number = steadySeconds,
  ) {
    this.#log = log
    this.#seconds = seconds
    this.#view = new SharedView(handle)
    this.#holder = holder
    this.#take()
  }

  /** The address for this login as a 32-bit number; -1 when the pool has no free one. `now` is in epoch seconds. */
  acquire(poolId: number, loginId: number, station: number, simultaneousUse: number, now: number): number {
    const several = simultaneousUse > 1
    let waits = 0
    for (;;) {
      this.refresh()
      const pool = this.#pools.get(poolId)
      if (!pool) return -1
      const leaseStation = several ? station : 0
      const result: AcquireResult = pool.acquire(loginId, leaseStation, several, now)
      if (typeof result === 'number') {
        this.#log?.add(result, loginId, leaseStation, now)
        return result
      }
      if (result === 'exhausted') return -1
      // The main thread publishes the new memory a moment after it has closed the old one.
      if (waits++ === replacementWaitsMax) return -1
      Atomics.wait(sleeper, 0, 0, 1)
    }
  }

  refresh(): void {
    if (this.#view.refresh()) this.#take()
  }

  close(): void {
    this.#view.close()
  }

  #take(): void {
    this.#pools = new Map(
      this.#view.value.map((share) => [share.id, new PoolMemory(share, this.#holder, this.#seconds)]),
    )
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

const overlap = (share: PoolShare, { first, size }: Block) =>
  first < share.network + share.size && first + size > share.network

const byNumber = (a: number, b: number) => a - b

const sameNetwork = (a: PoolDefinition, b: PoolDefinition) =>
  a.network === b.network && a.prefixLength === b.prefixLength && a.gateway === b.gateway
