import { randomBytes } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { emailForm } from '../../domain/contacts.ts'
import { normalMac } from '../../domain/mac.ts'
import { formatRubles, type Money, plus, zero } from '../../domain/money.ts'
import { simultaneousUseRange, vlanRange } from '../../domain/nas.ts'
import { lineInOneChunk } from '../importing/chunks.ts'
import type { ColumnName } from '../importing/columns.ts'
import type { Dictionaries, Names } from '../importing/names.ts'
import { openAccount } from '../importing/opening.ts'
import { type MovedColumns, movedRow } from '../importing/staging.ts'
import { isPlain, type LineReading, passwordMax, readSubscriber } from '../importing/subscriber-line.ts'
import type { Findings } from './findings.ts'
import { kopecks } from './money.ts'
import { clean, commentMax } from './plain-text.ts'
import type { MovedLogin, MovedPassword, MovedSubscriber } from './records.ts'
import { type ReplyFault, usableLines } from './reply-lines.ts'

export type RowParts = {
  readonly findings: Findings
  readonly dictionaries: Dictionaries
  readonly pools: Names
  readonly replyFault: ReplyFault
  /** Of a password; null in a dry run, which keeps none. */
  readonly sealed: (password: string) => string | null
  readonly now: Date
  /** From when on subscribers are charged; null: from when they are made. */
  readonly chargedFrom: Date | null
  /** How many sessions a login may have of which the source does not say it. */
  readonly sessions: number | null
}

/** A promise payment that is to be given here too. */
export type OpenPromise = {
  readonly place: string
  readonly contractNumber: string
  readonly amount: Money
  readonly until: Date
}

/** Lines of the staging table. Those of one subscriber, with his logins, are in one chunk. */
export class SubscriberRows {
  /** Of those that came so far. */
  readonly promises: OpenPromise[] = []
  readonly #parts: RowParts
  #next = 1

  constructor(parts: RowParts) {
    this.#parts = parts
  }

  /** A line for the subscriber with his first login, and one for each further one. */
  of(subscriber: MovedSubscriber): string {
    const { findings } = this.#parts
    const { logins } = subscriber
    const count = Math.max(1, logins.length)
    const first = lineInOneChunk(this.#next, count)
    this.#next = first + count
    findings.subscribers.there++
    findings.logins.there += logins.length
    const { place, contractNumber, promise } = subscriber
    if (promise !== null) this.promises.push({ place, contractNumber, ...promise })
    const { amount, isRounded } = kopecks(subscriber.balance)
    if (isRounded) findings.note('remark', subscriber.place, 'the balance is rounded to the kopeck')
    findings.balances.there = plus(findings.balances.there, amount)
    const whole = { ...subscriber, balance: amount }
    let rows = ''
    for (let at = 0; at < count; at++) rows += this.#row(first + at, at === 0 ? null : first, whole, logins[at] ?? null)
    return rows
  }

  #row(line: number, ofLine: number | null, subscriber: MovedSubscriber, login: MovedLogin | null): string {
    const { dictionaries, sealed, now } = this.#parts
    const stored = login === null ? null : this.#password(login)
    const moved = this.#moved(ofLine, subscriber, login)
    const texts = this.#texts(subscriber, login, stored)
    const reading = withoutControl(
      readSubscriber(line, (name) => texts[name] ?? null, dictionaries),
      texts,
    )
    if (reading.kind === 'bad') {
      // What the staging table does not keep of a line that is not moved in.
      this.#left(ofLine === null ? subscriber.balance : zero, login !== null && reading.login === null)
      return movedRow(reading, null, null, moved)
    }
    const { balance, limit } = reading.subscriber
    const opening = ofLine === null ? openAccount(balance, limit ?? zero, now, subscriber.blocked) : null
    return movedRow(reading, opening, stored === null ? null : sealed(stored), moved)
  }

