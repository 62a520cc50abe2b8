import type { Session } from '../../src/domain/events.ts'
import { nasId, organizationId } from '../../src/domain/ids.ts'

export const aSession = (over: Partial<Session> = {}): Session => ({
  id: '1',
  login: 'ivan',
  subscriberId: null,
  organizationId: organizationId(1),
  nasId: nasId(1),
  nasIp: '127.0.0.1',
  nasIdentity: { ipAddress: '10.9.0.1', ipv6Address: null, identifier: 'bras' },
  acctSessionId: 'abc',
  ip: '10.0.0.1',
  ipv6Prefix: null,
  mac: null,
  startedAt: new Date('2026-03-01T12:00:00Z'),
  updatedAt: new Date('2026-03-01T12:00:00Z'),
  sessionTime: 0,
  inputOctets: 0n,
  outputOctets: 0n,
  endedAt: null,
  endReason: null,
  ...over,
})
