import type { AddressUse } from '../../../../network/access/pool-layout.ts'
import type { UsedAddress } from '../../../../network/access/pools.ts'
import type { SessionColumnsView } from '../../../../network/radius/accounting/session-memory.ts'
import type { TransactionScope } from '../../../../platform/storage/transactions.ts'

export type PoolParts = TransactionScope & {
  /** The pools as RADIUS gives out of them. */
  readonly pools: {
    countsOf(poolId: number): Readonly<Record<AddressUse, number>> | null
    usedAfter(poolId: number, after: number, max: number): readonly UsedAddress[]
    freeOnes(poolId: number, max: number): readonly number[]
    leaseAt(address: number): { readonly poolId: number; readonly loginId: number } | null
  }
  /** Users.ip of a login as RADIUS knows it, as a number; -1 for none. */
  readonly ownAddressOf: (loginId: number) => number
  /** The columns of all live sessions. */
  readonly sessions: { readonly view: Pick<SessionColumnsView, 'slots' | 'ips'> & SessionNumbers }
}

type SessionNumbers = { readonly numbers: Pick<SessionColumnsView['numbers'], 'nasId' | 'userId'> }
