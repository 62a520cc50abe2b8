/**
 * What the money office must do, said once more as simply as it can be: plain kopecks, no versions, no batches, no database.
 * It shares nothing with the program, so that the two can disagree.
 */
export type Flag = 'negbal' | 'admin' | 'own'

export type Line = { type: number; kopecks: number; storno: boolean }

export type RefPromise = { kopecks: number; until: number; line: Line; usluga: number }

export type RefSubscriber = {
  account: number
  deleted: boolean
  flags: Record<Flag, boolean>
  tariff: number | null
  promise: RefPromise | null
  lastPromise: number | null
  createdAt: number
}

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
    }))
  }

  balance(account: RefAccount): number {
    return account.lines.reduce((sum, { kopecks }) => sum + kopecks, 0)
  }

  isBlocked({ flags }: RefSubscriber): boolean {
    return flags.negbal || flags.admin || flags.own
  }

  /** The line that the command means; null when there is none, or when it has been removed before. */
  lineToRemove({ account, nth }: Extract<Command, { kind: 'remove' }>): { at: number; line: Line } | null {
    const { lines } = this.accounts[account]!
    const at = lines.length === 0 ? 0 : nth % lines.length
    const line = lines[at]
    return line && line.type !== 0 ? { at, line } : null
  }

  /** Answers what the program should: done, known, or the reason of the refusal. */
  take(command: Command, now: number): string {
    const touched = new Set<RefAccount>()
    const verdict = this.#do(command, now, touched)
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
        account.keys.set(command.key, this.#line(account, 32, -command.kopecks))
        return 'done'
      }
      case 'promise':
        return this.#promise(touch(this.subscribers[command.subscriber]!.account), command, now)
      case 'endPromise': {
        const one = this.subscribers[command.subscriber]!
        if (!one.promise) return 'noPromise'
        if (command.why === 'expired' && one.promise.until > now) return 'promiseNotOver'
        this.#giveBack(touch(one.account), one)
        return 'done'
      }
      case 'tariff': {
        const one = this.subscribers[command.subscriber]!
        if (one.tariff === command.tariff) return 'done'
        one.tariff = command.tariff
        this.#line(touch(one.account), 33, 0)
        return 'done'
      }
      case 'reverse': {
        const account = touch(command.account)
        const { last } = account
        if (!last) return 'nothingToReverse'
        if (last.storno) return 'alreadyReversed'
        last.storno = true
        const undone = this.#line(account, last.type, -last.kopecks)
        undone.storno = true
        for (const one of this.subscribers) if (one.promise?.line === last) one.promise = null
        return 'done'
      }
      case 'remove': {
        const account = touch(command.account)
        const { at, line: gone } = this.lineToRemove(command)!
        // The balance stays, so the model keeps the amount in a line nobody sees.
        account.lines[at] = { ...gone, type: 0 }
        if (account.last === gone) account.last = account.lines.slice(0, at).findLast(({ type }) => type !== 0) ?? null
        return 'done'
      }
      case 'block': {
        const one = this.subscribers[command.subscriber]!
        one.flags[command.flag] = command.on
        touch(one.account)
        return 'done'
      }
      case 'delete': {
        const one = this.subscribers[command.subscriber]!
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
      case 'sleep':
        touch(command.account).sleepUntil = command.forMs === null ? null : now + command.forMs
        return 'done'
      case 'move': {
        const one = this.subscribers[command.subscriber]!
        const from = touch(one.account)
        touch(command.to)
        if (one.account !== command.to && one.promise) this.#giveBack(from, one)
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
        if (left >= 0 && (unlimited || left >= account.limit)) this.#giveBack(account, one)
      }
    }
    const line = this.#line(account, type, signed(type, kopecks))
    if (key !== null) account.keys.set(key, line)
    return 'done'
  }

  #promise(account: RefAccount, { subscriber, path }: Extract<Command, { kind: 'promise' }>, now: number): string {
    const one = this.subscribers[subscriber]!
    const price = one.tariff === null ? 0 : tariffs[one.tariff]!
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
    const line = this.#line(account, 31, kopecks)
    one.promise = {
      kopecks,
      until: now + (byRest ? 3 : 5) * day,
      line,
      usluga: byRest ? (path === 'prepay' ? -4 : -3) : 30353,
    }
    one.lastPromise = now
    if (path === 'operator') this.#line(account, 9, -9_000)
    return 'done'
  }

  #giveBack(account: RefAccount, one: RefSubscriber): void {
    const { kopecks, line } = one.promise!
    line.storno = true
    this.#line(account, 31, -kopecks).storno = true
    one.promise = null
  }

  #line(account: RefAccount, type: number, kopecks: number): Line {
    const line = { type, kopecks, storno: false }
    account.lines.push(line)
    account.last = line
    return line
  }
}

/** 7 is a receipt, 9 an expense. */
const signed = (type: number, kopecks: number): number => (type === 7 ? kopecks : -kopecks)
