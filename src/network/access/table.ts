import { exactNames, findByName, type LoginLookup, type NameMatch, type NameRules } from './login-names.ts'
import { type AccessFields, type AccessPart, AccessRecord } from './record.ts'
import { chunkIndex, firstWord, RecordHeap, sizeClassOf, suits } from './record-heap.ts'
import { stationsMax, usedBytesOf, word } from './record-layout.ts'
import { RefIndex } from './ref-index.ts'
import { fence, type SharedHandle, SharedValue } from './shared.ts'
import { hashLogin, hashNumber } from './station.ts'

/** The buffers a reader needs. */
export type TableShare = { chunks: SharedArrayBuffer[]; byLogin: Int32Array; byMac: Int32Array }

/**
 * The access table: everything that answers to Access-Requests need, in shared memory. The main thread is its only
 * writer; RADIUS workers read it through AccessReader. Each record is guarded by a sequence word (a seqlock), which is
 * odd during a write and has another value after it. A record that outgrows its block moves: the new block is complete
 * before the indexes refer to it, and the old block is emptied afterwards.
 */
export class AccessTable implements LoginLookup {
  readonly #heap = new RecordHeap(() => this.#publish())
  readonly #byLogin: RefIndex
  readonly #byMac: RefIndex
  readonly #byId: RefIndex
  readonly #shared: SharedValue<TableShare>
  /** The writer's own copy of the record that was looked up last. */
  readonly record = new AccessRecord()
  readonly #new = new AccessRecord()

  constructor(expectedLogins = 1024) {
    let slots = 1024
    while (slots < expectedLogins * 1.5) slots *= 2
    this.#byLogin = new RefIndex(slots, () => this.#publish())
    this.#byMac = new RefIndex(slots, () => this.#publish())
    this.#byId = new RefIndex(slots, () => {})
    this.#shared = new SharedValue(this.#share())
  }

  get size(): number {
    return this.#byId.count
  }

  /** Bytes of shared memory in use: the records and the two shared indexes. */
  get usedBytes(): number {
    return this.#heap.usedBytes + this.#byLogin.slots.byteLength + this.#byMac.slots.byteLength
  }

  handle(): SharedHandle<TableShare> {
    return this.#shared.handle()
  }

  close(): void {
    this.#shared.close()
  }

  /** Writes everything of a login except its live sessions, which stay. */
  put(fields: AccessFields): void {
    const record = this.#new
    record.fill(fields)
    const ref = this.#find(fields.loginId)
    if (ref !== 0) {
      const old = this.#load(ref)
      record.words[word.liveSessions] = old.liveSessions
      record.setStations(old.stationList(), old.stationRoom)
    }
    this.#write(ref)
  }

  /** Rewrites in place what the ledger decides; false when the login is not in the table. */
  setAccess(loginId: number, access: AccessPart): boolean {
    const ref = this.#copyToNew(loginId)
    if (ref === 0) return false
    this.#new.setAccess(access)
    this.#overwrite(ref)
    return true
  }

  /** The password of a login as it was read, when it has not been opened yet. */
  sealedPassword(loginId: number): string | null {
    const record = this.get(loginId)
    return record?.isSealed ? record.passwordText() : null
  }

  /** Writes `stored`, which `sealed` holds, unless the login has another password by now. */
  openPassword(loginId: number, sealed: string, stored: string): void {
    const ref = this.#copyToNew(loginId)
    if (ref === 0 || !this.#new.isSealed || this.#new.passwordText() !== sealed) return
    this.#new.openPassword(stored)
    this.#write(ref)
  }

  addSession(loginId: number, station: number): boolean {
    const ref = this.#copyToNew(loginId)
    if (ref === 0) return false
    const record = this.#new
    const stations = record.stationList()
    record.words[word.liveSessions]!++
    if (station !== 0 && stations.length < stationsMax) {
      stations.push(station)
      record.setStations(stations, Math.max(record.stationRoom, stations.length))
    }
    this.#write(ref)
    return true
  }

  removeSession(loginId: number, station: number): boolean {
    const ref = this.#copyToNew(loginId)
    if (ref === 0) return false
    const record = this.#new
    const stations = record.stationList()
    record.words[word.liveSessions] = Math.max(0, record.liveSessions - 1)
    const at = stations.indexOf(station | 0)
    if (at >= 0) stations.splice(at, 1)
    record.setStations(stations, record.stationRoom)
    this.#overwrite(ref)
    return true
  }

  remove(loginId: number): boolean {
    const ref = this.#find(loginId)
    if (ref === 0) return false
    const old = this.#load(ref)
    this.#byLogin.remove(loginHash(old), ref)
    if (old.mac >= 0) this.#byMac.remove(hashNumber(old.mac), ref)
    this.#byId.remove(hashNumber(loginId), ref)
    this.#empty(ref)
    return true
  }

  /** The writer's own copy of a record, valid until the next call; null when there is none. */
  get(loginId: number): AccessRecord | null {
    const ref = this.#find(loginId)
    return ref === 0 ? null : this.#load(ref)
  }

  /** The login that a User-Name means. */
  findByName(userName: string | Uint8Array, rules: NameRules = exactNames): AccessRecord | null {
    const name = typeof userName === 'string' ? Buffer.from(userName) : userName
    return findByName(this, name, 0, name.length, rules) === 'found' ? this.record : null
  }

  /** True when the login is known; `record` then holds its copy. */
  findLogin(login: Uint8Array, from: number, to: number): boolean {
    const hash = hashLogin(login, from, to)
    return this.#byLogin.find(hash, (ref) => this.#load(ref).hasLogin(login, from, to)) !== 0
  }

  /**
   * Looks for the only login that differs from this one at most in the case of letters; only for `one` does `record`
   * hold it.
   */
  findLoginAnyCase(login: Uint8Array, from = 0, to: number = login.length): NameMatch {
    let found = 0
    let isAmbiguous = false
    this.#byLogin.find(hashLogin(login, from, to), (ref) => {
      if (!this.#load(ref).hasLoginAnyCase(login, from, to)) return false
      isAmbiguous = found !== 0
      found = ref
      return isAmbiguous
    })
    if (isAmbiguous) return 'several'
    if (found === 0) return 'none'
    this.#load(found)
    return 'one'
  }

