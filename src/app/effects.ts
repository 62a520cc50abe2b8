import { type RefundReceiptParts, refundReceipts } from '../billing/fiscal/refund-receipts.ts'
import { Messages, providersOf } from '../billing/messages/messages.ts'
import type { Base } from './base.ts'
import type { Network } from './network.ts'

/**
 * What carries out the effects of commits outside the program: Disconnects and changes of speed, which belong to the
 * network, and messages to clients.
 */
export type Effects = { readonly messages: Messages }

const disconnectGraceMs = 1_000

/** Until `startEffects` effects are only stored. */
export function openEffects(base: Base, { disconnects }: Network): Effects {
  const { config, log, clock, database, settings, metrics, outbox, outgoingHttp, onStop } = base
  const messages = new Messages({
    pool: database.pool,
    providers: providersOf(config.outgoing, outgoingHttp, clock),
    style: () => ({
      language: settings.get('MESSAGE_LANGUAGE'),
      timeZone: settings.get('TIME_ZONE'),
      lifetimeHours: settings.get('MESSAGE_LIFETIME_HOURS'),
      quietHours: settings.get('MAILING_QUIET_HOURS'),
    }),
    clock,
    log,
    observe: metrics.messages.result,
  })
  onStop(() => messages.stop())
  onStop(async () => {
    await disconnects.stop(disconnectGraceMs)
    await outbox.stop()
  })
  return { messages }
}

/** Opens the sockets for Disconnects, and takes up what an earlier run left. */
export async function startEffects(
  parts: Base & Network & Effects & Pick<RefundReceiptParts, 'fiscal'>,
): Promise<void> {
  const { outbox, disconnects, messages, settings } = parts
  await messages.start()
  await disconnects.start()
  await outbox.start({
    ...disconnects.handlers,
    notify: (effect, outboxId) => messages.notices.handle(effect, outboxId),
    refundReceipt: refundReceipts({ ...parts, timeZone: () => settings.get('TIME_ZONE') }),
  })
}
