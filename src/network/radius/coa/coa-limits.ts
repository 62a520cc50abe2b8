export type CoaLimits = {
  /** The number of sockets. Each of them has 256 identifiers for every NAS. */
  sockets: number
  /** The maximum of unanswered requests to one NAS. */
  window: number
  nasPerSecond: number
  nasBurst: number
  /** Packets per second to all NAS together, so that a mass block does not occupy the main thread. */
  allPerSecond: number
  allBurst: number
  /** Broadcasts per second while requests about known sessions keep coming, so that these come through sooner. */
  yieldingPerSecond: number
}

export const coaLimits: CoaLimits = {
  // One turn of the event loop delivers at most a few dozen datagrams of a socket, so several sockets keep answers from
  // queueing up.
  sockets: 16,
  window: 512,
  nasPerSecond: 2000,
  nasBurst: 64,
  allPerSecond: 6_000,
  allBurst: 256,
  yieldingPerSecond: 1_000,
}
