/**
 * Numbers of the attributes and vendors that the program itself reads or writes; dictionary.ts has all of them by name.
 */
export const attributes = {
  userName: 1,
  userPassword: 2,
  chapPassword: 3,
  nasIpAddress: 4,
  nasPort: 5,
  serviceType: 6,
  framedProtocol: 7,
  framedIpAddress: 8,
  framedIpNetmask: 9,
  filterId: 11,
  replyMessage: 18,
  framedRoute: 22,
  state: 24,
  class: 25,
  vendorSpecific: 26,
  sessionTimeout: 27,
  idleTimeout: 28,
  terminationAction: 29,
  calledStationId: 30,
  callingStationId: 31,
  nasIdentifier: 32,
  proxyState: 33,
  acctStatusType: 40,
  acctDelayTime: 41,
  acctInputOctets: 42,
  acctOutputOctets: 43,
  acctSessionId: 44,
  acctAuthentic: 45,
  acctSessionTime: 46,
  acctInputPackets: 47,
  acctOutputPackets: 48,
  acctTerminateCause: 49,
  acctMultiSessionId: 50,
  acctInputGigawords: 52,
  acctOutputGigawords: 53,
  eventTimestamp: 55,
  chapChallenge: 60,
  nasPortType: 61,
  eapMessage: 79,
  messageAuthenticator: 80,
  acctInterimInterval: 85,
  nasPortId: 87,
  framedPool: 88,
  chargeableUserIdentity: 89,
  nasIpv6Address: 95,
  framedIpv6Prefix: 97,
  framedIpv6Pool: 100,
  errorCause: 101,
  delegatedIpv6Prefix: 123,
  framedIpv6Address: 168,
} as const

/** Private enterprise numbers of the vendors (IANA). */
export const vendors = {
  cisco: 9,
  microsoft: 311,
  huawei: 2011,
  juniper: 2636,
  adslForum: 3561,
  erx: 4874,
  wispr: 14122,
  mikrotik: 14988,
} as const

/** RFC 2548. */
export const microsoft = {
  chapResponse: 1,
  chapError: 2,
  mppeEncryptionPolicy: 7,
  mppeEncryptionTypes: 8,
  chapDomain: 10,
  chapChallenge: 11,
  chapMppeKeys: 12,
  mppeSendKey: 16,
  mppeRecvKey: 17,
  chap2Response: 25,
  chap2Success: 26,
} as const
export const mikrotik = {
  recvLimit: 1,
  xmitLimit: 2,
  group: 3,
  rateLimit: 8,
  addressList: 19,
  delegatedIpv6Pool: 22,
} as const
export const cisco = { avPair: 1, subQosPolicyIn: 55, subQosPolicyOut: 56, accountInfo: 250, serviceInfo: 251 } as const
export const wispr = { bandwidthMinUp: 5, bandwidthMinDown: 6, bandwidthMaxUp: 7, bandwidthMaxDown: 8 } as const
export const huawei = {
  inputBurstSize: 1,
  inputAverageRate: 2,
  inputPeakRate: 3,
  outputBurstSize: 4,
  outputAverageRate: 5,
  outputPeakRate: 6,
  qosProfileName: 31,
} as const
/** Juniper's subscriber attributes have the vendor number of Unisphere (ERX), 4874. */
export const erx = {
  ingressPolicyName: 10,
  egressPolicyName: 11,
  qosProfileName: 26,
  serviceActivate: 65,
  serviceDeactivate: 66,
  serviceStatistics: 69,
  cosShapingRate: 177,
} as const

/** RFC 5176 section 3.6. */
export const errorCauses = {
  residualSessionContextRemoved: 201,
  invalidEapPacket: 202,
  unsupportedAttribute: 401,
  missingAttribute: 402,
  nasIdentificationMismatch: 403,
  invalidRequest: 404,
  unsupportedService: 405,
  unsupportedExtension: 406,
  invalidAttributeValue: 407,
  administrativelyProhibited: 501,
  requestNotRoutable: 502,
  sessionContextNotFound: 503,
  sessionContextNotRemovable: 504,
  otherProxyProcessingError: 505,
  resourcesUnavailable: 506,
  requestInitiated: 507,
  multipleSessionSelectionUnsupported: 508,
} as const
