/**
 * What the money office must do, said once more as simply as it can be: plain kopecks, no versions, no batches, no
 * database. It shares nothing with the program, so that the two can disagree.
 */
type Flag = 'negbal' | 'admin' | 'own'

export type Line = {
  type: number
  kopecks: number
  storno: boolean
  /** Whose it is; null where nobody was named. */
  of: RefSubscriber | null
  /** When it was recorded, and in which month. */
  at: number
  month: string
}

type RefPromise = { kopecks: number; until: number; line: Line; usluga: number }

export type RefSubscriber = {
  account: number
  deleted: boolean
  flags: Record<Flag, boolean>
  tariff: number | null
  promise: RefPromise | null
  lastPromise: number | null
  createdAt: number
  /** Charged from this moment of its month on; null: from the first. */
  chargedFrom: number | null
  /** The charge of each month that has been charged. */
  months: Map<string, Line>
  /** Times in which a tariff was in use and that have ended. */
  uses: RefUse[]
}

/** `paid`: the last day that was charged by itself. */
type RefUse = { from: number; to: number; tariff: number | null; paid: string }

export type RefAccount = {
  lines: Line[]
  /** The one `storno` is about. */
  last: Line | null
  limit: number
  unlimitedUntil: number | 'never' | null
  sleepUntil: number | null
  keys: Map<string, Line | null>
}

export type Command =
  | { kind: 'post'; account: number; type: number; kopecks: number; key: string | null }
  | { kind: 'charge'; subscriber: number; kopecks: number; key: string }
  | { kind: 'promise'; subscriber: number; path: 'client' | 'operator' | 'prepay' | 'postpay' }
  | { kind: 'endPromise'; subscriber: number; why: 'expired' | 'cancelled' }
  | { kind: 'tariff'; subscriber: number; tariff: number | null }
  | { kind: 'reverse'; account: number }
  | { kind: 'reverseAny'; account: number; nth: number }
  | { kind: 'remove'; account: number; nth: number }
  | { kind: 'block'; subscriber: number; flag: 'admin' | 'own'; on: boolean }
  | { kind: 'delete'; subscriber: number; on: boolean }
  | { kind: 'limit'; account: number; kopecks: number }
  | { kind: 'unlimited'; account: number; forMs: number | null }
  | { kind: 'sleep'; account: number; forMs: number | null }
  | { kind: 'move'; subscriber: number; to: number }
  | { kind: 'sweep'; account: number }

const day = 86_400_000
export const tariffs: Readonly<Record<number, number>> = { 1: 50_000, 2: 120_000, 3: 0 }

/** Two accounts, three subscribers: the smallest world in which everything can happen. */
export class Reference {
  readonly accounts: RefAccount[]
  readonly subscribers: RefSubscriber[]

  constructor(createdAt: number) {
    this.accounts = [0, 1].map(() => ({
      lines: [],
      last: null,
      limit: 0,
      unlimitedUntil: null,
      sleepUntil: null,
      keys: new Map(),
    }))
    this.subscribers = [0, 0, 1].map((account) => ({
      account,
      deleted: false,
      flags: { negbal: false, admin: false, own: false },
      tariff: 1,
      promise: null,
      lastPromise: null,
      createdAt,
      chargedFrom: null,
      months: new Map(),
      uses: [],
    }))
  }

  balance(account: RefAccount): number {
    return account.lines.reduce((sum, { kopecks }) => sum + kopecks, 0)
  }

  isBlocked({ flags }: RefSubscriber): boolean {
    return flags.negbal || flags.admin || flags.own
  }

  /** The line that the command means; null when there is none, or when it has been removed before. */
  lineOf({ account, nth }: Extract<Command, { nth: number }>): { at: number; line: Line } | null {
    const { lines } = this.accounts[account]!
    const at = lines.length === 0 ? 0 : nth % lines.length
    const line = lines[at]
    return line && line.type !== 0 ? { at, line } : null
  }

