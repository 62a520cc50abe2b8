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
}

/** Somebody who was kept waiting, from the first try to the answer. */
export type Wait = Outage & { readonly who: 'operator' | 'accounting' }

/** Promises of one subscriber: how often one was asked for, and how often given for sure. */
export type PromiseCount = { asked: number; given: number }

/** What the world outside knows to have asked the program for, and what the program has said to it. */
export class Book {
  readonly movements = new Map<string, Movement>()
  readonly promises = new Map<number, PromiseCount>()
  /** The operator's last acknowledged word on a subscriber; null: the last one was not answered. */
  readonly operatorBlocks = new Map<number, boolean | null>()
  /** Sign-ins of the operator and records of accounting, each with how long it took. */
  readonly waits: Wait[] = []
  readonly violations: Violation[] = []

  ask(movement: Omit<Movement, 'state' | 'operationId'>, state: 'asked' | 'forged' = 'asked'): Movement {
    const made: Movement = { ...movement, state, operationId: null }
    this.movements.set(made.key, made)
    return made
  }

  /** Every acknowledgement of a movement names the same operation. */
  acknowledge(movement: Movement, operationId: number | null): void {
    if (movement.state === 'forged') this.violate('a forged payment was acknowledged', movement)
    else movement.state = 'acknowledged'
    if (operationId === null) return
    if (movement.operationId !== null && movement.operationId !== operationId)
      this.violate('a repeat was answered with another operation', { ...movement, now: operationId })
    movement.operationId = operationId
  }

  promise(subscriber: number): PromiseCount {
    const count = this.promises.get(subscriber) ?? { asked: 0, given: 0 }
    this.promises.set(subscriber, count)
    return count
  }

  violate(what: string, record: unknown): void {
    this.violations.push({ what, record })
  }
}
