import type { AddressUse } from '../../../../network/access/pool-layout.ts'
import type { UsedAddress } from '../../../../network/access/pools.ts'
import type { LiveSession } from '../../../../network/radius/accounting/live-session.ts'
import type { TransactionScope } from '../../../../platform/storage/transactions.ts'

/** As much of a live session as a conflict is about. */
export type AddressedSession = Pick<LiveSession, 'userId' | 'ip'>

export type PoolParts = TransactionScope & {
  /** The pools as RADIUS gives out of them. */
  readonly pools: {
    countsOf(poolId: number): Readonly<Record<AddressUse, number>> | null
    usedAfter(poolId: number, after: number, max: number): readonly UsedAddress[]
    freeOnes(poolId: number, max: number): readonly number[]
    leaseAt(address: number): { readonly poolId: number; readonly loginId: number } | null
  }
  readonly sessions: {
    page(slot: number, max: number, nas: null): { sessions: readonly AddressedSession[]; next: number | null }
  }
}
