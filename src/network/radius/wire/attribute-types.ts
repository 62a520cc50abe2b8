/**
 * Numbers of the attributes that the program itself reads or writes; dictionary.ts has all of them by name.
 */
export const attributes = {
  userName: 1,
  userPassword: 2,
  chapPassword: 3,
  nasIpAddress: 4,
  nasPort: 5,
  framedIpAddress: 8,
  replyMessage: 18,
  class: 25,
  vendorSpecific: 26,
  sessionTimeout: 27,
  calledStationId: 30,
  callingStationId: 31,
  nasIdentifier: 32,
  proxyState: 33,
  acctStatusType: 40,
  acctDelayTime: 41,
  acctInputOctets: 42,
  acctOutputOctets: 43,
  acctSessionId: 44,
  acctSessionTime: 46,
  acctInputPackets: 47,
  acctOutputPackets: 48,
  acctTerminateCause: 49,
  acctMultiSessionId: 50,
  acctInputGigawords: 52,
  acctOutputGigawords: 53,
  eventTimestamp: 55,
  chapChallenge: 60,
  eapMessage: 79,
  messageAuthenticator: 80,
  acctInterimInterval: 85,
  nasPortId: 87,
  nasIpv6Address: 95,
  framedIpv6Prefix: 97,
  errorCause: 101,
  delegatedIpv6Prefix: 123,
} as const

/** Private enterprise numbers of vendors (IANA). */
export const vendors = { microsoft: 311 } as const

/** RFC 2548. */
export const microsoft = {
  chapResponse: 1,
  chapError: 2,
  mppeEncryptionPolicy: 7,
  mppeEncryptionTypes: 8,
  chapChallenge: 11,
  chapMppeKeys: 12,
  mppeSendKey: 16,
  mppeRecvKey: 17,
  chap2Response: 25,
  chap2Success: 26,
} as const

/** Error-Causes (RFC 5176 section 3.6). */
export const errorCauses = { unsupportedAttribute: 401, sessionContextNotFound: 503 } as const
