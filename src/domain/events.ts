import type { RefusalCode } from './access.ts'
import type { Account } from './account.ts'
import type { StoredEffect } from './effects.ts'
import type { NasId, OrganizationId, SubscriberId } from './ids.ts'
import type { NasIdentity } from './nas.ts'
import type { Operation } from './operation.ts'
import type { Span } from './span.ts'
import type { ChangedTicket, TicketDeed } from './ticket.ts'

/**
 * A session as the rest of the program sees it, outside the RADIUS code. Octets are 64-bit, times are UTC,
 * `sessionTime` is in seconds.
 */
export type Session = {
  id: string
  login: string
  subscriberId: SubscriberId | null
  organizationId: OrganizationId | null
  nasId: NasId
  /** The address of the NAS in its record. */
  nasIp: string
  /** What the session's own packets say of their NAS. */
  nasIdentity: NasIdentity
  acctSessionId: string
  ip: string | null
  ipv6Prefix: string | null
  mac: string | null
  startedAt: Date
  updatedAt: Date
  sessionTime: number
  inputOctets: bigint
  outputOctets: bigint
  endedAt: Date | null
  endReason: string | null
}

/** How one NAS answered a Disconnect-Request or CoA-Request. */
export type CoaResult = 'ack' | 'nak' | 'no_answer'

/**
 * Everything that the ledger and the network publish, in this process. What another node has committed is published
 * here as well, when it has been read from the log of nodes.
 */
export type TollgateEvent =
  | {
      kind: 'accountCommitted'
      at: Date
      before: Account
      after: Account
      operations: readonly Operation[]
      /** Those that this program carries out. */
      effects: readonly StoredEffect[]
      /** The request on whose behalf it was committed, where that request is traced. */
      span?: Span
      /** Another node has committed it, and this one follows. */
      isForeign?: true
    }
  | {
      kind: 'sessionStarted' | 'sessionUpdated' | 'sessionStopped'
      at: Date
      session: Session
      /** Another node has stored it, and this one follows. */
      isForeign?: true
    }
  | {
      kind: 'accessRejected'
      at: Date
      login: string
      subscriberId: SubscriberId | null
      organizationId: OrganizationId | null
      nasId: NasId
      /** Why, as an operator reads it. */
      reason: string
      /** What programs call the reason. */
      code: RefusalCode
      station: string | null
    }
  | {
      kind: 'coaAnswered'
      at: Date
      nasId: NasId
      request: 'disconnect' | 'coa'
      login: string
      subscriberId: SubscriberId | null
      organizationId: OrganizationId | null
      result: CoaResult
      errorCause: number | null
      tookMs: number
    }
  | {
      /** A run of a job has begun, has come further or, with `ok`, has ended. */
      kind: 'jobChanged'
      at: Date
      name: string
      done: number
      /** Null where it is not known before the end. */
      total: number | null
      ok: boolean | null
    }
  /** `deeds` are those of one transaction, or of several that came close together. */
  | { kind: 'ticketChanged'; at: Date; deeds: readonly TicketDeed[]; ticket: ChangedTicket }

/** The member that has this kind, also where several kinds share one shape. */
export type EventOf<K extends TollgateEvent['kind']> = Member<TollgateEvent, K>
type Member<E, K> = E extends { kind: infer Kinds } ? (K extends Kinds ? E & { kind: K } : never) : never

type Handler<K extends TollgateEvent['kind']> = (event: EventOf<K>) => void

/** Publishing never throws and never waits: a handler that fails is reported to `onError` and the others still run. */
export class Events {
  readonly #handlers = new Map<TollgateEvent['kind'], ((event: TollgateEvent) => void)[]>()
  readonly #onError: (error: unknown, event: TollgateEvent) => void

  constructor(onError: (error: unknown, event: TollgateEvent) => void) {
    this.#onError = onError
  }

  on<K extends TollgateEvent['kind']>(kind: K, handler: Handler<K>): void {
    const handlers = this.#handlers.get(kind) ?? []
    // The map is keyed by kind, so a handler only ever gets events of its own kind.
    handlers.push(handler as (event: TollgateEvent) => void)
    this.#handlers.set(kind, handlers)
  }

  publish(event: TollgateEvent): void {
    for (const handler of this.#handlers.get(event.kind) ?? []) {
      try {
        handler(event)
      } catch (error) {
        this.#onError(error, event)
      }
    }
  }
}
