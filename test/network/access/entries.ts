import type { AccessFields, AccessPart } from '../../../src/network/access/record.ts'

export const openAccess: AccessPart = {
  accountId: 2_000_000,
  accountVersion: 1,
  deleted: false,
  disabledByHand: false,
  loginEnabled: true,
  subscriberEnabled: true,
  blockBits: 0,
  asleepUntil: 0,
  accessEnd: 0,
}

/** A login with open access; what a test is about goes into `changes`. */
export const fieldsOf = (loginId: number, changes: Partial<AccessFields> = {}): AccessFields => ({
  loginId,
  subscriberId: loginId + 1_000_000,
  organizationId: 1,
  login: `user${loginId}`,
  password: `secret${loginId}`,
  isSealed: false,
  mac: -1,
  ip: -1,
  poolId: 0,
  ipv6Prefix: null,
  delegatedIpv6Prefix: null,
  simultaneousUse: 1,
  downKbit: 0,
  upKbit: 0,
  vlan: 0,
  hasOwnVlan: false,
  walledGarden: false,
  userReply: new Uint8Array(0),
  tariffReply: new Uint8Array(0),
  secretReply: new Uint8Array(0),
  replaced: [],
  sessionSecondsMax: 0,
  access: openAccess,
  ...changes,
})
