import type { Callers } from '../../platform/http/in-flight.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import {
  type CommitRefusal,
  commitStatement,
  type CommitUnit,
  type CommitVerdict,
  type Statement,
} from './commit-statement.ts'

/** How the commit of one turn ended. */
export type CommitOutcome =
  | { kind: 'committed' }
  /** Somebody else has written the account meanwhile; nothing of the turn was written. */
  | { kind: 'stale' }
  /** Another transaction holds the account's row; nothing of the turn was written. */
  | { kind: 'locked' }
  | { kind: 'accountMissing' }
  /** A key was taken before, by an operation or (null) without one; nothing of the turn was written. */
  | { kind: 'known'; operationId: number | null; amount: bigint }

/** Sends one statement; rejects when it failed as a whole. */
export type SendStatement = (statement: Statement) => Promise<CommitVerdict>

export type CommitObserver = {
  readonly batch?: (batch: { turns: number; seconds: number; ok: boolean }) => void
  readonly outcome?: (kind: CommitOutcome['kind'] | 'failed') => void
}

type Waiting = {
  sinceMs: number
  unit: CommitUnit
  keys: readonly string[]
  resolve: (outcome: CommitOutcome) => void
  reject: (error: unknown) => void
}

const batchMax = 500
/** A turn that could not be sent for this long is given up, because its deadline is about to pass anyway. */
const sendDeadlineMs = 3_000
/** Two batches at a time, so that one gathers while another waits for the disk. */
const inFlightMax = 2
/**
 * While one batch is in flight, a second one is sent only once this many turns wait: a statement has a fixed cost of
 * several turns.
 */
const secondBatchMin = 24
/** After this time the second batch is sent anyway, since the first may be waiting for a locked row. */
const secondBatchAfterMs = 8
/**
 * Background turns, for which nobody waits, are sent one batch at a time. What follows a commit occupies the event loop
 * for the whole batch, so a batch is short; and it is half of what a job asks for at once, so that the other half is
 * prepared meanwhile.
 */
const backgroundBatchMax = 64
/** This many background turns join every batch of foreground turns, so that they are never starved. */
const backgroundShare = 16

/**
 * Turns of many accounts that wait at the same moment are committed by one statement. One refused turn does not spoil
 * the others; when the whole statement is refused, each turn is tried alone, so that only the one at fault fails.
 */
export class GroupCommit {
  readonly #send: SendStatement
  readonly #observe: CommitObserver
  #waiting: Waiting[] = []
  #background: Waiting[] = []
  #inFlight = 0
  #isBackgroundInFlight = false
  readonly #callers: Callers | null
  /** Whether background turns are letting callers go first, or have done so since their last batch. */
  #courtesy: 'due' | 'shown' | 'done' = 'due'
  #firstSinceMs = 0
  #look: NodeJS.Timeout | null = null
  #planned = false
  /** Two turns with the same key must not meet in one statement: the second has to see the first. */
  readonly #keysInFlight = new Set<string>()

  constructor(send: SendStatement, observe: CommitObserver = {}, callers: Callers | null = null) {
    this.#send = send
    this.#observe = observe
    this.#callers = callers
  }

  commit(unit: CommitUnit): Promise<CommitOutcome> {
    return new Promise((resolve, reject) => {
      const keys = unit.changes.flatMap((change) => change.keys)
      const queue = unit.author.isBackground ? this.#background : this.#waiting
      queue.push({ sinceMs: performance.now(), unit, keys, resolve, reject })
      this.#plan()
    })
  }

  /** Waits for the end of this event-loop turn, so that everything that arrived in it goes together. */
  #plan(): void {
    if (this.#planned || this.#inFlight >= inFlightMax) return
    this.#planned = true
    setImmediate(() => {
      this.#planned = false
      this.#flushAll()
    })
  }

  #flushAll(): void {
    while (this.#inFlight < inFlightMax && this.#flush()) {}
  }

  #flush(): boolean {
    const batch: Waiting[] = []
    if (this.#waiting.length > 0) {
      if (!this.#isFirst && this.#waiting.length < secondBatchMin && !this.#isFirstLate()) return false
      this.#waiting = this.#taken(this.#waiting, batchMax, batch)
    }
    const isBackground = batch.length === 0
    if (!isBackground) this.#background = this.#taken(this.#background, backgroundShare, batch)
    else if (!this.#isBackgroundInFlight && this.#waiting.length === 0 && !this.#letsCallersFirst())
      this.#background = this.#taken(this.#background, backgroundBatchMax, batch)
    if (batch.length === 0) return false
    if (this.#isFirst) this.#firstSinceMs = performance.now()
    this.#inFlight++
    if (isBackground) {
      this.#isBackgroundInFlight = true
      this.#courtesy = 'due'
    }
    void this.#write(batch, () => this.#ended(batch, isBackground))
    return true
  }

  /** Called when the database has finished a batch, before anything that follows the commit begins. */
  #ended(batch: readonly Waiting[], isBackground: boolean): void {
    this.#inFlight--
    for (const { keys } of batch) for (const key of keys) this.#keysInFlight.delete(key)
    if (!isBackground) this.#plan()
    else {
      this.#isBackgroundInFlight = false
      // The next batch of a job is complete: it is written while what follows this one is done.
      this.#flushAll()
    }
  }

  /**
   * A batch of a job and what follows it delay every request whose answer takes several turns of the event loop,
   * whether or not it needs a commit. So before each batch the requests that wait are let go first, once.
   */
  #letsCallersFirst(): boolean {
    if (this.#background.length === 0 || this.#courtesy === 'done') return false
    if (this.#courtesy === 'due') {
      if (!this.#callers?.areWaiting) return false
      this.#courtesy = 'shown'
      void this.#callers.answered().then(() => {
        this.#courtesy = 'done'
        this.#plan()
      })
    }
    return true
  }

