import { type RefundReceiptParts, refundReceipts } from '../billing/fiscal/refund-receipts.ts'
import { OptOutLinks } from '../billing/messages/mailing/opt-out.ts'
import { Messages, providersOf } from '../billing/messages/messages.ts'
import type { SubscriberId } from '../domain/ids.ts'
import type { Base } from './base.ts'
import type { Network } from './network.ts'

/**
 * What carries out the effects of commits outside the program: Disconnects and changes of speed, which belong to the
 * network, and messages to clients.
 */
export type Effects = { readonly messages: Messages; readonly optOutLinks: OptOutLinks }

const disconnectGraceMs = 1_000

/** Until `startEffects` effects are only stored. */
export function openEffects(base: Base, { disconnects }: Network): Effects {
  const { config, log, clock, database, secrets, settings, metrics, outbox, outgoingHttp, publicUrl, onStop } = base
  const optOutLinks = new OptOutLinks(secrets.derive('mailing opt-out'), publicUrl)
  // RFC 8058 wants HTTPS; a program that is reached by plain HTTP is being tried out.
  const optOutLink = (id: SubscriberId) => (publicUrl().startsWith('https:') ? optOutLinks.linkOf(id) : null)
  const messages = new Messages({
    pool: database.pool,
    providers: providersOf(config.outgoing, outgoingHttp, clock, optOutLink),
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
  return { messages, optOutLinks }
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
