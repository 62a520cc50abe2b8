import type { NasId, SubscriberId } from './ids.ts'

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

/** What is kept with a finished effect. */
export type EffectResult = Readonly<Record<string, unknown>>

/** What may be ordered without a commit. */
type OrderedKind = 'disconnect' | 'disconnectSession'
export type OrderedEffect = Extract<Effect, { kind: OrderedKind }>

/** Does an effect; null when it could not be finished now and is to be done again later. May be called twice for one effect. */
export type EffectHandlers = {
  readonly [K in Effect['kind']]?: (
    effect: Extract<Effect, { kind: K }>,
    /** Null: ordered while the database had been away for long, without a row. */
    outboxId: K extends OrderedKind ? number | null : number,
  ) => Promise<EffectResult | null>
}
