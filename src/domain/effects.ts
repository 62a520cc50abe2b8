import type { Author } from './author.ts'
import type { NasId, OperationId, StaffId, SubscriberId } from './ids.ts'
import type { NasIdentity } from './nas.ts'
import type { WebhookEvent } from './webhook-events.ts'

/** A side effect that is carried out after a commit and kept in the outbox until it is done. */
export type Effect =
  /**
   * Disconnects every live session of these logins on every enabled NAS (specification 3.2). The subscriber is null
   * where only a login was given.
   */
  | { kind: 'disconnect'; subscriberId: SubscriberId | null; logins: readonly string[] }
  /**
   * Disconnects one session, identified by its Acct-Session-Id, unless it has ended. A NAS may reuse that id, so
   * `startedAt` (ISO 8601) identifies the session as well.
   */
  | {
      kind: 'disconnectSession'
      subscriberId: SubscriberId | null
      nasId: NasId
      /** Missing in a row that an older version wrote. */
      nasIdentity?: NasIdentity
      acctSessionId: string
      login: string
      startedAt: string
    }
  /**
   * Sends the new speed to every NAS with a session of these logins, and disconnects where that fails (contract section
   * 6). `vlan` says that the VLAN is another one too: that of the tariff, which counts for logins without one of their
   * own, or that of the login, whose speed is the same.
   */
  | { kind: 'speed'; subscriberId: SubscriberId; logins: readonly string[]; vlan?: VlanChange }
  /** Disconnects the sessions of these logins that have another address than they would get by a new sign-in. */
  | { kind: 'readdress'; subscriberId: SubscriberId; logins: readonly string[]; changes: AddressChanges }
  /** Has the receipt of a refund printed for a reversal, where that of the reversed payment was printed. */
  | {
      kind: 'refundReceipt'
      subscriberId: SubscriberId | null
      /** The reversal. */
      operationId: OperationId
      /** Who reversed it; null for the program itself. */
      staffId: StaffId | null
    }
  /** Has the gateway return the money of a payment that was reversed. */
  | {
      kind: 'gatewayRefund'
      subscriberId: SubscriberId | null
      /** The operation that had credited the payment. */
      operationId: OperationId
      reversalId: OperationId
      /** The payment's id at the gateway. */
      paymentId: string
      /** What the gateway returns, in units of money. */
      amount: string
      /** All that was paid, including the commission, in units of money. */
      paid: string
      author: Author
    }
  /** Sends a message to a subscriber. `values` fill the template. */
  | { kind: 'notify'; subscriberId: SubscriberId; template: string; values: Readonly<Record<string, string>> }
  /**
   * Tells an event to the endpoints of webhooks that want it. Triggers of the database write such rows too (migration
   * webhooks).
   */
  | ({ kind: 'webhook' } & WebhookEvent)

export type VlanChange = 'ofTariff' | 'ofLogin'

/** What a login had and what it has now. */
export type AddressChange = { readonly was: string | null; readonly is: string | null }

/** What is left out has not changed. */
export type AddressChanges = Readonly<
  Partial<Record<'ip' | 'ipv6Prefix' | 'delegatedIpv6Prefix' | 'mac', AddressChange>>
>

export type StoredEffect = { outboxId: number; effect: Effect }

/** The result that is stored with a finished effect. */
export type EffectResult = Readonly<Record<string, unknown>>

/** The kinds that may be ordered without a commit of the ledger. */
type OrderedKind = 'disconnect' | 'disconnectSession'
export type OrderedEffect = Extract<Effect, { kind: OrderedKind }>

/**
 * Carries out an effect and returns its result; null when it could not be finished now and is to be tried again later.
 * May be called twice for one effect.
 */
export type EffectHandlers = {
  readonly [K in Effect['kind']]?: (
    effect: Extract<Effect, { kind: K }>,
    /** Null: the effect was ordered without a row, because the database had been away for too long. */
    outboxId: K extends OrderedKind ? number | null : number,
  ) => Promise<EffectResult | null>
}