  #left(balance: Money, isLogin: boolean): void {
    const { balances, logins } = this.#parts.findings
    balances.left = plus(balances.left, balance)
    if (isLogin) logins.left++
  }

  #texts(subscriber: MovedSubscriber, login: MovedLogin | null, password: string | null): Texts {
    const { place, contractNumber, name, email, phone, tariff, balance, limit } = subscriber
    const isMail = email === null || (email.length <= 254 && emailForm.test(email))
    if (!isMail) this.#remark(place, 'the e-mail address is none and is left out')
    return {
      contract_number: contractNumber,
      name: clean(name, 255) ?? contractNumber,
      login: login?.login ?? null,
      password,
      ip: this.#checked(login, 'ip', isIPv4),
      mac: this.#checked(login, 'mac', (mac) => normalMac(mac) !== null),
      tarif: tariff === null ? null : (clean(tariff, 255) ?? null),
      balance: formatRubles(balance),
      limit: limit === null ? null : formatRubles(limit),
      email: isMail ? email : null,
      phone: clean(phone, 255),
    }
  }

  #moved(ofLine: number | null, subscriber: MovedSubscriber, login: MovedLogin | null): MovedColumns {
    const { company, address, comment, blocked } = subscriber
    const place = clean(login?.place ?? subscriber.place, 255)!
    const { sessions, chargedFrom } = this.#parts
    const reply = login === null ? [] : usableLines(this.#parts, place, login.reply)
    return {
      ...{ place, ofLine, company, blocked, chargedFrom },
      address: clean(address, commentMax),
      comment: clean(comment, commentMax),
      ipv6Prefix: this.#checked(login, 'ipv6Prefix', isPrefix),
      delegatedIpv6Prefix: this.#checked(login, 'delegatedIpv6Prefix', isPrefix),
      poolId: this.#pool(login),
      simultaneousUse: login === null ? null : (this.#sessions(login) ?? sessions),
      vlan: this.#vlan(login),
      radiusReply: reply.length === 0 ? null : JSON.stringify(reply),
      isDisabled: login?.disabled ?? false,
    }
  }

  /** A login comes with a password that nobody knows where that of the source cannot be read. */
  #password({ place, password }: MovedLogin): string {
    const why = whyUnreadable(password)
    if (why === null && password.kind === 'readable') return password.stored
    this.#remark(place, `the password ${why}; the login has one that nobody knows until another is set`)
    return randomBytes(18).toString('base64url')
  }

  #checked(
    login: MovedLogin | null,
    name: 'ip' | 'mac' | 'ipv6Prefix' | 'delegatedIpv6Prefix',
    isGood: (text: string) => boolean,
  ): string | null {
    const value = login?.[name] ?? null
    if (login === null || value === null || isGood(value)) return value
    this.#remark(login.place, `the ${addressNames[name]} is none and is left out`)
    return null
  }

  #pool(login: MovedLogin | null): string | null {
    if (login === null || login.pool === null) return null
    const found = this.#parts.pools.find(login.pool)
    if (found.kind === 'found') return found.id
    this.#remark(
      login.place,
      `the pool "${login.pool}" is not here, so the login gets its address from the NAS; make the pool before`,
    )
    return null
  }

  #vlan(login: MovedLogin | null): number | null {
    const vlan = login?.vlan ?? null
    if (login === null || vlan === null || isWithin(vlan, vlanRange)) return vlan
    this.#remark(login.place, 'the VLAN is none and is left out')
    return null
  }

  #sessions({ place, simultaneousUse }: MovedLogin): number | null {
    if (simultaneousUse === null || isWithin(simultaneousUse, simultaneousUseRange)) return simultaneousUse
    const { min, max } = simultaneousUseRange
    this.#remark(place, `the number of sessions at once is not from ${min} to ${max} and is left out`)
    return null
  }

  #remark(place: string, text: string): void {
    this.#parts.findings.note('remark', place, text)
  }
}

const isWithin = (value: number, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  Number.isInteger(value) && value >= min && value <= max

type Texts = { readonly [name in ColumnName]?: string | null }

const addressNames = {
  ip: 'address',
  mac: 'MAC address',
  ipv6Prefix: 'IPv6 prefix',
  delegatedIpv6Prefix: 'delegated IPv6 prefix',
} as const

function whyUnreadable(password: MovedPassword): string | null {
  if (password.kind === 'unreadable') return password.why
  if (password.stored.length > passwordMax) return `is longer than ${passwordMax} characters`
  return isPlain(password.stored) ? null : 'has characters that no password here may have'
}

/** What names somebody is not changed to fit. */
function withoutControl(reading: LineReading, texts: Texts): LineReading {
  const names = (['contract_number', 'login'] as const).filter((name) => !isPlain(texts[name] ?? ''))
  if (names.length === 0) return reading
  const faults = names.map((name) => `${name} has a control character, or is not in the encoding of the file`)
  return { kind: 'bad', line: reading.line, faults, contractNumber: null, login: null }
}

function isPrefix(text: string): boolean {
  const [address = '', bits = '128', ...rest] = text.split('/')
  return rest.length === 0 && isIPv6(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= 128
}
