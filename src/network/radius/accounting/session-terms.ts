/**
 * The terms by which what a NAS tells is about a session that is known, or about another one of the same name, in
 * milliseconds. The sessions in memory and the statements of the database follow the same ones.
 */
export const sessionTerms = {
  /**
   * A NAS tells moments and delays in whole seconds, so two of them that mean the same moment may be this far apart.
   */
  roundingMs: 2_000,
  /** A Start that is so much later than the known one begins another session. */
  sameStartMs: 30_000,
  /** A packet without a Start that happened so much before the session began is about an earlier one. */
  beforeStartMs: 60_000,
} as const

/** A Start of a name that is known, with other bytes than the known one. */
export const beganAgain = (startedAtMs: number, knownMs: number): boolean =>
  startedAtMs > knownMs + sessionTerms.sameStartMs

/** END_REASON values of our own; a Stop's is the name of its Acct-Terminate-Cause. */
export const endReasons = {
  disconnectAck: 'Disconnect-ACK',
  disconnectNak: 'Disconnect-NAK',
  lostCarrier: 'Lost-Carrier',
  nasReboot: 'NAS-Reboot',
  /** A new Start of the same login and station: the Stop of this one was lost. */
  replaced: 'Replaced',
} as const

/**
 * Ends that we may only have concluded. They give way to the NAS's own word: its Stop, or an Interim-Update of a
 * session that lives.
 */
export const presumedEnds: readonly string[] = [endReasons.lostCarrier, endReasons.replaced]
