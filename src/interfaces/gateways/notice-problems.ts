import type { Crediting } from '../../billing/payments/crediting.ts'
import type { GatewayACalls } from '../../billing/payments/gateway-a-client.ts'
import type { PaymentSettings } from '../../billing/payments/gateways.ts'
import type { GatewayName, PaymentNotice, Protocol } from '../../billing/payments/notice.ts'
import type { ProblemReason, Problems } from '../../billing/payments/problems.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import type { Log } from '../../platform/log.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'

/** What became of a notice, for who counts them. */
export type NoticeOutcome =
  | 'credited'
  | 'repeated'
  /** Credited by reconciliation: the notice never came. */
  | 'reconciled'
  /** A wrong signature. */
  | 'forged'
  | Exclude<ProblemReason, 'badSignature'>
  /** Could not be taken now; the gateway sends it again. */
  | 'unavailable'
export type ObserveNotice = (gateway: GatewayName, outcome: NoticeOutcome) => void

/** What the answers to all protocols stand on. */
export type WebhookParts = {
  readonly crediting: Crediting
  readonly problems: Problems
  readonly gatewayA: Pick<GatewayACalls, 'read'>
  readonly settings: PaymentSettings
  readonly clock: Clock
  readonly log: Log
  readonly observe: ObserveNotice
}

/** What of a call a gateway's notice is made of. */
export type NoticeCall = Pick<Call, 'header' | 'body' | 'address'>

export type Kept = {
  readonly gateway: GatewayName
  readonly protocol: Protocol
  readonly reason: ProblemReason
  readonly detail: string
  readonly notice: PaymentNotice | null
  readonly shown: string
}

/** Keeps for the operator what was not credited. */
export async function keepProblem(parts: WebhookParts, call: NoticeCall, kept: Kept): Promise<void> {
  const { notice, shown, ...problem } = kept
  const { gateway, reason, detail } = problem
  parts.observe(gateway, reason === 'badSignature' ? 'forged' : reason)
  parts.log.warn('a payment notice was not credited', { gateway, reason, detail, address: call.address })
  const keeping = parts.problems.keep({
    ...problem,
    orderId: notice?.orderId ?? null,
    subscriberId: notice?.subscriberId ?? null,
    gatewayId: notice?.gatewayId ?? null,
    amount: notice?.paid ?? null,
    address: call.address,
    notice: shown,
  })
  // What anybody may have sent has its answer without the database too; everything else is to be sent again until it is kept.
  if (reason !== 'badSignature') return keeping
  await keeping.catch((error: unknown) => parts.log.warn('a forged notice could not be kept', { error }))
}

/** A failure of ours, in the gateway's words: it asks again. */
export async function answering(
  parts: WebhookParts,
  gateway: GatewayName,
  answer: () => Promise<Reply>,
  failed: () => Reply,
): Promise<Reply> {
  try {
    return await answer()
  } catch (error) {
    parts.observe(gateway, 'unavailable')
    const unavailable = asUnavailable(error)
    if (unavailable) parts.log.warn('a payment notice must be sent again', { reason: unavailable.message })
    else parts.log.error('a payment notice could not be taken', { error })
    return failed()
  }
}
