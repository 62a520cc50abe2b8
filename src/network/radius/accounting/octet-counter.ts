import type { Late } from './stored-change.ts'

/**
 * Hears of each octet when it is durable, once, and of each session whose octets it heard of (network/radius/traffic);
 * sessions of other nodes are none of it.
 * What happens while accounting goes to the spool it does not hear of: then `forget` is called, and `settle` when the
 * tables are up to date again.
 */
export type OctetCounter = {
  /** A live session has been added to the table at this slot, or is about to be removed from it. */
  began(slot: number): void
  ended(slot: number): void
  /** A login has received and sent so much between two moments, in milliseconds since 1970. */
  count(loginId: number | null, fromMs: number, toMs: number, input: bigint, output: bigint): void
  /** A session that had ended has grown. */
  countLate(loginId: number, late: Late, toMs: number): void
  /** Another node has taken over sessions of the login. All is written of them when these rows of traffic_late go. */
  left(loginId: number, lateIds: readonly number[]): void
  /** What was heard may be incomplete from now on. */
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
