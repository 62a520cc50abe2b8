import { FreeList } from './free-list.ts'
import { HolderIndex } from './holder-index.ts'
import { PoolLock } from './pool-lock.ts'
import { offerGraceSeconds } from './offer-log.ts'
import {
  type AcquireResult,
  type AddressUse,
  anyTaken,
  header,
  type Holder,
  indexed,
  indexSize,
  type Lease,
  loginsOffset,
  type PoolShare,
  poolState,
  steadySeconds,
  taken,
  type UsedPart,
  untold,
} from './pool-layout.ts'

/**
 * The leases of one pool in shared memory, used by the workers (acquire) and the main thread (everything else). Every
 * operation takes a few hundred nanoseconds, whatever the size of the pool, and holds a lock. Free addresses are in a
 * doubly linked list, the longest unused first, and a hash index leads from login and station to the address.
 *
 * An address is leased while it is offered (an Access-Accept named it, `offeredAt`), held by a live session
 * (`holders`), or both. A freed address stays in the index until somebody else leases it, so that its login finds it
 * again. Of the addresses that a login and station had, only the last one stays.
 */
export class PoolMemory {
  readonly share: PoolShare
  readonly #lock: PoolLock
  readonly #words: Int32Array
  readonly #logins: Float64Array
  readonly #freeList: FreeList
  readonly #flags: number
  readonly #offeredAt: number
  readonly #holders: number
  readonly #stations: number
  readonly #freedAt: number
  readonly #index: HolderIndex
  readonly #seconds: () => number

