import { hash as digestOf } from 'node:crypto'
import type { AccountId, OperationId } from './ids.ts'
import type { Money } from './money.ts'

/**
 * The operations of an account form a chain: every operation carries a hash over itself and over the hash before, so that an
 * amount changed, a row taken out or a row slipped in behind the program's back is found and named (`verify_ledger`).
 */
export type Chain = {
  /** How many operations there have ever been, removed ones included. */
  readonly length: number
  /** Hash of the last of them, 64 hex digits; empty before the first. */
  readonly head: string
}

/** The place of one operation in its account's chain. */
export type ChainLink = { readonly seq: number; readonly hash: string }

/** What may never change about an operation; descriptions, dates of movement and marks may. */
export type ChainedFacts = {
  readonly id: OperationId
  readonly accountId: AccountId
  readonly typeId: number
  readonly amount: Money
  readonly recordedAt: Date
  /** The account just before it. */
  readonly snapshot: { readonly balance: Money; readonly receipts: Money; readonly writeOffs: Money }
}

export const emptyChain: Chain = Object.freeze({ length: 0, head: '' })

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