  /** Answers what the program should: done, known, or the reason of the refusal. */
  take(command: Command, now: number): string {
    const touched = new Set<RefAccount>()
    const before = this.subscribers.map((one) => ({
      isOn: this.#isOn(one, now),
      use: { from: this.#begins(one), to: now, tariff: one.tariff, paid: '' },
    }))
    const verdict = this.#do(command, now, touched)
    for (const [at, one] of this.subscribers.entries()) {
      const { isOn, use } = before[at]!
      const isEnded = !this.#isOn(one, now) || (one.tariff !== use.tariff && one.chargedFrom === now)
      if (isOn && isEnded && use.from < now) one.uses.push(use)
    }
    if (verdict === 'done') for (const account of touched) this.judge(account, now)
    return verdict
  }

  judge(account: RefAccount, now: number): void {
    const unlimited =
      account.unlimitedUntil === 'never' || (account.unlimitedUntil !== null && account.unlimitedUntil > now)
    const negbal = !unlimited && this.balance(account) < account.limit
    for (const one of this.subscribers) {
      if (this.accounts[one.account] === account && !one.deleted) one.flags.negbal = negbal
    }
  }

  /** process_blocks */
  sweepAll(now: number): void {
    for (const account of this.accounts) this.judge(account, now)
  }

  /** check_expired_promises */
  expireAll(now: number): void {
    const over = this.subscribers.filter(({ promise }) => promise && promise.until < now)
    for (const one of over.sort((a, b) => a.promise!.until - b.promise!.until)) {
      const account = this.accounts[one.account]!
      this.#giveBack(account, one, now)
      this.judge(account, now)
    }
  }

  /**
   * billing_worker for one month that has begun: who is away is charged for the days on which they were not, who came
   * later in the month only for the rest of it.
   */
  charge(month: string, now: number): void {
    for (const one of this.subscribers) {
      const account = this.accounts[one.account]!
      const price = priceOf(one.tariff)
      if (!this.#isOn(one, now) || price === 0 || one.months.has(month)) continue
      const begun = moscow(this.#begins(one))
      if (begun.month > month) continue
      const days = daysOf(month)
      const part = restOf(price, begun.month === month ? begun.day : 1, days)
      one.months.set(month, this.#line(account, 32, -part, one, now))
      this.judge(account, now)
    }
    for (const one of this.subscribers) this.#chargeUses(one, month, now)
  }

  #chargeUses(one: RefSubscriber, month: string, now: number): void {
    const account = this.accounts[one.account]!
    const charge = one.months.get(month)
    const begins = [...one.uses.map(({ from }) => from), ...(this.#isOn(one, now) ? [this.#begins(one)] : [])]
    for (const [at, use] of one.uses.entries()) {
      if (one.deleted || (charge && charge.at <= use.to)) continue
      const next = begins[at + 1]
      const days = Array.from({ length: daysOf(month) }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
      const used = days.filter(
        (day) =>
          day >= dayText(use.from) &&
          day <= dayText(use.to - 1) &&
          day < dayText(now) &&
          (next === undefined || day < dayText(next)) &&
          day > use.paid,
      )
      if (used.length === 0) continue
      const [first, last] = [used[0]!, used.at(-1)!].map((day) => Number(day.slice(8))) as [number, number]
      const price = priceOf(use.tariff)
      const part = restOf(price, first, days.length) - restOf(price, last + 1, days.length)
      use.paid = used.at(-1)!
      if (part === 0) continue
      this.#line(account, 32, -part, one, now)
      this.judge(account, now)
    }
  }

  /** The run has come to its end: what was used before today has been charged. */
  forgetUses(now: number): void {
    for (const one of this.subscribers) one.uses = one.uses.filter(({ to }) => dayText(to - 1) >= dayText(now))
  }

  #isOn(one: RefSubscriber, now: number): boolean {
    const { sleepUntil } = this.accounts[one.account]!
    return !one.deleted && !one.flags.own && (sleepUntil === null || sleepUntil <= now)
  }

  #begins(one: RefSubscriber): number {
    return Math.max(one.createdAt, one.chargedFrom ?? 0, this.accounts[one.account]!.sleepUntil ?? 0)
  }

  #do(command: Command, now: number, touched: Set<RefAccount>): string {
    const touch = (index: number): RefAccount => {
      const account = this.accounts[index]!
      touched.add(account)
      return account
    }
    switch (command.kind) {
      case 'post':
        return this.#post(touch(command.account), command, now)
      case 'charge': {
        const one = this.subscribers[command.subscriber]!
        const account = touch(one.account)
        const asleep = account.sleepUntil !== null && account.sleepUntil > now
        if (one.deleted || one.flags.own || asleep) return 'notChargeable'
        if (account.keys.has(command.key)) return 'known'
        account.keys.set(command.key, this.#line(account, 3, -command.kopecks, one, now))
        return 'done'
      }
      case 'promise':
        return this.#promise(touch(this.subscribers[command.subscriber]!.account), command, now)
      case 'endPromise': {
        const one = this.subscribers[command.subscriber]!
        if (!one.promise) return 'noPromise'
        if (command.why === 'expired' && one.promise.until > now) return 'promiseNotOver'
        this.#giveBack(touch(one.account), one, now)
        return 'done'
      }
      case 'tariff': {
        const one = this.subscribers[command.subscriber]!
        if (one.tariff === command.tariff) return 'done'
        const [before, after] = [priceOf(one.tariff), priceOf(command.tariff)]
        one.tariff = command.tariff
        const account = touch(one.account)
        this.#line(account, 33, 0, one, now)
        const { month, day, days } = moscow(now)
        const charge = one.months.get(month)
        if (before === 0 || !charge || charge.storno) one.chargedFrom = now
        const due = charge && !charge.storno ? restOf(after, day, days) - restOf(before, day, days) : 0
        if (due !== 0) this.#line(account, due > 0 ? 32 : 41, -due, one, now)
        return 'done'
      }
      case 'reverse': {
        const account = touch(command.account)
        const { last } = account
        if (!last) return 'nothingToReverse'
        return this.#reverse(account, last, now)
      }
      case 'reverseAny': {
        return this.#reverse(touch(command.account), this.lineOf(command)!.line, now)
      }
      case 'remove': {
        const account = touch(command.account)
        const { at, line: gone } = this.lineOf(command)!
        // The balance stays, so the model keeps the amount in a line nobody sees.
        account.lines[at] = { ...gone, type: 0 }
        if (account.last === gone) account.last = account.lines.slice(0, at).findLast(({ type }) => type !== 0) ?? null
        return 'done'
      }
      case 'block': {
        const one = this.subscribers[command.subscriber]!
        if (command.flag === 'own' && one.flags.own && !command.on) one.chargedFrom = now
        one.flags[command.flag] = command.on
        touch(one.account)
        return 'done'
      }
      case 'delete': {
        const one = this.subscribers[command.subscriber]!
        if (one.deleted && !command.on) one.chargedFrom = now
        one.deleted = command.on
        touch(one.account)
        return 'done'
      }
      case 'limit':
        touch(command.account).limit = command.kopecks
        return 'done'
      case 'unlimited':
        touch(command.account).unlimitedUntil = command.forMs === null ? null : now + command.forMs
        return 'done'
      case 'sleep': {
        const account = touch(command.account)
        const until = command.forMs === null ? null : now + command.forMs
        const wokenAt = wokenBy(account.sleepUntil, until, now)
        account.sleepUntil = until
        for (const one of this.subscribers)
          if (this.accounts[one.account] === account && wokenAt !== null)
            one.chargedFrom = Math.max(one.chargedFrom ?? 0, wokenAt)
        return 'done'
      }
      case 'move': {
        const one = this.subscribers[command.subscriber]!
        const from = touch(one.account)
        const to = touch(command.to)
        const wokenAt = from === to ? null : wokenBy(from.sleepUntil, to.sleepUntil, now)
        if (wokenAt !== null) one.chargedFrom = Math.max(one.chargedFrom ?? 0, wokenAt)
        if (one.account !== command.to && one.promise) this.#giveBack(from, one, now)
        one.account = command.to
        return 'done'
      }
      case 'sweep':
        touch(command.account)
        return 'done'
    }
  }

  #post(account: RefAccount, { type, kopecks, key }: Extract<Command, { kind: 'post' }>, now: number): string {
    if (key !== null && account.keys.has(key)) {
      return account.keys.get(key)!.kopecks === signed(type, kopecks) ? 'known' : 'keyTakenWithOtherAmount'
    }
    if (signed(type, kopecks) > 0) {
      const unlimited =
        account.unlimitedUntil === 'never' || (account.unlimitedUntil !== null && account.unlimitedUntil > now)
      for (const one of this.subscribers) {
        if (this.accounts[one.account] !== account || !one.promise) continue
        const left = this.balance(account) + kopecks - one.promise.kopecks
        if (left >= 0 && (unlimited || left >= account.limit)) this.#giveBack(account, one, now)
      }
    }
    const line = this.#line(account, type, signed(type, kopecks), null, now)
    if (key !== null) account.keys.set(key, line)
    return 'done'
  }

  #promise(account: RefAccount, { subscriber, path }: Extract<Command, { kind: 'promise' }>, now: number): string {
    const one = this.subscribers[subscriber]!
    const price = priceOf(one.tariff)
    const debt = Math.max(0, -this.balance(account))
    if (one.promise) return 'promiseActive'
    if (one.deleted) return 'promiseDisabled'
    const byRest = path === 'prepay' || path === 'postpay'
    if (!byRest) {
      if (price === 0) return 'promiseDisabled'
      if (now - one.createdAt < 30 * day) return 'promiseMinAge'
      if (one.lastPromise !== null && now < one.lastPromise + 30 * day) return 'promiseCooldown'
    }
    const kopecks = byRest ? 9_000 : Math.min(2 * price, Math.max(price, debt + 100))
    const line = this.#line(account, 31, kopecks, one, now)
    one.promise = {
      kopecks,
      until: now + (byRest ? 3 : 5) * day,
      line,
      usluga: byRest ? (path === 'prepay' ? -4 : -3) : 30353,
    }
    one.lastPromise = now
    if (path === 'operator') this.#line(account, 9, -9_000, one, now)
    return 'done'
  }

  #giveBack(account: RefAccount, one: RefSubscriber, now: number): void {
    const { kopecks, line } = one.promise!
    line.storno = true
    this.#line(account, 31, -kopecks, one, now).storno = true
    one.promise = null
  }

  #reverse(account: RefAccount, line: Line, now: number): string {
    if (line.storno) return 'alreadyReversed'
    if (line.type === 32 && line.kopecks < 0 && this.#isRecalculated(line)) return 'givenBack'
    line.storno = true
    this.#line(account, line.type, -line.kopecks, line.of, now).storno = true
    for (const one of this.subscribers) if (one.promise?.line === line) one.promise = null
    return 'done'
  }

  /** Whether a part of the month's price has been given back since, perhaps on another account, where its subscriber is now. */
  #isRecalculated(charge: Line): boolean {
    const home = this.accounts.find(({ lines }) => lines.includes(charge))!
    return this.accounts.some(({ lines }) =>
      (lines === home.lines ? lines.slice(lines.indexOf(charge) + 1) : lines).some(
        ({ type, kopecks, storno, of, month, at }) =>
          type === 41 && kopecks > 0 && !storno && of === charge.of && month === charge.month && at >= charge.at,
      ),
    )
  }

