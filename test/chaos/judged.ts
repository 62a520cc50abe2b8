import type { Violation } from './book.ts'
import type { NasSession } from './nas.ts'
import type { LineRow, SessionRow } from './tables.ts'

// What the judges are shown in their tests.

export const said = (violations: readonly Violation[]): string[] => violations.map(({ what }) => what)

const counters = { seconds: 9, input: 900n, output: 90n }
export const aSession = (over: Partial<NasSession> = {}): NasSession => ({
  ...{ nasIp: '127.0.0.1', login: 'ivan', sessionId: 's1', station: 'm', className: null, ip: null, beganAtMs: 0 },
  ...{ isLive: true, isForgotten: false, counters, acknowledged: counters },
  stopAcknowledged: false,
  heard: [],
  ...over,
})
export const aRow = (over: Partial<SessionRow> = {}): SessionRow => ({
  ...{ nasIp: '127.0.0.1', sessionId: 's1', login: 'ivan', ip: null, ...counters, isOpen: true, endReason: null },
  ...over,
})

export function aLine(over: Partial<LineRow> = {}): LineRow {
  return { login: 'ivan', subscriber: 50, enabled: true, operatorBlock: false, hasPromise: false, ...over }
}
