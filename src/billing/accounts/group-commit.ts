import { Unavailable } from '../../platform/unavailable.ts'
import type { CommitRefusal, CommitUnit, CommitVerdict, Statement } from './commit-statement.ts'
import { commitStatement } from './commit-statement.ts'

/** What became of one turn's writes. */
export type CommitOutcome =
  | { kind: 'committed' }
  /** Somebody else wrote the account; nothing of the turn was written. */
  | { kind: 'stale' }
  /** Somebody else holds the account's row; nothing of the turn was written. */
  | { kind: 'locked' }
  | { kind: 'accountMissing' }
  /** A key was taken before; nothing of the turn was written. */
  | { kind: 'known'; operationId: number; amount: bigint }

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
/** A turn that could not be sent for so long is given up: whoever sent it is about to hear that it took too long. */
const patienceMs = 3_000
/** Two, so that one batch gathers while another waits for the disk. */
const inFlightMax = 2
/** While one batch is under way so many have to wait for a second: a statement costs as much as some turns in it. */
const secondFrom = 24
/** Or so long: the first may wait for a row that somebody holds. */
const secondAfterMs = 8
/** Of turns nobody sits and waits for: one batch at a time, short enough that others do not feel it. */
const patientMax = 128
/** So many of them go along with every batch of the others, so that these never hold them up for good. */
const patientAlong = 16

/**
 * Turns of many accounts that wait at the same moment are committed by one statement. One refused turn does not spoil
 * the others; when the statement as a whole is refused, each turn is tried alone so that only the guilty one fails.
 */
export class GroupCommit {
  readonly #send: SendStatement
  readonly #observe: CommitObserver
  #waiting: Waiting[] = []
  #patient: Waiting[] = []
  #inFlight = 0
  #isPatientInFlight = false
  #firstSinceMs = 0
  #look: NodeJS.Timeout | null = null
  #planned = false
  /** Two turns with the same key must not meet in one statement: the second has to see the first. */
  readonly #keysInFlight = new Set<string>()

  constructor(send: SendStatement, observe: CommitObserver = {}) {
    this.#send = send
    this.#observe = observe
  }

  commit(unit: CommitUnit): Promise<CommitOutcome> {
    return new Promise((resolve, reject) => {
      const keys = unit.changes.flatMap((change) => change.keys)
      const queue = unit.author.isPatient ? this.#patient : this.#waiting
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
      while (this.#inFlight < inFlightMax && this.#flush()) {}
    })
  }

  #flush(): boolean {
    const batch: Waiting[] = []
    if (this.#waiting.length > 0) {
      if (!this.#isFirst && this.#waiting.length < secondFrom && !this.#isFirstLate()) return false
      this.#waiting = this.#taken(this.#waiting, batchMax, batch)
    }
    const isPatient = batch.length === 0
    if (!isPatient) this.#patient = this.#taken(this.#patient, patientAlong, batch)
    else if (!this.#isPatientInFlight && this.#waiting.length === 0)
      this.#patient = this.#taken(this.#patient, patientMax, batch)
    if (batch.length === 0) return false
    if (this.#isFirst) this.#firstSinceMs = performance.now()
    this.#inFlight++
    if (isPatient) this.#isPatientInFlight = true
    this.#write(batch).finally(() => {
      this.#inFlight--
      if (isPatient) this.#isPatientInFlight = false
      for (const { keys } of batch) for (const key of keys) this.#keysInFlight.delete(key)
      this.#plan()
    })
    return true
  }

  /** No other batch of those who wait is under way. */
  get #isFirst(): boolean {
    return this.#inFlight === (this.#isPatientInFlight ? 1 : 0)
  }

  /** If it is not yet, it will be looked at again. */
  #isFirstLate(): boolean {
    const leftMs = this.#firstSinceMs + secondAfterMs - performance.now()
    if (leftMs <= 0) return true
    this.#look ??= setTimeout(() => {
      this.#look = null
      this.#plan()
    }, leftMs)
    return false
  }

  /** Puts so many turns of a queue into a batch, and answers what is left of the queue. */
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

  async #write(batch: readonly Waiting[]): Promise<void> {
    const startedMs = performance.now()
    const seconds = () => (performance.now() - startedMs) / 1000
    try {
      const { accepted, refused } = await this.#send(commitStatement(batch.map(({ unit }) => unit)))
      this.#observe.batch?.({ turns: batch.length, seconds: seconds(), ok: true })
      const byTurn = Map.groupBy(refused ?? [], ({ turn }) => turn)
      batch.forEach((turn, index) => {
        this.#settle(turn, accepted[index] === 't' ? { kind: 'committed' } : refusalOf(byTurn.get(index) ?? []))
      })
    } catch (error) {
      this.#observe.batch?.({ turns: batch.length, seconds: seconds(), ok: false })
      await this.#afterFailure(batch, error)
    }
  }

  #settle(turn: Waiting, outcome: CommitOutcome): void {
    this.#observe.outcome?.(outcome.kind)
    turn.resolve(outcome)
  }

  /** The database refused the statement: only then is it certain that nothing was written and trying again is safe. */
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
        if (performance.now() - turn.sinceMs < patienceMs) await this.#write([turn])
        else turn.reject(new Unavailable('database', 'Somebody else holds rows of the account; ask again.'))
      }
  }
}

function refusalOf(refusals: readonly CommitRefusal[]): CommitOutcome {
  const first = refusals[0]
  if (!first) throw new Error('The commit statement did not answer for one of its turns.')
  if (first.op_id !== null)
    return { kind: 'known', operationId: Number(first.op_id), amount: BigInt(first.amount ?? 0) }
  if (refusals.some(({ present }) => !present)) return { kind: 'accountMissing' }
  return refusals.some(({ version }) => version === null) ? { kind: 'locked' } : { kind: 'stale' }
}

/** SQLSTATE classes 22 (data), 23 (integrity), 40 (deadlock), 55 (locked for too long): the statement left nothing behind. */
export const isRefused = (error: unknown): boolean =>
  error instanceof Unavailable || /^(22|23|40|55)/.test(sqlState(error))

const isRolledBack = (error: unknown): boolean => sqlState(error).startsWith('40')

/** Another node took the key between the look and the insert; the next try will see it. */
const isKeyTaken = (error: unknown): boolean =>
  sqlState(error) === '23505' && (error as { constraint?: string }).constraint === 'money_keys_pkey'

const sqlState = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && code.length === 5 ? code : ''
}
