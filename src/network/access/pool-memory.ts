import { mix } from './station.ts'

/** The part of an address pool that the main thread and the workers share. `network` is a 32-bit IPv4 address. */
export type PoolShare = { id: number; network: number; size: number; memory: SharedArrayBuffer }

/** A larger network leases only its first 1,048,576 addresses. */
export const poolAddressesMax = 1 << 20

const header = { lock: 0, free: 1, state: 2, words: 8 } as const
export const poolState = { open: 0, closed: 1, replaced: 2 } as const

/** Why an address cannot be leased. */
const taken = { excluded: 1, fixed: 2, leased: 4 } as const
const anyTaken = taken.excluded | taken.fixed | taken.leased
/** The address is in the index, by the login and station that lease it or had it last. */
const indexed = 8

const spinsBeforeSleep = 300
const sleepMs = 1

/** The login and station that lease an address or had it last. */
export type Holder = { address: number; loginId: number; station: number }
export type Lease = Holder & { offeredAt: number; holders: number }

/** `excluded`: network, broadcast and gateway; `fixed`: Users.ip of a login; `held` by a live session. */
export type AddressUse = 'excluded' | 'fixed' | 'held' | 'offered' | 'free'

/** `replaced`: the pool has new memory, and the caller asks again there. */
export type AcquireResult = number | 'exhausted' | 'replaced'

/**
 * The leases of one pool in shared memory, used by the workers (acquire) and the main thread (everything else). Every
 * operation takes a few hundred nanoseconds, whatever the size of the pool, and holds a lock that is taken by
 * compare-and-swap. Free addresses are in a doubly linked list, the longest unused first, and a hash index leads from
 * login and station to the address.
 *
 * An address is leased while it is offered (an Access-Accept named it, `offeredAt`), held by a live session
 * (`holders`), or both. A freed address stays in the index until somebody else leases it, so that its login finds it
 * again. Of the addresses that a login and station had, only the last one stays.
 */
export class PoolMemory {
  readonly share: PoolShare
  readonly #holder: number
  readonly #words: Int32Array
  readonly #logins: Float64Array
  readonly #next: number
  readonly #previous: number
  readonly #flags: number
  readonly #offeredAt: number
  readonly #holders: number
  readonly #stations: number
  readonly #index: number
  readonly #indexMask: number

  /** `holder` is a positive number that is unique to this thread; it marks the lock as held by the thread. */
  constructor(share: PoolShare, holder: number) {
    this.share = share
    this.#holder = holder
    this.#words = new Int32Array(share.memory)
    const { size } = share
    this.#logins = new Float64Array(share.memory, loginsOffset(size), size)
    this.#next = header.words
    this.#previous = this.#next + size + 1
    this.#flags = this.#previous + size + 1
    this.#offeredAt = this.#flags + size
    this.#holders = this.#offeredAt + size
    this.#stations = this.#holders + size
    this.#index = this.#stations + size
    this.#indexMask = indexSize(size) - 1
  }

  static create(
    id: number,
    network: number,
    size: number,
    excluded: (address: number) => boolean,
    holder: number,
  ): PoolMemory {
    const memory = new SharedArrayBuffer(loginsOffset(size) + size * 8)
    const pool = new PoolMemory({ id, network, size, memory }, holder)
    for (let at = 0; at < size; at++) if (excluded(network + at)) pool.#words[pool.#flags + at] = taken.excluded
    pool.#buildListAndIndex()
    return pool
  }

  get freeCount(): number {
    return Atomics.load(this.#words, header.free)
  }

  contains(address: number): boolean {
    return address >= this.share.network && address < this.share.network + this.share.size
  }

  /**
   * The address leased to this login and station, or else the one they had last, or else the next free one. `now` is
   * in epoch seconds. Without a station (`station` 0) and with several sessions allowed, an address that a live session
   * holds is not offered a second time.
   */
  acquire(loginId: number, station: number, severalSessions: boolean, now: number): AcquireResult {
    return this.#locked(() => {
      const at = this.#choose(loginId, station, severalSessions)
      if (typeof at !== 'number') return at
      if (!this.#isLeased(at)) this.#lease(at, loginId, station)
      this.#words[this.#offeredAt + at] = now
      return this.share.network + at
    })
  }

