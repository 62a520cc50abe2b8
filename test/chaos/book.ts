import type { Outage } from './door.ts'
import { type Answered, type Loss, mayBeLost } from './losses.ts'

/** Something that must not be, with the record that shows it. */
export type Violation = { readonly what: string; readonly record: unknown }

export type Movement = {
  /** What tells it from all others, in the ledger too: `rest:…`, `soap:…`, `gwa:…`, `gwb:…`. */
  readonly key: string
  readonly account: number
  readonly subscriber: number
  /** Units of money with a sign. */
  readonly amount: bigint
  /** Of a payment at a gateway: when it was ordered. */
  readonly ordered?: Answered
  /** `asked`: nobody knows whether it was taken. `forged`: must never be. */
  state: 'asked' | 'acknowledged' | 'forged'
  /** As the answers named it. */
  operationId: number | null
  readonly answers: Acknowledgement[]
}

type Acknowledgement = Answered & { readonly operationId: number | null }

/** Somebody who was kept waiting, from the first try to the answer. */
export type Wait = Outage & { readonly who: 'operator' | 'accounting' }

/** Promises of one subscriber: how often one was asked for, and how often given for sure. */
export type PromiseCount = { asked: number; given: number }

type Promised = { asked: number; readonly given: Answered[] }

/** What the world outside knows to have asked the program for, and what the program has said to it. */
export class Book {
  readonly movements = new Map<string, Movement>()
  readonly #promised = new Map<number, Promised>()
  readonly #words = new Map<number, { readonly on: boolean | null; readonly answered: Answered | null }>()
  /** Servers that are gone, of which their standby had not heard everything. */
  readonly losses: Loss[] = []
  /** Sign-ins of the operator and records of accounting, each with how long it took. */
  readonly waits: Wait[] = []
  readonly violations: Violation[] = []

  ask(movement: Omit<Movement, 'state' | 'operationId' | 'answers'>, state: 'asked' | 'forged' = 'asked'): Movement {
    const made: Movement = { ...movement, state, operationId: null, answers: [] }
    this.movements.set(made.key, made)
    return made
  }

  acknowledge(movement: Movement, operationId: number | null, answered = justNow()): void {
    if (movement.state === 'forged') this.violate('a forged payment was acknowledged', movement)
    else movement.state = 'acknowledged'
    movement.answers.push({ ...answered, operationId })
  }

  askPromise(subscriber: number): void {
    this.#promisedTo(subscriber).asked++
  }

  gavePromise(subscriber: number, answered = justNow()): void {
    this.#promisedTo(subscriber).given.push(answered)
  }

  get promises(): ReadonlyMap<number, PromiseCount> {
    const certain = (given: readonly Answered[]) => given.filter((one) => !mayBeLost(one, this.losses)).length
    return new Map([...this.#promised].map(([id, { asked, given }]) => [id, { asked, given: certain(given) }]))
  }

  /** What an operator said of a subscriber; null: that is not answered yet. */
  say(subscriber: number, on: boolean | null, answered: Answered | null = on === null ? null : justNow()): void {
    this.#words.set(subscriber, { on, answered })
  }

  /** The operator's last acknowledged word on a subscriber; null: the last one was not answered. */
  get operatorBlocks(): ReadonlyMap<number, boolean | null> {
    const certain = (answered: Answered | null) => answered !== null && !mayBeLost(answered, this.losses)
    return new Map(
      [...this.#words].map(([subscriber, { on, answered }]) => [subscriber, certain(answered) ? on : null]),
    )
  }

  /**
   * When nothing more is answered. Nobody knows whether a movement was taken of which all acknowledgements may be lost;
   * all others of a movement name the same operation. A payment whose order may be lost may also have been `kept` for an
   * operator to look at.
   */
  settle(kept: ReadonlySet<string> = new Set()): void {
    for (const movement of this.movements.values()) {
      if (movement.state !== 'acknowledged') continue
      const { key, ordered } = movement
      const isKept = kept.has(key) && ordered !== undefined && mayBeLost(ordered, this.losses)
      const certain = isKept ? [] : movement.answers.filter((answer) => !mayBeLost(answer, this.losses))
      if (certain.length === 0) movement.state = 'asked'
      const [operationId = null, ...more] = new Set(certain.flatMap(({ operationId: id }) => id ?? []))
      movement.operationId = operationId
      if (more.length > 0) this.violate('a repeat was answered with another operation', movement)
    }
  }

  #promisedTo(subscriber: number): Promised {
    const promised = this.#promised.get(subscriber) ?? { asked: 0, given: [] }
    this.#promised.set(subscriber, promised)
    return promised
  }

  violate(what: string, record: unknown): void {
    this.violations.push({ what, record })
  }
}

/** Asked at the same moment, of what is not timed. */
const justNow = (): Answered => ({ askedMs: performance.now(), answeredMs: performance.now() })
