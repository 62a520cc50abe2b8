import { inDebt } from '../../domain/account.ts'
import { type BlockReason, isBlocked, noBlocks, withBlock } from '../../domain/block.ts'
import { type Money, negated, zero } from '../../domain/money.ts'

/** A new account after its opening operation, and whether its subscriber may use the network. */
export type Opening = Readonly<ReturnType<typeof openAccount>>

/** Who may have blocked a subscriber before he comes. */
export type Blocker = Extract<BlockReason, 'operator' | 'client'>

/** The values that an account actor would decide for an account with one subscriber: the rules of the domain decide. */
export function openAccount(balance: Money, limit: Money, now: Date, blocked: Blocker | null = null) {
  const receipts = balance > 0n ? balance : zero
  const writeOffs = balance < 0n ? negated(balance) : zero
  /** Whether the subscriber is blocked for debt. */
  const debt = inDebt({ balance, limit, unlimited: false, unlimitedUntil: null }, now)
  const enabled = blocked === null && !isBlocked(withBlock(noBlocks, 'debt', debt))
  return { balance, limit, receipts, writeOffs, debt, enabled }
}
