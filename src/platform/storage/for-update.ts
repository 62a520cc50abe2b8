import type { LockMode } from '@mikro-orm/core'

/**
 * Option of an EntityManager's find: the row is locked. Not MikroORM's own constant, because importing that would load
 * it all.
 */
export const forUpdate = { lockMode: 3 } as const satisfies { lockMode: LockMode.PESSIMISTIC_WRITE }
