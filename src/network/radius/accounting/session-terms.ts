import { thisNodeSql } from '../../../platform/storage/columns.ts'

/**
 * The limits that decide whether a packet belongs to the known session or to another one of the same name, in
 * milliseconds. The sessions in memory and the SQL statements use the same limits.
 */
export const sessionTerms = {
  /**
   * A NAS reports times and delays in whole seconds, so two reports of the same moment may differ by this much.
   */
  roundingMs: 2_000,
  /** A Start that is later than the known one by more than this begins another session. */
  sameStartMs: 30_000,
  /**
   * A packet other than a Start that happened earlier than the session's start by more than this belongs to an earlier
   * session.
   */
  beforeStartMs: 60_000,
} as const

/**
 * The moment from which on a time lies in the future, so that the clock has been set back since: clocks of two nodes
 * differ by a little.
 */
export const futureFrom = (nowMs: number): number => nowMs + sessionTerms.roundingMs

/**
 * Whether this node is the one that heard of the session, or of the reboot, last. It stores in the order in which it
 * receives, so it received what it stores now afterwards, whatever the clock says.
 */
export const isOwnSql = (row: string): string => `${row}.node = ${thisNodeSql}`

/** The moment from which on a time of the row lies in the future of the packet. */
export const futureOfSql = (packet: string, row: string): string =>
  `CASE WHEN ${isOwnSql(row)} THEN ${packet}.heard_at + interval '${sessionTerms.roundingMs} ms' ELSE ${packet}.future_from END`

/** Whether a Start with a known name, but other bytes than the known Start, begins another session. */
export const beganAgain = (startedAtMs: number, knownMs: number): boolean =>
  startedAtMs > knownMs + sessionTerms.sameStartMs

/** The END_REASON values of our own; that of a Stop is the name of its Acct-Terminate-Cause (RFC 2866 section 5.10). */
export const endReasons = {
  disconnectAck: 'Disconnect-ACK',
  disconnectNak: 'Disconnect-NAK',
  lostCarrier: 'Lost-Carrier',
  nasReboot: 'NAS-Reboot',
  /** The NAS reports nothing and was told to end the session by now. */
  sessionTimeout: 'Session-Timeout',
  /** A new Start of the same login and station: the Stop of this one was lost. */
  replaced: 'Replaced',
} as const

/**
 * Ends that we only presumed. A report of the NAS itself overrides them: its Stop, or an Interim-Update of a session
 * that lives. A NAS that has no such session may have been the wrong one behind a proxy, and so may one that started
 * anew. Only a Disconnect-ACK is the word of the NAS that has the session.
 */
export const presumedEnds: readonly string[] = [
  endReasons.lostCarrier,
  endReasons.replaced,
  endReasons.sessionTimeout,
  endReasons.disconnectNak,
  endReasons.nasReboot,
]
