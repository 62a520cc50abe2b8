import type { Log } from '../../platform/log.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'
import type { Credited, Crediting, Refused } from './crediting.ts'
import type { GatewayAClient } from './gateway-a-client.ts'
import { type GatewayPayment, readBackFault } from './gateway-a-rest.ts'
import type { GatewayName, PaymentNotice } from './notice.ts'
import type { ProblemReason } from './problem-reasons.ts'
import type { NoticeOrigin, Problems } from './problems.ts'

/** The outcome of a notice, as a metric label. */
type NoticeOutcome =
  | 'credited'
  | 'repeated'
  /** Credited by reconciliation: the notice never came. */
  | 'reconciled'
  /** A wrong signature. */
  | 'forged'
  | Exclude<ProblemReason, 'badSignature'>
  /** The notice could not be processed now; the gateway sends it again. */
  | 'unavailable'
export type ObserveNotice = (gateway: GatewayName, outcome: NoticeOutcome) => void

/** The content of a gateway's message. */
export type ReadNotice =
  /** With `readBack`, the payment is credited only if the gateway's API returns the same payment. */
  | { readonly kind: 'paid'; readonly notice: PaymentNotice; readonly readBack: GatewayPayment | null }
  /** Nobody has paid yet; the gateway asks whether a payment would be credited. */
  | { readonly kind: 'question'; readonly notice: PaymentNotice }
  /** The notice is not proved to be genuine, or is not meant for us. */
  | (Refused & { readonly notice: PaymentNotice | null })
  /** There is nothing to do. */
  | { readonly kind: 'ignored' }

/** The outcome that the gateway is to be answered, in its own protocol. Refused notices are kept for the operator. */
export type TakenNotice =
  | { readonly kind: 'credited' | 'repeated'; readonly paidAt: Date }
  | { readonly kind: 'answered'; readonly isPayable: boolean }
  | Refused
  | { readonly kind: 'ignored' }
  /** The gateway must send the notice again. */
  | { readonly kind: 'unavailable' }

export type NoticeParts = {
  readonly crediting: Crediting
  readonly problems: Problems
  readonly gatewayA: Pick<GatewayAClient, 'read'>
  readonly log: Log
  readonly observe: ObserveNotice
}

/** Never rejects: an internal failure is returned as `unavailable`, and the gateway sends the notice again. */
export async function takeNotice(
  parts: NoticeParts,
  origin: NoticeOrigin,
  read: () => ReadNotice | Promise<ReadNotice>,
): Promise<TakenNotice> {
  try {
    return await settle(parts, origin, await read())
  } catch (error) {
    parts.observe(origin.gateway, 'unavailable')
    const unavailable = asUnavailable(error)
    if (unavailable) parts.log.warn('a payment notice must be sent again', { reason: unavailable.message })
    else parts.log.error('a payment notice could not be taken', { error })
    return { kind: 'unavailable' }
  }
}

async function settle(parts: NoticeParts, origin: NoticeOrigin, read: ReadNotice): Promise<TakenNotice> {
  switch (read.kind) {
    case 'ignored':
      return read
    case 'refused':
      await keepProblem(parts, origin, read, read.notice)
      return read
    case 'question': {
      const answer = await parts.crediting.question(read.notice)
      if (answer.kind === 'refused') await keepProblem(parts, origin, answer, read.notice)
      return answer
    }
    case 'paid':
      return settlePaid(parts, origin, read.notice, read.readBack)
  }
}

async function settlePaid(
  parts: NoticeParts,
  origin: NoticeOrigin,
  notice: PaymentNotice,
  payment: GatewayPayment | null,
): Promise<TakenNotice> {
  const confirm = payment && (() => readBack(parts.gatewayA, payment))
  const credited = await parts.crediting.credit(notice, origin, confirm)
  if (credited.kind === 'refused') await keepProblem(parts, origin, credited, notice)
  else parts.observe(origin.gateway, credited.kind)
  if (credited.kind === 'unavailable')
    parts.log.warn('a payment cannot be read back now', { payment: notice.gatewayId, detail: credited.detail })
  return credited
}

/** Confirms a payment through the gateway's API. Null: the gateway returns the same payment. */
async function readBack(
  gatewayA: Pick<GatewayAClient, 'read'>,
  notified: GatewayPayment,
): Promise<Exclude<Credited, { order: unknown }> | null> {
  const read = await gatewayA.read(notified.id)
  if (read.kind === 'unavailable') return read
  const refused = (reason: ProblemReason, detail: string): Refused => ({ kind: 'refused', reason, detail })
  if (read.kind === 'missing') return refused('notConfirmed', 'The gateway knows no such payment.')
  switch (readBackFault(notified, read.payment)) {
    case 'otherPayment':
      return refused('wrongAmount', 'The gateway shows another amount or other metadata.')
    case 'notSucceeded':
      return refused('notConfirmed', `The gateway says that the payment is ${read.payment.status}.`)
    case null:
      return null
  }
}

/** Keeps a notice that was not credited for the operator. */
async function keepProblem(
  parts: NoticeParts,
  origin: NoticeOrigin,
  { reason, detail }: Refused,
  notice: PaymentNotice | null,
): Promise<void> {
  const { gateway, address } = origin
  parts.observe(gateway, reason === 'badSignature' ? 'forged' : reason)
  parts.log.warn('a payment notice was not credited', { gateway, reason, detail, address })
  const keeping = parts.problems.keep({ ...origin, reason, detail, notice })
  // A notice that anybody may have forged is answered even without the database; every other notice must be repeated
  // until it is kept.
  if (reason !== 'badSignature') return keeping
  await keeping.catch((error: unknown) => parts.log.warn('a forged notice could not be kept', { error }))
}