  #line(account: RefAccount, type: number, kopecks: number, of: RefSubscriber | null, at: number): Line {
    const line = { type, kopecks, storno: false, of, at, month: moscow(at).month }
    account.lines.push(line)
    account.last = line
    return line
  }
}

const priceOf = (tariff: number | null): number => (tariff === null ? 0 : tariffs[tariff]!)

/** Moscow is three hours ahead all year. */
export function moscow(at: number): { month: string; day: number; days: number } {
  const text = new Date(at + 3 * 3_600_000).toISOString()
  const month = text.slice(0, 7)
  return { month, day: Number(text.slice(8, 10)), days: daysOf(month) }
}

const dayText = (at: number): string => new Date(at + 3 * 3_600_000).toISOString().slice(0, 10)

/** When a freeze ended that is over by a new date of it; null: there was none, or it goes on. */
function wokenBy(before: number | null, after: number | null, now: number): number | null {
  if (before === null || before === after) return null
  if (before <= now) return before
  return after === null || after <= now ? now : null
}

const daysOf = (month: string): number =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()

/** What a month's price comes to from a day to its end, half up. */
const restOf = (price: number, day: number, days: number): number =>
  Math.floor((2 * price * (days - day + 1) + days) / (2 * days))

/** 7 is a receipt, 9 an expense. */
const signed = (type: number, kopecks: number): number => (type === 7 ? kopecks : -kopecks)