  /** What `acquire` would return, which is not offered to anybody by this. */
  preview(loginId: number, station: number, severalSessions: boolean): AcquireResult {
    return this.#locked(() => {
      const at = this.#choose(loginId, station, severalSessions)
      return typeof at === 'number' ? this.share.network + at : at
    })
  }

  /**
   * A session holds this address. False when it is leased to another login. The address need not have been offered
   * before.
   */
  hold(address: number, loginId: number, station: number): boolean {
    const at = address - this.share.network
    return this.#locked(() => {
      if (this.#isLeased(at)) {
        if (this.#logins[at] !== loginId) return false
      } else this.#lease(at, loginId, station)
      this.#words[this.#holders + at]!++
      this.#words[this.#offeredAt + at] = 0
      return true
    })
  }

  /**
   * A session of this login left the address, which stays leased while it is offered again or another session holds it.
   */
  leave(address: number, loginId: number): void {
    const at = address - this.share.network
    this.#locked(() => {
      if (!this.#isLeased(at) || this.#logins[at] !== loginId) return
      const holders = Math.max(0, this.#words[this.#holders + at]! - 1)
      this.#words[this.#holders + at] = holders
      if (holders === 0 && this.#words[this.#offeredAt + at] === 0) this.#release(at)
    })
  }

  /** The address leased to this login and station; -1 when there is none. */
  findLease(loginId: number, station: number): number {
    return this.#locked(() => {
      const at = this.#find(loginId, station, false)
      return at >= 0 && this.#isLeased(at) ? this.share.network + at : -1
    })
  }

  /** Up to `max` addresses in the order in which they would be given out, still free afterwards. */
  nextFree(max: number): number[] {
    return this.#locked(() => {
      const found: number[] = []
      for (let at = this.#firstFree(); at >= 0 && found.length < max; at = this.#freeAfter(at))
        found.push(this.share.network + at)
      return found
    })
  }

  useOf(address: number): AddressUse {
    const at = address - this.share.network
    const flags = this.#words[this.#flags + at]!
    if (flags & taken.excluded) return 'excluded'
    if (flags & taken.fixed) return 'fixed'
    if ((flags & taken.leased) === 0) return 'free'
    return this.#words[this.#holders + at]! > 0 ? 'held' : 'offered'
  }

  /** The login that an address is leased to, which may be the fixed one of another; 0 for none. */
  lesseeOf = (address: number): number =>
    this.#isLeased(address - this.share.network) ? this.#logins[address - this.share.network]! : 0

  /**
   * Frees the addresses that were offered before `before` (epoch seconds) and that no session holds; returns how many.
   */
  releaseOffered(before: number): number {
    let count = 0
    for (let at = 0; at < this.share.size; at++) {
      // The check without the lock is cheap, so the lock is taken only for the few that qualify.
      if (!this.#isStale(at, before)) continue
      this.#locked(() => {
        if (!this.#isStale(at, before)) return
        this.#release(at)
        count++
      })
    }
    return count
  }

  /**
   * Reserves an address for the login whose Users.ip it is, or gives it back. An existing lease on it runs to its end.
   */
  setFixed(address: number, fixed: boolean): void {
    const at = address - this.share.network
    this.#locked(() => {
      const flags = this.#words[this.#flags + at]!
      if (fixed) {
        if ((flags & anyTaken) === 0) this.#leaveList(at)
        this.#words[this.#flags + at] = flags | taken.fixed
      } else if (flags & taken.fixed) {
        this.#words[this.#flags + at] = flags & ~taken.fixed
        this.#free(at)
      }
    })
  }

  setState(state: (typeof poolState)[keyof typeof poolState]): void {
    this.#locked(() => {
      this.#words[header.state] = state
    })
  }

  leases(): Lease[] {
    const found: Lease[] = []
    for (let at = 0; at < this.share.size; at++) {
      if (!this.#isLeased(at)) continue
      found.push({
        address: this.share.network + at,
        loginId: this.#logins[at]!,
        station: this.#words[this.#stations + at]!,
        offeredAt: this.#words[this.#offeredAt + at]!,
        holders: this.#words[this.#holders + at]!,
      })
    }
    return found
  }

  /** Takes over a lease of the memory this one replaces; false when the address is not free here. */
  adopt(lease: Lease): boolean {
    const at = lease.address - this.share.network
    if (!this.contains(lease.address) || this.#isLeased(at)) return false
    this.#lease(at, lease.loginId, lease.station)
    this.#words[this.#offeredAt + at] = lease.offeredAt
    this.#words[this.#holders + at] = lease.holders
    return true
  }

  /** The free addresses that somebody had, the longest unused first. */
  lastHolders(): Holder[] {
    const found: Holder[] = []
    for (let at = this.#firstFree(); at >= 0; at = this.#freeAfter(at)) {
      if ((this.#words[this.#flags + at]! & indexed) === 0) continue
      const [loginId, station] = [this.#logins[at]!, this.#words[this.#stations + at]!]
      found.push({ address: this.share.network + at, loginId, station })
    }
    return found
  }

  /** As if the holder had just left the address; without effect when it is not free. */
  remember({ address, loginId, station }: Holder): void {
    const at = address - this.share.network
    this.#locked(() => {
      if (!this.contains(address) || !this.#isFree(at)) return
      this.#lease(at, loginId, station)
      this.#release(at)
    })
  }

  /**
   * Releases the lock of a thread that died while it held it, which would otherwise block the pool. What the thread
   * left half done is put right.
   */
  unlockFor(holder: number): void {
    if (Atomics.compareExchange(this.#words, header.lock, holder, this.#holder) !== holder) return
    for (let at = 0; at < this.share.size; at++) {
      const isUsed = this.#words[this.#offeredAt + at] !== 0 || this.#words[this.#holders + at] !== 0
      if (!isUsed) this.#words[this.#flags + at]! &= ~taken.leased
    }
    this.#buildListAndIndex()
    Atomics.store(this.#words, header.lock, 0)
  }

  /** The list is a circle through the entry `size`, which is no address: behind it comes the first one. */
  #buildListAndIndex(): void {
    const { size } = this.share
    this.#words[this.#next + size] = size
    this.#words[this.#previous + size] = size
    this.#words[header.free] = 0
    this.#words.fill(0, this.#index, this.#index + this.#indexMask + 1)
    for (let at = 0; at < size; at++) {
      if (this.#words[this.#flags + at]! & indexed) this.#addToIndex(at)
      this.#free(at)
    }
  }

  #isLeased(at: number): boolean {
    return (this.#words[this.#flags + at]! & taken.leased) !== 0
  }

  #isFree(at: number): boolean {
    return (this.#words[this.#flags + at]! & anyTaken) === 0
  }

  #isStale(at: number, before: number): boolean {
    const offeredAt = this.#words[this.#offeredAt + at]!
    return offeredAt !== 0 && offeredAt < before && this.#isLeased(at) && this.#words[this.#holders + at] === 0
  }

  /** The place that `acquire` leases, or has leased already. */
  #choose(loginId: number, station: number, severalSessions: boolean): AcquireResult {
    const state = this.#words[header.state]
    if (state === poolState.replaced) return 'replaced'
    const known = this.#find(loginId, station, station === 0 && severalSessions)
    if (known >= 0 && this.#isLeased(known)) return known
    if (state === poolState.closed) return 'exhausted'
    const at = known < 0 ? this.#firstFree() : known
    return at < 0 ? 'exhausted' : at
  }

  /** -1 when there is none. */
  #firstFree(): number {
    return this.#freeAfter(this.share.size)
  }

  #freeAfter(at: number): number {
    const next = this.#words[this.#next + at]!
    return next === this.share.size ? -1 : next
  }

  #leaveList(at: number): void {
    const next = this.#words[this.#next + at]!
    const previous = this.#words[this.#previous + at]!
    this.#words[this.#next + previous] = next
    this.#words[this.#previous + next] = previous
    this.#words[header.free]!--
  }

  #lease(at: number, loginId: number, station: number): void {
    const flags = this.#words[this.#flags + at]!
    if ((flags & anyTaken) === 0) this.#leaveList(at)
    this.#words[this.#flags + at] = flags | taken.leased | indexed
    this.#words[this.#offeredAt + at] = 0
    this.#words[this.#holders + at] = 0
    if (flags & indexed) {
      if (this.#isOf(at, loginId, station)) return
      this.#removeFromIndex(at)
    }
    this.#words[this.#stations + at] = station
    this.#logins[at] = loginId
    this.#addToIndex(at)
  }

  #addToIndex(at: number): void {
    let slot = this.#homeOf(at)
    while (this.#words[this.#index + slot] !== 0) slot = (slot + 1) & this.#indexMask
    this.#words[this.#index + slot] = at + 1
  }

  #release(at: number): void {
    this.#forgetEarlier(this.#logins[at]!, this.#words[this.#stations + at]!)
    this.#words[this.#flags + at]! &= ~taken.leased
    this.#words[this.#offeredAt + at] = 0
    this.#words[this.#holders + at] = 0
    this.#free(at)
  }

  /** Appends an address to the list when nothing else keeps it taken. */
  #free(at: number): void {
    if (!this.#isFree(at)) return
    const { size } = this.share
    const last = this.#words[this.#previous + size]!
    this.#words[this.#next + last] = at
    this.#words[this.#previous + at] = last
    this.#words[this.#next + at] = size
    this.#words[this.#previous + size] = at
    this.#words[header.free]!++
  }

  /**
   * The address leased to this login and station, or else one that they had and that is free; -1 when there is none.
   * With `unheldOnly` a lease that a session holds does not count.
   */
  #find(loginId: number, station: number, unheldOnly: boolean): number {
    let free = -1
    for (let slot = keyHash(loginId, station) & this.#indexMask; ; slot = (slot + 1) & this.#indexMask) {
      const at = this.#words[this.#index + slot]! - 1
      if (at < 0) return free
      if (!this.#isOf(at, loginId, station)) continue
      if (this.#isFree(at)) free = at
      else if (this.#isLeased(at) && !(unheldOnly && this.#words[this.#holders + at]! > 0)) return at
    }
  }

  /** Called whenever an address is freed, so there is at most one. */
  #forgetEarlier(loginId: number, station: number): void {
    for (let slot = keyHash(loginId, station) & this.#indexMask; ; slot = (slot + 1) & this.#indexMask) {
      const at = this.#words[this.#index + slot]! - 1
      if (at < 0) return
      if (this.#isLeased(at) || !this.#isOf(at, loginId, station)) continue
      this.#removeFromIndex(at)
      this.#words[this.#flags + at]! &= ~indexed
      return
    }
  }

  #isOf(at: number, loginId: number, station: number): boolean {
    return this.#logins[at] === loginId && this.#words[this.#stations + at] === (station | 0)
  }

  /**
   * Linear probing without tombstones: the entries behind the removed one move up, so that probe sequences stay short.
   */
  #removeFromIndex(at: number): void {
    const { mask, base } = { mask: this.#indexMask, base: this.#index }
    let hole = this.#homeOf(at)
    while (this.#words[base + hole] !== at + 1) hole = (hole + 1) & mask
    for (let slot = (hole + 1) & mask; this.#words[base + slot] !== 0; slot = (slot + 1) & mask) {
      const home = this.#homeOf(this.#words[base + slot]! - 1)
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue
      this.#words[base + hole] = this.#words[base + slot]!
      hole = slot
    }
    this.#words[base + hole] = 0
  }

  #homeOf(at: number): number {
    return keyHash(this.#logins[at]!, this.#words[this.#stations + at]!) & this.#indexMask
  }

  #locked<T>(work: () => T): T {
    const words = this.#words
    for (let spins = 1; Atomics.compareExchange(words, header.lock, 0, this.#holder) !== 0; spins++) {
      // The lock is held for less than a microsecond, unless the operating system suspended its thread.
      if (spins % spinsBeforeSleep === 0)
        Atomics.wait(words, header.lock, Atomics.load(words, header.lock) || -1, sleepMs)
    }
    try {
      return work()
    } finally {
      Atomics.store(words, header.lock, 0)
    }
  }
}

const indexSize = (size: number) => {
  let slots = 4
  while (slots < size * 2) slots *= 2
  return slots
}

const loginsOffset = (size: number) => Math.ceil(((header.words + 2 + size * 6 + indexSize(size)) * 4) / 8) * 8

const keyHash = (loginId: number, station: number) =>
  mix(Math.imul(loginId | 0, 0x9e3779b1) ^ Math.imul((loginId / 0x1_0000_0000) | 0, 0x85ebca6b) ^ station)
