import type { Account } from './domain/account.ts'
import type { NasId, OrganizationId, SubscriberId } from './domain/ids.ts'
import type { Operation } from './domain/operation.ts'

/** A session as everybody outside the RADIUS room sees it. Octets are 64-bit. */
export type Session = {
  id: string
  login: string
  subscriberId: SubscriberId | null
  organizationId: OrganizationId | null
  nasId: NasId
  nasIp: string
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

/** What became of one Disconnect-Request or CoA-Request to one NAS. */
export type CoaResult = 'ack' | 'nak' | 'no_answer'

/** Everything that leaves the heart. In-process today; plain data, so that a broker can carry it between nodes. */
export type TollgateEvent =
  | {
      kind: 'accountCommitted'
      at: Date
      before: Account
      after: Account
      operations: readonly Operation[]
      effects: readonly StoredEffect[]
    }
  | { kind: 'sessionStarted' | 'sessionUpdated' | 'sessionStopped'; at: Date; session: Session }
  | {
      kind: 'accessRejected'
      at: Date
      login: string
      subscriberId: SubscriberId | null
      organizationId: OrganizationId | null
      nasId: NasId
      reason: string
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

/** Something to do outside after a commit, kept in the outbox until it is done. */
export type Effect =
  /** Cut every live session of these logins on every enabled NAS (specification 3.2). The subscriber is null where only a login was named. */
  | { kind: 'disconnect'; subscriberId: SubscriberId | null; logins: readonly string[] }
  /** Cut one session, by its name on the wire, unless it ended. `startedAt` is ISO 8601: the name may be used again. */
  | {
      kind: 'disconnectSession'
      subscriberId: SubscriberId | null
      nasId: NasId
      acctSessionId: string
      login: string
      startedAt: string
    }
  /** Tell the NAS that hold a session of these logins the new speed; disconnect where that fails (contract section 6). */
  | { kind: 'speed'; subscriberId: SubscriberId; logins: readonly string[] }
  /** A message for a subscriber. */
  | { kind: 'notify'; subscriberId: SubscriberId; template: string; values: Readonly<Record<string, string>> }

export type StoredEffect = { outboxId: number; effect: Effect }

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
