import type { AccessEntry } from '../../domain/access.ts'
import { type AttributeKey, keyBit, keyBits } from '../radius/wire/attribute-key.ts'
import { loginPasswordOf } from '../../domain/login-password.ts'
import { smallLetter } from '../../domain/realms.ts'
import type { Reply } from './replies.ts'

/**
 * Everything that an answer to an Access-Request needs of one login. Its live sessions are stored separately and
 * survive a rewrite.
 */
export type AccessFields = Omit<Reply, 'ip'> & {
  loginId: number
  subscriberId: number
  organizationId: number
  login: string
  /** As it is stored (domain/login-password.ts), opened, which exists in memory only. */
  password: string
  /** 48 bits, -1 when there is none. */
  mac: number
  /** Users.ip as a 32-bit number; -1 when there is none. */
  ip: number
  /** 0 when the login has no pool. */
  poolId: number
  /** As RFC 3162 section 2.3 encodes them: a reserved octet, the prefix length, 16 octets. */
  ipv6Prefix: Uint8Array | null
  delegatedIpv6Prefix: Uint8Array | null
  simultaneousUse: number
  downKbit: number
  upKbit: number
  /** 1 to 4094; 0 for none. */
  vlan: number
  /** Whether the VLAN is the login's own and not its tariff's. */
  hasOwnVlan: boolean
  walledGarden: boolean
  access: AccessPart
}

/**
 * What the ledger decides about a login, rewritten in place at every commit. Times are epoch seconds; 0 means never.
 */
export type AccessPart = {
  /**
   * The account that decided it (0: none) and the version of that account. An older version never overwrites a newer
   * one.
   */
  accountId: number
  accountVersion: number
} & Pick<
  AccessEntry,
  'deleted' | 'disabledByHand' | 'loginEnabled' | 'subscriberEnabled' | 'blockBits' | 'asleepUntil' | 'accessEnd'
>

/** Octets of an IPv6 prefix attribute. */
export const prefixBytes = 18
/** Live sessions of one login beyond this number are counted, but their stations are not remembered. */
export const stationsMax = 16

/** Indexes of the 32-bit words of the fixed header. A name that ends in 64 holds a float64 and has an even index. */
export const word = {
  /** Odd while the record is being written. */
  sequence: 0,
  usedBytes: 1,
  loginId64: 2,
  subscriberId64: 4,
  accountId64: 6,
  organizationId64: 8,
  poolId64: 10,
  asleepUntil64: 12,
  accessEnd64: 14,
  mac64: 16,
  accountVersion: 18,
  /** The bits of `flag` in the low half, the block bits in the high half. */
  flags: 19,
  ip: 20,
  downKbit: 21,
  upKbit: 22,
  simultaneousUse: 23,
  liveSessions: 24,
  stations: 25,
  stationRoom: 26,
  /**
   * Lengths in the variable part, whose order is: replaced attributes (float64), prefixes (by flag), login, password,
   * user's, tariff's and secret reply, stations.
   */
  loginBytes: 27,
  passwordBytes: 28,
  userReplyBytes: 29,
  tariffReplyBytes: 30,
  replacedCount: 31,
  /** keyBits of the replaced attributes. */
  replacedBits: 32,
  sessionSecondsMax: 33,
  secretReplyBytes: 34,
  vlan: 35,
} as const

/** Even, because float64 follow. */
const headWords = 36
const headBytes = headWords * 4

const flag = {
  deleted: 1,
  disabledByHand: 2,
  loginEnabled: 4,
  subscriberEnabled: 8,
  walledGarden: 16,
  hasIp: 32,
  ipv6Prefix: 64,
  delegatedIpv6Prefix: 128,
  /** The password part is not the clear password but its NT hash, or the text of another hash. */
  ntHash: 256,
  hashedPassword: 512,
  ownVlan: 1024,
} as const