  /** `holder` is a positive number that is unique to this thread; it marks the lock as held by the thread. */
  constructor(share: PoolShare, holder: number, seconds = steadySeconds) {
    this.share = share
    this.#seconds = seconds
    this.#words = new Int32Array(share.memory)
    this.#lock = new PoolLock(this.#words, holder)
    const { size } = share
    this.#logins = new Float64Array(share.memory, loginsOffset(size), size)
    const next = header.words
    const previous = next + size + 1
    this.#freeList = new FreeList(this.#words, size, { next, previous })
    this.#flags = previous + size + 1
    this.#offeredAt = this.#flags + size
    this.#holders = this.#offeredAt + size
    this.#stations = this.#holders + size
    this.#freedAt = this.#stations + size
    const place = { slots: this.#freedAt + size, mask: indexSize(size) - 1, stations: this.#stations }
    this.#index = new HolderIndex(this.#words, this.#logins, place)
  }

  static create(
    id: number,
    network: number,
    size: number,
    excluded: (address: number) => boolean,
    holder: number,
    seconds?: () => number,
  ): PoolMemory {
    const memory = new SharedArrayBuffer(loginsOffset(size) + size * 8)
    const pool = new PoolMemory({ id, network, size, memory }, holder, seconds)
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
   * The address leased to this login and station, or else the one they had last, or the next free one; `now` in epoch
   * seconds. Without a station (0) and with several sessions allowed, none that a live session holds is offered again.
   */
  acquire(loginId: number, station: number, severalSessions: boolean, now: number): AcquireResult {
    return this.#lock.hold(() => {
      const at = this.#choose(loginId, station, severalSessions, now)
      if (at === 'exhausted') this.#words[header.refused]!++
      if (typeof at !== 'number') return at
      if (!this.#isLeased(at)) this.#lease(at, loginId, station)
      this.#words[this.#offeredAt + at] = now
      if (this.#words[this.#flags + at]! & taken.foreign) {
        this.#words[this.#flags + at]! |= untold
        this.#words[header.untold]!++
      }
      return this.share.network + at
    })
  }

  /** What `acquire` would return. The address is offered to nobody by this. */
  preview(loginId: number, station: number, severalSessions: boolean): AcquireResult {
    return this.#lock.hold(() => {
      const at = this.#choose(loginId, station, severalSessions, 0)
      return typeof at === 'number' ? this.share.network + at : at
    })
  }

  /** A session holds this address, which need not have been offered. False when it is leased to another login. */
  hold(address: number, loginId: number, station: number, endsOffer = true): boolean {
    const at = address - this.share.network
    return this.#lock.hold(() => {
      if (this.#isLeased(at)) {
        if (this.#logins[at] !== loginId) return false
      } else this.#lease(at, loginId, station)
      this.#words[this.#holders + at]!++
      if (endsOffer) this.#words[this.#offeredAt + at] = 0
      return true
    })
  }

  /** A session left the address, which stays leased while it is offered again or another one of the login holds it. */
  leave(address: number, loginId: number): void {
    const at = address - this.share.network
    this.#lock.hold(() => {
      if (!this.#isLeased(at) || this.#logins[at] !== loginId) return
      const holders = Math.max(0, this.#words[this.#holders + at]! - 1)
      this.#words[this.#holders + at] = holders
      if (holders === 0 && this.#words[this.#offeredAt + at] === 0) this.#release(at)
    })
  }

  /** The address leased to this login and station; -1 when there is none. */
  findLease(loginId: number, station: number): number {
    return this.#lock.hold(() => {
      const at = this.#find(loginId, station, false)
      return at >= 0 && this.#isLeased(at) ? this.share.network + at : -1
    })
  }

  /** How often the pool had no address for a login. */
  get refusals(): number {
    return Atomics.load(this.#words, header.refused)
  }

  setLimits(newUntil: number, restFrom: number): void {
    Atomics.store(this.#words, header.newUntil, newUntil)
    Atomics.store(this.#words, header.restFrom, restFrom)
  }

  /** From here on this program gives these addresses out. Those that do not rest come before all others. */
  own(first: number, size: number): void {
    this.#lock.hold(() => {
      for (const at of this.#placesOf(first, size).reverse()) {
        const flags = this.#words[this.#flags + at]!
        if ((flags & taken.foreign) === 0) continue
        this.#words[this.#flags + at] = flags & ~(taken.foreign | untold)
        if (!this.#isFree(at)) continue
        if (this.#rests(at)) this.#freeList.append(at)
        else this.#freeList.prepend(at)
      }
    })
  }

  /** From here on others give these addresses out; `unoffered`: unless one is offered to a login. False: it is. */
  giveUp(first: number, size: number, when: 'unoffered' | 'atOnce'): boolean {
    return this.#lock.hold(() => {
      if (when === 'unoffered' && this.usedOf(first, size).offered > 0) return false
      for (const at of this.#placesOf(first, size)) {
        if (this.#isFree(at)) this.#freeList.remove(at)
        this.#words[this.#flags + at]! |= taken.foreign
      }
      return true
    })
  }

  usedOf(first: number, size: number): UsedPart {
    let [free, offered] = [0, 0]
    for (const at of this.#placesOf(first, size)) {
      if (this.#isFree(at)) free++
      else if (this.#isLeased(at) && this.#words[this.#offeredAt + at] !== 0) offered++
    }
    return { free, offered }
  }

  /** The offers of addresses in blocks of others since the last call. */
  takeUntold(): Lease[] {
    if (Atomics.exchange(this.#words, header.untold, 0) === 0) return []
    const found = this.leases(untold)
    this.#lock.hold(() => {
      for (const { address } of found) this.#words[this.#flags + address - this.share.network]! &= ~untold
    })
    return found
  }

  /** Another program has offered this address to a login that it knows to have it. */
  offeredElsewhere({ address, loginId, station, offeredAt }: Lease): void {
    const at = address - this.share.network
    this.#lock.hold(() => {
      if (!this.#isLeased(at)) this.#lease(at, loginId, station)
      if (this.#logins[at] === loginId) this.#words[this.#offeredAt + at] = offeredAt
    })
  }

  /** Up to `max` addresses in the order in which they would be given out, still free afterwards. */
  nextFree(max: number): number[] {
    return this.#lock.hold(() => {
      const found: number[] = []
      for (let at = this.#freeList.first; at >= 0 && found.length < max; at = this.#freeList.after(at))
        found.push(this.share.network + at)
      return found
    })
  }

  freeElsewhere(max: number): number[] {
    const found: number[] = []
    for (let at = 0; at < this.share.size && found.length < max; at++)
      if ((this.#words[this.#flags + at]! & anyTaken) === taken.foreign) found.push(this.share.network + at)
    return found
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

  /** Ends the offers from before `before` (epoch seconds); returns how many addresses are free by that. */
  releaseOffered(before: number): number {
    let count = 0
    for (let at = 0; at < this.share.size; at++) {
      // The check without the lock is cheap, so the lock is taken only for the few that qualify.
      if (!this.#isStale(at, before)) continue
      this.#lock.hold(() => {
        if (!this.#isStale(at, before)) return
        if (this.#words[this.#holders + at]! > 0) {
          this.#words[this.#offeredAt + at] = 0
          return
        }
        this.#release(at)
        count++
      })
    }
    return count
  }

  /** Reserves an address for the login whose Users.ip it is, or gives it back. A lease on it runs to its end. */
  setFixed(address: number, fixed: boolean): void {
    const at = address - this.share.network
    this.#lock.hold(() => {
      const flags = this.#words[this.#flags + at]!
      if (fixed) {
        if ((flags & anyTaken) === 0) this.#freeList.remove(at)
        this.#words[this.#flags + at] = flags | taken.fixed
      } else if (flags & taken.fixed) {
        this.#words[this.#flags + at] = flags & ~taken.fixed
        this.#free(at)
      }
    })
  }

  setState(state: (typeof poolState)[keyof typeof poolState]): void {
    this.#lock.hold(() => {
      this.#words[header.state] = state
    })
  }

  /** All leases, or those of addresses that have this flag as well. */
  leases(flag: number = taken.leased): Lease[] {
    const found: Lease[] = []
    for (let at = 0; at < this.share.size; at++) {
      if ((this.#words[this.#flags + at]! & flag) === 0 || !this.#isLeased(at)) continue
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

  /** Takes over a lease of an earlier memory; false when its address is not free, or of others' by `ownOnly`. */
  adopt(lease: Lease, ownOnly = false): boolean {
    const at = lease.address - this.share.network
    if (!this.contains(lease.address) || this.#isLeased(at)) return false
    if (ownOnly && this.#words[this.#flags + at]! & taken.foreign) return false
    this.#lease(at, lease.loginId, lease.station)
    this.#words[this.#offeredAt + at] = lease.offeredAt
    this.#words[this.#holders + at] = lease.holders
    return true
  }

  /** The free addresses that somebody had, the longest unused first. */
  lastHolders(): Holder[] {
    const found: Holder[] = []
    for (let at = this.#freeList.first; at >= 0; at = this.#freeList.after(at)) {
      if ((this.#words[this.#flags + at]! & indexed) === 0) continue
      const [loginId, station] = [this.#logins[at]!, this.#words[this.#stations + at]!]
      found.push({ address: this.share.network + at, loginId, station })
    }
    return found
  }

  /** Makes it as if the holder had just left the address; without effect when the address is not free. */
  remember({ address, loginId, station }: Holder): void {
    const at = address - this.share.network
    this.#lock.hold(() => {
      if (!this.contains(address) || !this.#isFree(at)) return
      this.#lease(at, loginId, station)
      this.#release(at)
      this.#words[this.#freedAt + at] = 0
    })
  }

  /**
   * Releases the lock of a thread that died while it held it, which would otherwise block the pool. What the thread
   * left half done is put right.
   */
  unlockFor(holder: number): void {
    if (!this.#lock.takeFrom(holder)) return
    for (let at = 0; at < this.share.size; at++) {
      const isUsed = this.#words[this.#offeredAt + at] !== 0 || this.#words[this.#holders + at] !== 0
      if (!isUsed) this.#words[this.#flags + at]! &= ~taken.leased
    }
    this.#buildListAndIndex()
    this.#lock.release()
  }

  #buildListAndIndex(): void {
    const { size } = this.share
    this.#freeList.clear()
    this.#index.clear()
    for (let at = 0; at < size; at++) {
      if (this.#words[this.#flags + at]! & indexed) this.#index.add(at)
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
    return offeredAt !== 0 && offeredAt < before && this.#isLeased(at)
  }

  /** The place that `acquire` leases, or has leased already. */
  #choose(loginId: number, station: number, severalSessions: boolean, now: number): AcquireResult {
    const state = this.#words[header.state]
    if (state === poolState.replaced) return 'replaced'
    const known = this.#find(loginId, station, station === 0 && severalSessions)
    if (known >= 0 && this.#isLeased(known) && !this.#hasLapsed(known, now)) return known
    if (state === poolState.closed || !this.#givesNew()) return 'exhausted'
    if (known >= 0 && (this.#words[this.#flags + known]! & taken.foreign) === 0) return known
    const at = this.#freeList.first
    return at < 0 || this.#rests(at) ? 'exhausted' : at
  }

  /** Whether an offer has lapsed for the other programs, while this one has not ended it yet. */
  #hasLapsed(at: number, now: number): boolean {
    const isShared = Atomics.load(this.#words, header.newUntil) !== 0
    return isShared && this.#words[this.#holders + at] === 0 && this.#isStale(at, now - offerGraceSeconds)
  }

  #givesNew(): boolean {
    const until = Atomics.load(this.#words, header.newUntil)
    return until === 0 || this.#seconds() < until
  }

  #rests(at: number, from = Atomics.load(this.#words, header.restFrom)): boolean {
    return from !== 0 && this.#words[this.#freedAt + at]! >= from
  }

  #placesOf(first: number, size: number): number[] {
    const from = Math.max(0, first - this.share.network)
    const to = Math.min(this.share.size, first + size - this.share.network)
    return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
  }

  #lease(at: number, loginId: number, station: number): void {
    const flags = this.#words[this.#flags + at]!
    if ((flags & anyTaken) === 0) this.#freeList.remove(at)
    this.#words[this.#flags + at] = flags | taken.leased | indexed
    this.#words[this.#offeredAt + at] = 0
    this.#words[this.#holders + at] = 0
    if (flags & indexed) {
      if (this.#index.isOf(at, loginId, station)) return
      this.#index.remove(at)
    }
    this.#words[this.#stations + at] = station
    this.#logins[at] = loginId
    this.#index.add(at)
  }

  #release(at: number): void {
    this.#forgetEarlier(this.#logins[at]!, this.#words[this.#stations + at]!)
    this.#words[this.#flags + at]! &= ~taken.leased
    this.#words[this.#offeredAt + at] = 0
    this.#words[this.#holders + at] = 0
    this.#words[this.#freedAt + at] = this.#seconds()
    this.#free(at)
  }

  #free(at: number): void {
    if (this.#isFree(at)) this.#freeList.append(at)
  }

  /**
   * The address leased to this login and station, or else one that they had and that is free; -1 when there is none.
   * With `unheldOnly` a lease that a session holds does not count.
   */
  #find(loginId: number, station: number, unheldOnly: boolean): number {
    let free = -1
    const leased = this.#index.find(loginId, station, (at) => {
      if (this.#isFree(at)) free = at
      return this.#isLeased(at) && !(unheldOnly && this.#words[this.#holders + at]! > 0)
    })
    return leased < 0 ? free : leased
  }

  /** Called whenever an address is freed, so there is at most one. */
  #forgetEarlier(loginId: number, station: number): void {
    const at = this.#index.find(loginId, station, (one) => !this.#isLeased(one))
    if (at < 0) return
    this.#index.remove(at)
    this.#words[this.#flags + at]! &= ~indexed
  }
}
