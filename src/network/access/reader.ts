import type { Secrets } from '../../platform/secrets/secrets.ts'
import { AccessRecord } from './record.ts'
import { recordWordsMax, usedBytesOf, word } from './record-layout.ts'
import { type Chunk, chunkIndex, chunkOf, firstWord } from './record-heap.ts'
import { emptyRef, removedRef } from './ref-index.ts'
import { fence, type SharedHandle, SharedView } from './shared.ts'
import { hashLogin, hashNumber } from './station.ts'
import type { NameMatch } from './login-names.ts'
import type { TableShare } from './table.ts'

/**
 * The writer holds a record for about a microsecond, or longer when its thread was suspended in the middle of a write;
 * the reader then sleeps so that the writer can go on. After two seconds the writer must be dead.
 */
const spinsBeforeSleep = 1000
const sleepsMax = 2000
const sleepMs = 1
const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * The access table as a RADIUS worker sees it. A lookup copies the record into `record` under its sequence word, so
 * what is read afterwards is a consistent snapshot. Nothing is allocated.
 */
export class AccessReader {
  readonly record = new AccessRecord()
  readonly #view: SharedView<TableShare>
  #chunks: Chunk[] = []
  #byLogin: Int32Array = new Int32Array(2)
  #byMac: Int32Array = new Int32Array(2)
  readonly #secrets: Secrets | null

  /** `secrets` may be left out where nobody looks at passwords. */
  constructor(handle: SharedHandle<TableShare>, secrets: Secrets | null = null) {
    this.#secrets = secrets
    this.#view = new SharedView(handle)
    this.#take(this.#view.value)
  }

  /** True when the login is known; `record` then holds its copy. */
  findLogin(login: Uint8Array, start = 0, end = login.length): boolean {
    return this.#find(hashLogin(login, start, end), login, start, end, -1)
  }

  /**
   * Looks for the only login that differs from this one at most in the case of letters; only for `one` does `record`
   * hold it.
   */
  findLoginAnyCase(login: Uint8Array, start = 0, end = login.length): NameMatch {
    const hash = hashLogin(login, start, end)
    for (;;) {
      this.refresh()
      const found = this.#probeAnyCase(this.#byLogin, hash, login, start, end)
      if (found !== again) return found
    }
  }

  /** True when a login has this MAC (parseMac). */
  findMac(mac: number): boolean {
    return this.#find(hashNumber(mac), noBytes, 0, 0, mac)
  }

  /**
   * Opens a password that the writer has read and not opened yet, in `record`. One that cannot be opened becomes empty,
   * which no request can match.
   */
  openPassword(): void {
    this.record.openPassword(this.#secrets?.openOrNull(this.record.passwordText()) ?? '')
  }

  /**
   * Follows the growth of the shared memory; cheap while nothing has grown. Every lookup and a timer of the worker call
   * it.
   */
  refresh(): void {
    if (this.#view.refresh()) this.#take(this.#view.value)
  }

  close(): void {
    this.#view.close()
  }

  /** Finds a login by its MAC when that is not -1, otherwise by name. */
  #find(hash: number, login: Uint8Array, start: number, end: number, mac: number): boolean {
    for (;;) {
      this.refresh()
      const found = this.#probe(mac >= 0 ? this.#byMac : this.#byLogin, hash, login, start, end, mac)
      if (found !== again) return found === 1
    }
  }

  #probe(slots: Int32Array, hash: number, login: Uint8Array, start: number, end: number, mac: number): Found {
    const mask = (slots.length >> 1) - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const ref = Atomics.load(slots, slot * 2 + 1)
      if (ref === emptyRef) break
      if (ref === removedRef || slots[slot * 2] !== hash) continue
      const chunk = this.#chunks[chunkIndex(ref)]
      if (chunk === undefined) return again
      if (this.#copy(chunk.words, firstWord(ref))) {
        if (mac >= 0 ? this.record.mac === mac : this.record.hasLogin(login, start, end)) return 1
      }
      // Either another key has this hash, or the record moved during the lookup.
      if (Atomics.load(slots, slot * 2 + 1) !== ref) return again
    }
    // A rebuilt index may have the key that the searched one lacks.
    return this.#view.refresh() ? this.#takeAgain() : 0
  }

  #probeAnyCase(
    slots: Int32Array,
    hash: number,
    login: Uint8Array,
    start: number,
    end: number,
  ): NameMatch | typeof again {
    const { record } = this
    const mask = (slots.length >> 1) - 1
    let found = emptyRef
    let loginId = 0
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const ref = Atomics.load(slots, slot * 2 + 1)
      if (ref === emptyRef) break
      if (ref === removedRef || slots[slot * 2] !== hash) continue
      const chunk = this.#chunks[chunkIndex(ref)]
      if (chunk === undefined) return again
      if (this.#copy(chunk.words, firstWord(ref)) && record.hasLoginAnyCase(login, start, end)) {
        // A login that is being renamed may be found twice.
        if (found !== emptyRef && record.loginId !== loginId) return 'several'
        found = ref
        loginId = record.loginId
      }
      if (Atomics.load(slots, slot * 2 + 1) !== ref) return again
    }
    if (found === emptyRef) return this.#view.refresh() ? this.#takeAgain() : 'none'
    // Other records may have been copied since.
    const { words } = this.#chunks[chunkIndex(found)]!
    return this.#copy(words, firstWord(found)) && record.hasLoginAnyCase(login, start, end) ? 'one' : again
  }

  /**
   * Copies a block into `record`; false when the block is empty. Throws when the writer died in the middle of a write.
   */
  #copy(words: Int32Array, first: number): boolean {
    const to = this.record.words
    for (let spins = 1; spins < spinsBeforeSleep * sleepsMax; spins++) {
      const before = Atomics.load(words, first)
      if (before & 1) {
        if (spins % spinsBeforeSleep === 0) Atomics.wait(sleeper, 0, 0, sleepMs)
        continue
      }
      const used = usedBytesOf(words[first + word.size]!)
      // An inconsistent length only makes this copy too much, because the copy is then discarded.
      const count = Math.min((used + 3) >> 2, recordWordsMax)
      for (let index = 1; index < count; index++) to[index] = words[first + index]!
      fence()
      if (Atomics.load(words, first) === before) return used !== 0
    }
    throw new Error('The writer of the access table has stopped in the middle of a record.')
  }

  #takeAgain(): typeof again {
    this.#take(this.#view.value)
    return again
  }

  #take(share: TableShare): void {
    for (let index = this.#chunks.length; index < share.chunks.length; index++) {
      this.#chunks.push(chunkOf(share.chunks[index]!))
    }
    this.#byLogin = share.byLogin
    this.#byMac = share.byMac
  }
}

/** `again`: the memory changed during the lookup, which must start over. */
type Found = 0 | 1 | typeof again
const again = -1
const noBytes = new Uint8Array(0)
