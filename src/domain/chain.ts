import { hash as digestOf } from 'node:crypto'
import type { AccountId, OperationId } from './ids.ts'
import type { Money } from './money.ts'

/**
 * The operations of an account form a chain: every operation carries a hash over itself and the previous hash, so that
 * `verify_ledger` finds an amount that was changed, or a row that was deleted or inserted, by anybody but the program.
 */
export type Chain = {
  /** How many operations there have ever been, removed ones included. */
  readonly length: number
  /** Hash of the last of them, 64 hex digits; empty before the first. */
  readonly head: string
}

/** The position of an operation in its account's chain, counted from 1, and its hash. */
export type ChainLink = { readonly seq: number; readonly hash: string }

/** The facts of an operation that must never change. Its description, its date and its storno mark may. */
export type ChainedFacts = {
  readonly id: OperationId
  readonly accountId: AccountId
  readonly typeId: number
  readonly amount: Money
  readonly recordedAt: Date
  /** The account just before it. */
  readonly snapshot: { readonly balance: Money; readonly receipts: Money; readonly writeOffs: Money }
}

/** `verify_ledger` computes the same in SQL: sha256 over the fields below, joined with `|`, as UTF-8. */
export function nextLink(
  chain: Chain,
  { id, accountId, typeId, amount, recordedAt, snapshot }: ChainedFacts,
): ChainLink {
  const { balance, receipts, writeOffs } = snapshot
  const facts = [chain.head, id, accountId, typeId, amount, recordedAt.getTime(), balance, receipts, writeOffs]
  return { seq: chain.length + 1, hash: digestOf('sha256', facts.join('|'), 'hex') }
}

export const extended = ({ seq, hash }: ChainLink): Chain => ({ length: seq, head: hash })