  /** Whether no other batch of foreground turns is in flight. */
  get #isFirst(): boolean {
    return this.#inFlight === (this.#isBackgroundInFlight ? 1 : 0)
  }

  /** Whether the first batch is late. If it is not, this is checked again when it would be. */
  #isFirstLate(): boolean {
    const leftMs = this.#firstSinceMs + secondBatchAfterMs - performance.now()
    if (leftMs <= 0) return true
    this.#look ??= setTimeout(() => {
      this.#look = null
      this.#plan()
    }, leftMs)
    return false
  }

  /** Moves up to `max` turns of a queue into a batch and returns the rest of the queue. */
  #taken(queue: Waiting[], max: number, batch: Waiting[]): Waiting[] {
    const later: Waiting[] = []
    let room = max
    for (const turn of queue) {
      if (room === 0 || turn.keys.some((key) => this.#keysInFlight.has(key))) later.push(turn)
      else {
        for (const key of turn.keys) this.#keysInFlight.add(key)
        batch.push(turn)
        room--
      }
    }
    return later
  }

  /** Never rejects. `ended` is called once nothing of the batch is being written any more. */
  async #write(batch: readonly Waiting[], ended: () => void): Promise<void> {
    const startedMs = performance.now()
    const observe = (ok: boolean) =>
      this.#observe.batch?.({ turns: batch.length, seconds: (performance.now() - startedMs) / 1000, ok })
    let outcomes: readonly CommitOutcome[]
    try {
      outcomes = outcomesOf(await this.#send(commitStatement(batch.map(({ unit }) => unit))), batch.length)
    } catch (error) {
      observe(false)
      await this.#afterFailure(batch, error)
      ended()
      return
    }
    ended()
    observe(true)
    batch.forEach((turn, index) => {
      this.#settle(turn, outcomes[index]!)
    })
  }

  #settle(turn: Waiting, outcome: CommitOutcome): void {
    this.#observe.outcome?.(outcome.kind)
    turn.resolve(outcome)
  }

  /**
   * Only when the database has refused the statement is it certain that nothing was written and that trying again is
   * safe.
   */
  async #afterFailure(batch: readonly Waiting[], error: unknown): Promise<void> {
    const first = batch[0]!
    if (batch.length === 1 && sqlState(error) === '55P03') this.#settle(first, { kind: 'locked' })
    else if (batch.length === 1 && (isKeyTaken(error) || isRolledBack(error))) this.#settle(first, { kind: 'stale' })
    else if (!isRefused(error) || batch.length === 1) {
      for (const turn of batch) {
        this.#observe.outcome?.('failed')
        turn.reject(error)
      }
    } else
      for (const turn of batch) {
        if (performance.now() - turn.sinceMs < sendDeadlineMs) await this.#write([turn], () => {})
        else turn.reject(new Unavailable('database', 'Somebody else holds rows of the account; ask again.'))
      }
  }
}

function outcomesOf({ accepted, refused }: CommitVerdict, turns: number): CommitOutcome[] {
  const byTurn = Map.groupBy(refused ?? [], ({ turn }) => turn)
  return Array.from({ length: turns }, (_, turn) =>
    accepted[turn] === 't' ? { kind: 'committed' } : refusalOf(byTurn.get(turn) ?? []),
  )
}

function refusalOf(refusals: readonly CommitRefusal[]): CommitOutcome {
  const first = refusals[0]
  if (!first) throw new Error('The commit statement did not answer for one of its turns.')
  if (first.known)
    return {
      kind: 'known',
      operationId: first.op_id === null ? null : Number(first.op_id),
      amount: BigInt(first.amount ?? 0),
    }
  if (refusals.some(({ present }) => !present)) return { kind: 'accountMissing' }
  return refusals.some(({ version }) => version === null) ? { kind: 'locked' } : { kind: 'stale' }
}

/**
 * SQLSTATE classes 22 (data), 23 (integrity), 40 (deadlock), 55 (locked for too long): nothing of the statement was
 * written.
 */
export const isRefused = (error: unknown): boolean =>
  error instanceof Unavailable || /^(22|23|40|55)/.test(sqlState(error))

const isRolledBack = (error: unknown): boolean => sqlState(error).startsWith('40')

/** Another program took the key between our check and the insert; the next attempt will see it. */
export const isKeyTaken = (error: unknown): boolean =>
  sqlState(error) === '23505' && (error as { constraint?: string }).constraint === 'money_keys_pkey'

const sqlState = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && code.length === 5 ? code : ''
}
