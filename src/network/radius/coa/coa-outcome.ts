import type { CoaResult } from '../../../domain/events.ts'

/** The outcome of one request to one NAS. */
export type CoaOutcome = {
  result: CoaResult
  errorCause: number | null
  /** Packets sent. */
  attempts: number
  sentAt: Date
  /** When its last packet left. */
  repeatedAt: Date
  answeredAt: Date | null
  /** Somebody answered with another secret than ours. */
  wasForged: boolean
}
