import { type Account, withDebtEvaluated } from '../../domain/account.ts'
import { noBlocks } from '../../domain/block.ts'
import { emptyChain } from '../../domain/chain.ts'
import { accountId, defaultOrganization, loginId, subscriberId } from '../../domain/ids.ts'
import { type Money, negated, zero } from '../../domain/money.ts'

/** A new account after its opening operation, and whether its subscriber may use the network. */
export type Opening = {
  readonly balance: Money
  readonly limit: Money
  readonly receipts: Money
  readonly writeOffs: Money
  /** Whether the subscriber is blocked for debt. */
  readonly debt: boolean
  readonly enabled: boolean
}

const emptyAccount: Account = {
  id: accountId(1),
  version: 0,
  balance: zero,
  receipts: zero,
  writeOffs: zero,
  limit: zero,
  unlimited: false,
  unlimitedUntil: null,
  warnBelow: null,
  sleepUntil: null,
  warnedAt: null,
  lastOperationId: null,
  chain: emptyChain,
  subscribers: [
    {
      id: subscriberId(1),
      organizationId: defaultOrganization,
      deleted: false,
      enabled: true,
      blocks: noBlocks,
      hasBlockRecord: false,
      tariffId: null,
      promise: null,
      lastPromiseAt: null,
      chargedFrom: null,
      walledGarden: false,
      logins: [{ id: loginId(1), name: '', disabledByHand: false, enabled: true }],
    },
  ],
}

/** The values that an account actor would decide: the same functions evaluate the debt and the access switches. */
export function openAccount(balance: Money, limit: Money, now: Date): Opening {
  const receipts = balance > 0n ? balance : zero
  const writeOffs = balance < 0n ? negated(balance) : zero
  const { subscribers } = withDebtEvaluated({ ...emptyAccount, balance, receipts, writeOffs, limit }, now)
  const { blocks, enabled } = subscribers[0]!
  return { balance, limit, receipts, writeOffs, debt: blocks.debt, enabled }
}
