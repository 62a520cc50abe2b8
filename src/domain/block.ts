/**
 * Why a subscriber is blocked (specification 2.6). Several reasons may apply at once; access returns when none is left.
 * debt = b_negbal, operator = b_admin, client = b_own, system = b_sys.
 */
export const blockReasons = ['debt', 'operator', 'client', 'system'] as const
export type BlockReason = (typeof blockReasons)[number]

export type Blocks = Readonly<Record<BlockReason, boolean>>

export const noBlocks: Blocks = Object.freeze({ debt: false, operator: false, client: false, system: false })

export const isBlocked = (blocks: Blocks): boolean => blocks.debt || blocks.operator || blocks.client || blocks.system

export const sameBlocks = (a: Blocks, b: Blocks): boolean => blockReasons.every((reason) => a[reason] === b[reason])

export const withBlock = (blocks: Blocks, reason: BlockReason, on: boolean): Blocks =>
  blocks[reason] === on ? blocks : { ...blocks, [reason]: on }

/** The bits of the blocks in the shared access table. */
export const blockBits = { debt: 1, operator: 2, client: 4, system: 8 } as const satisfies Record<BlockReason, number>

export const blocksToBits = (blocks: Blocks): number =>
  blockReasons.reduce((bits, reason) => (blocks[reason] ? bits | blockBits[reason] : bits), 0)
