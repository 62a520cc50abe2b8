import type { Late } from './stored-change.ts'

/**
 * Is told of each octet once, when it is durable, and of each session of this node whose octets it is told of
 * (network/radius/traffic). It is not told of what happens while accounting goes to the spool: then `forget` is called,
 * and `settle` when the tables are up to date again.
 */
export type OctetCounter = {
  /** A live session has been added to the table at this slot, or is about to be removed from it. */
  began(slot: number): void
  ended(slot: number): void
  /** A login has received and sent so much between two moments, in milliseconds since 1970. */
  count(loginId: number | null, fromMs: number, toMs: number, input: bigint, output: bigint): void
  /** A session that had ended has grown. */
  countLate(loginId: number, late: Late, toMs: number): void
  /**
   * Another node has taken over sessions of the login. These rows of traffic_late are deleted when everything that was
   * counted of them is written.
   */
  left(loginId: number, lateIds: readonly number[]): void
  /** From now on the counter may have missed something. */
  forget(): void
  /** False when `settle` has to find out what was missed. */
  readonly isSettled: boolean
  /** Called while nothing is being stored. Rejects when the database is unavailable. */
  settle(): Promise<void>
}

export const noCounter: OctetCounter = {
  began: () => {},
  ended: () => {},
  count: () => {},
  countLate: () => {},
  left: () => {},
  forget: () => {},
  isSettled: true,
  settle: async () => {},
}