/** The largest size class of a record. Replies are shortened to fit before they get here. */
export const recordBytesMax = 8192
export const recordWordsMax = recordBytesMax / 4

/** A private copy of a record, read without allocating objects: the same instance serves every lookup. */
export class AccessRecord implements AccessEntry {
  readonly bytes: Uint8Array
  readonly words: Int32Array
  readonly #floats: Float64Array
  /** The end of what fill has written so far. */
  #end = 0

  constructor() {
    const memory = new ArrayBuffer(recordBytesMax)
    this.bytes = new Uint8Array(memory)
    this.words = new Int32Array(memory)
    this.#floats = new Float64Array(memory)
  }

  get loginId() {
    return this.#float(word.loginId64)
  }
  get subscriberId() {
    return this.#float(word.subscriberId64)
  }
  get accountId() {
    return this.#float(word.accountId64)
  }
  get organizationId() {
    return this.#float(word.organizationId64)
  }
  get poolId() {
    return this.#float(word.poolId64)
  }
  get asleepUntil() {
    return this.#float(word.asleepUntil64)
  }
  get accessEnd() {
    return this.#float(word.accessEnd64)
  }
  get mac() {
    return this.#float(word.mac64)
  }
  get accountVersion() {
    return this.#word(word.accountVersion)
  }
  get deleted() {
    return this.#has(flag.deleted)
  }
  get disabledByHand() {
    return this.#has(flag.disabledByHand)
  }
  get loginEnabled() {
    return this.#has(flag.loginEnabled)
  }
  get subscriberEnabled() {
    return this.#has(flag.subscriberEnabled)
  }
  get walledGarden() {
    return this.#has(flag.walledGarden)
  }
  /** What the password part holds: the clear password, 16 bytes of NT hash, or another hash as it is stored. */
  get passwordKind(): 'clear' | 'nt' | 'hash' {
    if (this.#has(flag.ntHash)) return 'nt'
    return this.#has(flag.hashedPassword) ? 'hash' : 'clear'
  }
  get blockBits() {
    return this.#word(word.flags) >>> 16
  }
  /** -1 when the address is not fixed. */
  get ip() {
    return this.#has(flag.hasIp) ? this.#word(word.ip) >>> 0 : -1
  }
  /** Whether its address comes from a pool; otherwise it is `ip`, which may be none. */
  get takesPoolAddress() {
    return this.ip < 0 && this.poolId !== 0
  }
  get downKbit() {
    return this.#word(word.downKbit)
  }
  get upKbit() {
    return this.#word(word.upKbit)
  }
  /** 0 for none. */
  get vlan() {
    return this.#word(word.vlan)
  }
  get hasOwnVlan() {
    return this.#has(flag.ownVlan)
  }
  get simultaneousUse() {
    return this.#word(word.simultaneousUse)
  }
  get liveSessions() {
    return this.#word(word.liveSessions)
  }
  get stationRoom() {
    return this.#word(word.stationRoom)
  }
  get sessionSecondsMax() {
    return this.#word(word.sessionSecondsMax) >>> 0
  }
  get replacedBits() {
    return this.#word(word.replacedBits)
  }
  get hasIpv6Prefix() {
    return this.#has(flag.ipv6Prefix)
  }
  get hasDelegatedIpv6Prefix() {
    return this.#has(flag.delegatedIpv6Prefix)
  }

  // Offsets in `bytes`; each part ends where the next one begins.
  get ipv6PrefixAt() {
    return headBytes + this.#word(word.replacedCount) * 8
  }
  get delegatedIpv6PrefixAt() {
    return this.ipv6PrefixAt + (this.hasIpv6Prefix ? prefixBytes : 0)
  }
  get loginAt() {
    return this.delegatedIpv6PrefixAt + (this.hasDelegatedIpv6Prefix ? prefixBytes : 0)
  }
  get passwordAt() {
    return this.loginAt + this.#word(word.loginBytes)
  }
  /** A login with an empty password is rejected, whatever is sent. */
  get hasPassword() {
    return this.#word(word.passwordBytes) > 0
  }
  get userReplyAt() {
    return this.passwordAt + this.#word(word.passwordBytes)
  }
  get tariffReplyAt() {
    return this.userReplyAt + this.#word(word.userReplyBytes)
  }
  get tariffReplyEnd() {
    return this.tariffReplyAt + this.#word(word.tariffReplyBytes)
  }
  get secretReplyEnd() {
    return this.tariffReplyEnd + this.#word(word.secretReplyBytes)
  }

  /** Whether the replies of login and tariff have the attribute instead of ours. */
  replaces(key: AttributeKey): boolean {
    if ((this.replacedBits & keyBit(key)) === 0) return false
    const count = this.#word(word.replacedCount)
    for (let index = 0; index < count; index++) if (this.#floats[headWords / 2 + index] === key) return true
    return false
  }

  /** An integer attribute of the RFCs in the replies of login and tariff; 0 when they do not have it. */
  replyInteger(type: number): number {
    const { bytes, tariffReplyEnd } = this
    for (let at = this.userReplyAt; at < tariffReplyEnd; at += bytes[at + 1]!) {
      if (bytes[at] === type) return Buffer.from(bytes.buffer, at + 2, 4).readUInt32BE()
    }
    return 0
  }

  hasStation(station: number): boolean {
    const first = this.#stationWord()
    const count = this.#word(word.stations)
    for (let index = 0; index < count; index++) if (this.words[first + index] === (station | 0)) return true
    return false
  }

  hasLogin(login: Uint8Array, start: number, end: number): boolean {
    const length = end - start
    if (this.#word(word.loginBytes) !== length) return false
    const at = this.loginAt
    for (let index = 0; index < length; index++) if (this.bytes[at + index] !== login[start + index]) return false
    return true
  }

  /** As hasLogin, with capital and small Latin letters taken as equal. */
  hasLoginAnyCase(login: Uint8Array, start: number, end: number): boolean {
    const length = end - start
    if (this.#word(word.loginBytes) !== length) return false
    const at = this.loginAt
    for (let index = 0; index < length; index++)
      if (smallLetter(this.bytes[at + index]!) !== smallLetter(login[start + index]!)) return false
    return true
  }

  login(): string {
    return Buffer.from(this.bytes.buffer, this.loginAt, this.#word(word.loginBytes)).toString()
  }

  stationList(): number[] {
    const first = this.#stationWord()
    return Array.from(this.words.subarray(first, first + this.#word(word.stations)))
  }

  setStations(stations: readonly number[], room: number): void {
    this.words[word.stations] = stations.length
    this.words[word.stationRoom] = room
    const first = this.#stationWord()
    for (let index = 0; index < room; index++) this.words[first + index] = stations[index] ?? 0
    this.words[word.usedBytes] = (first + room) * 4
  }

  setAccess(access: AccessPart): void {
    const kept = this.#word(word.flags) & 0xffff & ~accessFlags
    this.words[word.flags] = kept | accessFlagsOf(access) | (access.blockBits << 16)
    this.#floats[word.accountId64 >> 1] = access.accountId
    this.words[word.accountVersion] = access.accountVersion
    this.#floats[word.asleepUntil64 >> 1] = access.asleepUntil
    this.#floats[word.accessEnd64 >> 1] = access.accessEnd
  }

  access(): AccessPart {
    return {
      accountId: this.accountId,
      accountVersion: this.accountVersion,
      deleted: this.deleted,
      disabledByHand: this.disabledByHand,
      loginEnabled: this.loginEnabled,
      subscriberEnabled: this.subscriberEnabled,
      blockBits: this.blockBits,
      asleepUntil: this.asleepUntil,
      accessEnd: this.accessEnd,
    }
  }

  /** Fills this copy from `fields`, with no live sessions. */
  fill(fields: AccessFields): void {
    const { words } = this
    words.fill(0, 0, headWords)
    this.#floats[word.loginId64 >> 1] = fields.loginId
    this.#floats[word.subscriberId64 >> 1] = fields.subscriberId
    this.#floats[word.organizationId64 >> 1] = fields.organizationId
    this.#floats[word.poolId64 >> 1] = fields.poolId
    this.#floats[word.mac64 >> 1] = fields.mac
    const password = loginPasswordOf(fields.password)
    words[word.flags] =
      (password.kind === 'nt' ? flag.ntHash : password.kind === 'clear' ? 0 : flag.hashedPassword) |
      (fields.walledGarden ? flag.walledGarden : 0) |
      (fields.hasOwnVlan ? flag.ownVlan : 0) |
      (fields.ip >= 0 ? flag.hasIp : 0) |
      (fields.ipv6Prefix ? flag.ipv6Prefix : 0) |
      (fields.delegatedIpv6Prefix ? flag.delegatedIpv6Prefix : 0)
    words[word.ip] = fields.ip >= 0 ? fields.ip | 0 : 0
    words[word.downKbit] = fields.downKbit
    words[word.upKbit] = fields.upKbit
    words[word.vlan] = fields.vlan
    words[word.simultaneousUse] = fields.simultaneousUse
    this.setAccess(fields.access)
    const { replaced } = fields
    words[word.replacedCount] = replaced.length
    words[word.replacedBits] = keyBits(replaced)
    words[word.sessionSecondsMax] = fields.sessionSecondsMax
    this.#floats.set(replaced, headWords / 2)
    this.#end = headBytes + replaced.length * 8
    if (fields.ipv6Prefix) this.#put(fields.ipv6Prefix)
    if (fields.delegatedIpv6Prefix) this.#put(fields.delegatedIpv6Prefix)
    words[word.loginBytes] = this.#putText(fields.login)
    const { kind } = password
    words[word.passwordBytes] =
      kind === 'nt' ? this.#put(password.hash) : this.#putText(kind === 'clear' ? password.text : fields.password)
    words[word.userReplyBytes] = this.#put(fields.userReply)
    words[word.tariffReplyBytes] = this.#put(fields.tariffReply)
    words[word.secretReplyBytes] = this.#put(fields.secretReply)
    this.setStations([], 1)
  }

  /** Appends a part and returns its length. */
  #put(part: Uint8Array): number {
    const { length } = part
    if (length === 0) return 0
    this.#requireRoom(length)
    this.bytes.set(part, this.#end)
    this.#end += length
    return length
  }

  /** The same with UTF-8. Nearly every login and password is ASCII, which needs no encoder. */
  #putText(text: string): number {
    const { length } = text
    this.#requireRoom(length)
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index)
      if (unit > 0x7f) return this.#put(Buffer.from(text))
      this.bytes[this.#end + index] = unit
    }
    this.#end += length
    return length
  }

  #requireRoom(length: number): void {
    if (this.#end + length + stationsMax * 4 + 4 > recordBytesMax)
      throw new RangeError(`The record of login ${this.loginId} is too long for the access table.`)
  }

  #word(index: number): number {
    return this.words[index]!
  }
  #float(index: number): number {
    return this.#floats[index >> 1]!
  }
  #has(bit: number): boolean {
    return (this.words[word.flags]! & bit) !== 0
  }
  /** The stations begin at the first whole word after the replies. */
  #stationWord(): number {
    return (this.secretReplyEnd + 3) >> 2
  }
}

const accessFlags = flag.deleted | flag.disabledByHand | flag.loginEnabled | flag.subscriberEnabled

const accessFlagsOf = (access: AccessPart) =>
  (access.deleted ? flag.deleted : 0) |
  (access.disabledByHand ? flag.disabledByHand : 0) |
  (access.loginEnabled ? flag.loginEnabled : 0) |
  (access.subscriberEnabled ? flag.subscriberEnabled : 0)
