/** What crosses the border between the main thread and the RADIUS worker threads. Plain data only. */
import type { NasId } from '../domain/ids.ts'

export type NasType = 'mikrotik' | 'cisco' | 'juniper' | 'huawei' | 'accel' | 'generic'
/** yes, no, or auto: learned from the first valid request of the NAS, as FreeRADIUS 3.2.5 does. */
export type Tristate = 'yes' | 'no' | 'auto'

/** A NAS as the wire needs it; the secret is in clear here and in memory only. */
export type NasEntry = {
  id: NasId
  name: string
  /** IPv4 or IPv6 text; the only source address that is answered. */
  ip: string
  secret: string
  type: NasType
  coaPort: number
  enabled: boolean
  requireMessageAuthenticator: Tristate
  limitProxyState: Tristate
}

/** Accounting-Requests of one event-loop turn of a worker: already authenticated, not yet decoded. */
export type AccountingBatch = {
  kind: 'accounting'
  /** Answered by number with AccountingAnswer; unique within the worker. */
  tokens: Int32Array
  nasIds: Int32Array
  /** End offset of each packet in `packets`. */
  ends: Int32Array
  packets: Uint8Array
}

/** Stored durably: the worker may send the responses. Tokens that are absent stay unanswered, and the NAS repeats. */
export type AccountingAnswer = { kind: 'accountingStored'; tokens: Int32Array }

/** Where the engine hands accounting to; resolves with the accepted indexes of the batch once they are durable. */
export type AccountingSink = (batch: AccountingBatch) => Promise<Int32Array>
