/** How a record of the access table lies in memory. */

/** Octets of an IPv6 prefix attribute. */
export const prefixBytes = 18
/** Live sessions of one login beyond this number are counted, but their stations are not remembered. */
export const stationsMax = 16

/** Indexes of the 32-bit words of the fixed header. A name that ends in 64 holds a float64 and has an even index. */
export const word = {
  /** Odd while the record is being written. */
  sequence: 0,
  /**
   * The bytes that the record uses, in the low half; the size class of its block in the high half, which the table
   * writes and a private copy does not need.
   */
  size: 1,
  loginId64: 2,
  subscriberId64: 4,
  accountId64: 6,
  organizationId64: 8,
  poolId64: 10,
  asleepUntil64: 12,
  accessEnd64: 14,
  mac64: 16,
  accountVersion: 18,
  /** The bits of `flag` in the low half, the block bits in the high half. */
  flags: 19,
  ip: 20,
  downKbit: 21,
  upKbit: 22,
  simultaneousUse: 23,
  liveSessions: 24,
  stations: 25,
  stationRoom: 26,
  /**
   * Lengths in the variable part, whose order is: replaced attributes (float64), prefixes (by flag), login, password,
   * user's, tariff's and secret reply, stations.
   */
  loginBytes: 27,
  passwordBytes: 28,
  userReplyBytes: 29,
  tariffReplyBytes: 30,
  replacedCount: 31,
  /** keyBits of the replaced attributes. */
  replacedBits: 32,
  sessionSecondsMax: 33,
  secretReplyBytes: 34,
  vlan: 35,
} as const

/** Even, because float64 follow. */
export const headWords = 36
export const headBytes = headWords * 4

export const flag = {
  deleted: 1,
  disabledByHand: 2,
  loginEnabled: 4,
  subscriberEnabled: 8,
  walledGarden: 16,
  hasIp: 32,
  ipv6Prefix: 64,
  delegatedIpv6Prefix: 128,
  /** The password part is not the clear password but its NT hash, or the text of another hash. */
  ntHash: 256,
  hashedPassword: 512,
  ownVlan: 1024,
  /** The password part is what the table of logins has, still sealed. */
  sealedPassword: 2048,
} as const

/** The bytes in use, of a size word. */
export const usedBytesOf = (size: number): number => size & 0xffff

/** The largest size class of a record. Replies are shortened to fit before they get here. */
export const recordBytesMax = 8192
export const recordWordsMax = recordBytesMax / 4