  findMac(mac: number): AccessRecord | null {
    const ref = this.#byMac.find(hashNumber(mac), (ref) => this.#load(ref).mac === mac)
    return ref === 0 ? null : this.#load(ref)
  }

  /** Calls back for every login id. The table must not be changed meanwhile. */
  forEachLoginId(callback: (loginId: number) => void): void {
    const { slots } = this.#byId
    for (let at = 1; at < slots.length; at += 2) {
      const ref = slots[at]!
      if (ref > 0) callback(this.#loginIdAt(ref))
    }
  }

  /** Calls back for every record, each valid until the next. The table must not be changed meanwhile. */
  forEach(callback: (record: AccessRecord) => void): void {
    const { slots } = this.#byId
    for (let at = 1; at < slots.length; at += 2) {
      const ref = slots[at]!
      if (ref > 0) callback(this.#load(ref))
    }
  }

  /** Stores `#new`: in place when its block suits it, otherwise in a new block. */
  #write(ref: number): void {
    const record = this.#new
    const needed = sizeClassOf(usedBytesOf(record.words[word.size]!))
    if (ref === 0) {
      const fresh = this.#heap.allocate(needed)
      this.#overwrite(fresh, needed)
      this.#byId.insert(hashNumber(record.loginId), fresh)
      this.#byLogin.insert(loginHash(record), fresh)
      if (record.mac >= 0) this.#byMac.insert(hashNumber(record.mac), fresh)
      return
    }
    const old = this.#load(ref)
    const blockClass = this.#blockClass(ref)
    const stays = suits(blockClass, needed)
    const target = stays ? ref : this.#heap.allocate(needed)
    this.#overwrite(target, stays ? blockClass : needed)
    redirect(this.#byLogin, loginHash(old), ref, loginHash(record), target)
    redirect(this.#byMac, macHash(old), ref, macHash(record), target)
    if (stays) return
    this.#byId.replace(hashNumber(record.loginId), ref, target)
    this.#empty(ref)
  }

  #overwrite(ref: number, blockClass = this.#blockClass(ref)): void {
    const { words } = this.#heap.chunks[chunkIndex(ref)]!
    const first = firstWord(ref)
    const from = this.#new.words
    const used = usedBytesOf(from[word.size]!)
    const count = (used + 3) >> 2
    from[word.size] = used | (blockClass << 16)
    const sequence = words[first]!
    Atomics.store(words, first, sequence + 1)
    fence()
    for (let index = 1; index < count; index++) words[first + index] = from[index]!
    Atomics.store(words, first, (sequence + 2) | 0)
  }

  #empty(ref: number): void {
    const blockClass = this.#blockClass(ref)
    const { words } = this.#heap.chunks[chunkIndex(ref)]!
    const first = firstWord(ref)
    const sequence = words[first]!
    Atomics.store(words, first, sequence + 1)
    fence()
    words[first + word.size] = 0
    Atomics.store(words, first, (sequence + 2) | 0)
    this.#heap.release(ref, blockClass)
  }

  #copyToNew(loginId: number): number {
    const ref = this.#find(loginId)
    if (ref !== 0) this.#copy(ref, this.#new)
    return ref
  }

  #load(ref: number): AccessRecord {
    this.#copy(ref, this.record)
    return this.record
  }

  #copy(ref: number, to: AccessRecord): void {
    const { words } = this.#heap.chunks[chunkIndex(ref)]!
    const first = firstWord(ref)
    const count = (usedBytesOf(words[first + word.size]!) + 3) >> 2
    for (let index = 1; index < count; index++) to.words[index] = words[first + index]!
  }

  #find(loginId: number): number {
    return this.#byId.find(hashNumber(loginId), (ref) => this.#loginIdAt(ref) === loginId)
  }

  #blockClass(ref: number): number {
    return this.#heap.chunks[chunkIndex(ref)]!.words[firstWord(ref) + word.size]! >>> 16
  }

  #loginIdAt(ref: number): number {
    return this.#heap.chunks[chunkIndex(ref)]!.floats[(firstWord(ref) + word.loginId64) >> 1]!
  }

  #share(): TableShare {
    return { chunks: [...this.#heap.buffers], byLogin: this.#byLogin.slots, byMac: this.#byMac.slots }
  }

  #publish(): void {
    this.#shared.publish(this.#share())
  }
}

const loginHash = (record: AccessRecord) => hashLogin(record.bytes, record.loginAt, record.passwordAt)
const noHash = null
const macHash = (record: AccessRecord) => (record.mac >= 0 ? hashNumber(record.mac) : noHash)

/**
 * Makes an index lead to `target` by its new key. Meanwhile a reader finds the record by the old key, the new key or
 * both.
 */
function redirect(index: RefIndex, oldHash: number | null, ref: number, newHash: number | null, target: number): void {
  if (oldHash === newHash) {
    if (oldHash !== null && target !== ref) index.replace(oldHash, ref, target)
    return
  }
  if (newHash !== null) index.insert(newHash, target)
  if (oldHash !== null) index.remove(oldHash, ref)
}
