/** The part of an address pool that the main thread and the workers share. `network` is a 32-bit IPv4 address. */
export type PoolShare = { id: number; network: number; size: number; memory: SharedArrayBuffer }

/** A larger network leases only its first 1,048,576 addresses. */
export const poolAddressesMax = 1 << 20

/**
 * The places of the header. Two are limits that hold where several programs share one database (pool-blocks.ts): from
 * the second `newUntil` on no login gets an address that it does not have yet, and an address that was freed in the
 * second `restFrom` or later goes to its last holder alone. 0 stands for no limit. `refused` and `untold` are counters.
 */
export const header = { lock: 0, free: 1, state: 2, newUntil: 3, restFrom: 4, refused: 5, untold: 6, words: 8 } as const
export const poolState = { open: 0, closed: 1, replaced: 2 } as const

/** Why an address cannot be leased. */
export const taken = { excluded: 1, fixed: 2, leased: 4, foreign: 16 } as const
export const anyTaken = taken.excluded | taken.fixed | taken.leased | taken.foreign
/** A flag: the address is in the index, by the login and station that lease it or had it last. */
export const indexed = 8
/** A flag: the address is in a block of another program, which has not been told of its offer yet. */
export const untold = 32

/** The login and station that lease an address or had it last. */
export type Holder = { address: number; loginId: number; station: number }
export type Lease = Holder & { offeredAt: number; holders: number }

/** Seconds of a clock that all threads share and that nobody sets. */
export const steadySeconds = (): number => process.hrtime()[0] + 1

/** How many of some addresses are free, and how many are offered while their session has not begun. */
export type UsedPart = { readonly free: number; readonly offered: number }

/** `excluded`: network, broadcast and gateway; `fixed`: Users.ip of a login; `held` by a live session. */
export type AddressUse = 'excluded' | 'fixed' | 'held' | 'offered' | 'free'

/** `replaced`: the pool has new memory, and the caller asks again there. */
export type AcquireResult = number | 'exhausted' | 'replaced'

export const indexSize = (size: number) => {
  let slots = 4
  while (slots < size * 2) slots *= 2
  return slots
}

export const loginsOffset = (size: number) => Math.ceil(((header.words + 2 + size * 7 + indexSize(size)) * 4) / 8) * 8
