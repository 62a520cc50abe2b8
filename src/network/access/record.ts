import type { AccessEntry } from '../../domain/access.ts'
import { type AttributeKey, keyBit, keyBits } from '../radius/wire/attribute-key.ts'
import { type LoginPassword, loginPasswordOf } from '../../domain/login-password.ts'
import { smallLetter } from '../../domain/realms.ts'
import { flag, headBytes, headWords, prefixBytes, recordBytesMax, stationsMax, word } from './record-layout.ts'
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
  /**
   * The password as it is stored (domain/login-password.ts): decrypted, which it is in memory only, or still encrypted
   * (`isSealed`).
   */
  password: string
  isSealed: boolean
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
  /** Whether openPassword has to come before the password is looked at. */
  get isSealed() {
    return this.#has(flag.sealedPassword)
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

  /** Whether the replies of login and tariff have this attribute in place of the one that the program would write. */
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

  /** The password part: as it is stored, sealed or opened, except that an NT hash is its bytes. */
  passwordText(): string {
    return Buffer.from(this.bytes.buffer, this.passwordAt, this.#word(word.passwordBytes)).toString()
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
    this.words[word.size] = (first + room) * 4
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
    words[word.flags] =
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
    this.#putPassword(fields.password, fields.isSealed)
    words[word.userReplyBytes] = this.#put(fields.userReply)
    words[word.tariffReplyBytes] = this.#put(fields.tariffReply)
    words[word.secretReplyBytes] = this.#put(fields.secretReply)
    this.setStations([], 1)
  }

  /** Replaces the sealed password by `stored`, which it holds. */
  openPassword(stored: string): void {
    const replies = this.bytes.slice(this.userReplyAt, this.secretReplyEnd)
    const stations = this.stationList()
    this.#end = this.passwordAt
    this.#putPassword(stored, false)
    this.#put(replies)
    this.setStations(stations, this.stationRoom)
  }

  #putPassword(stored: string, isSealed: boolean): void {
    const { words } = this
    const password: LoginPassword = isSealed ? { kind: 'clear', text: stored } : loginPasswordOf(stored)
    const { kind } = password
    words[word.flags] = (words[word.flags]! & ~passwordFlags) | (isSealed ? flag.sealedPassword : passwordFlagOf(kind))
    words[word.passwordBytes] =
      kind === 'nt' ? this.#put(password.hash) : this.#putText(kind === 'clear' ? password.text : stored)
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

const passwordFlags = flag.ntHash | flag.hashedPassword | flag.sealedPassword

const passwordFlagOf = (kind: LoginPassword['kind']): number =>
  kind === 'nt' ? flag.ntHash : kind === 'clear' ? 0 : flag.hashedPassword

const accessFlags = flag.deleted | flag.disabledByHand | flag.loginEnabled | flag.subscriberEnabled

const accessFlagsOf = (access: AccessPart) =>
  (access.deleted ? flag.deleted : 0) |
  (access.disabledByHand ? flag.disabledByHand : 0) |
  (access.loginEnabled ? flag.loginEnabled : 0) |
  (access.subscriberEnabled ? flag.subscriberEnabled : 0)
