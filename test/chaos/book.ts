import type { Outage } from './door.ts'

/** Something that must not be, with the record that shows it. */
export type Violation = { readonly what: string; readonly record: unknown }

export type Movement = {
  /** What tells it from all others, in the ledger too: `rest:…`, `soap:…`, `gwa:…`, `gwb:…`. */
  readonly key: string
  readonly account: number
  readonly subscriber: number
  /** Units of money with a sign. */
  readonly amount: bigint
  /** `asked`: nobody knows whether it was taken. `forged`: must never be. */
  state: 'asked' | 'acknowledged' | 'forged'
  /** As the answers named it. */
  operationId: number | null
  /** When it was acknowledged first, by `performance.now()`. */
  acknowledgedAtMs: number | null
}

/** Somebody who was kept waiting, from the first try to the answer. */
export type Wait = Outage & { readonly who: 'operator' | 'accounting' }

/** Promises of one subscriber: how often one was asked for, and how often given for sure. */
export type PromiseCount = { asked: number; given: number }

type Promised = { asked: number; readonly givenAtMs: number[] }

/** What the world outside knows to have asked the program for, and what the program has said to it. */
export class Book {
  readonly movements = new Map<string, Movement>()
  readonly #promised = new Map<number, Promised>()
  readonly #words = new Map<number, { on: boolean | null; atMs: number }>()
  /** Sign-ins of the operator and records of accounting, each with how long it took. */
  readonly waits: Wait[] = []
  readonly violations: Violation[] = []

  ask(
    movement: Omit<Movement, 'state' | 'operationId' | 'acknowledgedAtMs'>,
    state: 'asked' | 'forged' = 'asked',
  ): Movement {
    const made: Movement = { ...movement, state, operationId: null, acknowledgedAtMs: null }
    this.movements.set(made.key, made)
    return made
  }

  /** Every acknowledgement of a movement names the same operation. */
  acknowledge(movement: Movement, operationId: number | null): void {
    if (movement.state === 'forged') this.violate('a forged payment was acknowledged', movement)
    else {
      movement.state = 'acknowledged'
      movement.acknowledgedAtMs ??= performance.now()
    }
    if (operationId === null) return
    if (movement.operationId !== null && movement.operationId !== operationId)
      this.violate('a repeat was answered with another operation', { ...movement, now: operationId })
    movement.operationId = operationId
  }

  askPromise(subscriber: number): void {
    this.#promisedTo(subscriber).asked++
  }

  gavePromise(subscriber: number): void {
    this.#promisedTo(subscriber).givenAtMs.push(performance.now())
  }

  get promises(): ReadonlyMap<number, PromiseCount> {
    return new Map([...this.#promised].map(([id, { asked, givenAtMs }]) => [id, { asked, given: givenAtMs.length }]))
  }

  /** What an operator said of a subscriber; null: that is not answered yet. */
  say(subscriber: number, on: boolean | null): void {
    this.#words.set(subscriber, { on, atMs: performance.now() })
  }

  /** The operator's last acknowledged word on a subscriber; null: the last one was not answered. */
  get operatorBlocks(): ReadonlyMap<number, boolean | null> {
    return new Map([...this.#words].map(([subscriber, { on }]) => [subscriber, on]))
  }

  /**
   * Whatever was acknowledged since `sinceMs` may be lost, because the database that had it is gone: nobody knows of it
   * whether it was taken.
   */
  doubt(sinceMs: number): void {
    for (const movement of this.movements.values()) {
      if (movement.state !== 'acknowledged' || movement.acknowledgedAtMs! < sinceMs) continue
      Object.assign(movement, { state: 'asked', operationId: null, acknowledgedAtMs: null })
    }
    for (const promised of this.#promised.values())
      promised.givenAtMs.splice(0, Number.POSITIVE_INFINITY, ...promised.givenAtMs.filter((atMs) => atMs < sinceMs))
    for (const word of this.#words.values()) if (word.atMs >= sinceMs) word.on = null
  }

  #promisedTo(subscriber: number): Promised {
    const promised = this.#promised.get(subscriber) ?? { asked: 0, givenAtMs: [] }
    this.#promised.set(subscriber, promised)
    return promised
  }

  violate(what: string, record: unknown): void {
    this.violations.push({ what, record })
  }
}
