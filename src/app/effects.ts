import { type RefundReceiptParts, refundReceipts } from '../billing/fiscal/refund-receipts.ts'
import { OptOutLinks } from '../billing/messages/mailing/opt-out.ts'
import { Messages, providersOf } from '../billing/messages/messages.ts'
import type { Payments } from '../billing/payments/payments.ts'
import { gatewayRefunds } from '../billing/payments/refunds.ts'
import { Webhooks } from '../billing/webhooks/webhooks.ts'
import type { SubscriberId } from '../domain/ids.ts'
import type { Base } from './base.ts'
import type { Network } from './network.ts'

/**
 * What carries out the effects of commits outside the program: Disconnects and changes of speed, which belong to the
 * network, messages to clients, and webhooks to programs of the provider.
 */
export type Effects = {
  readonly messages: Messages
  readonly optOutLinks: OptOutLinks
  readonly webhooks: Webhooks
}

const disconnectGraceMs = 1_000

/** Opens what carries out effects. Until `startEffects` they are only stored. */
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
  const webhooks = openWebhooks(base)
  onStop(async () => {
    await disconnects.stop(disconnectGraceMs)
    await outbox.stop()
  })
  return { messages, optOutLinks, webhooks }
}

function openWebhooks({ database, settings, outgoingHttp, secrets, metrics, clock, log, followers, onStop }: Base) {
  const webhooks = new Webhooks({
    database,
    timeZone: () => settings.get('TIME_ZONE'),
    http: outgoingHttp,
    secrets,
    clock,
    log,
    observe: metrics.webhooks.attempt,
  })
  followers.webhooks = webhooks
  onStop(() => webhooks.stop())
  onStop(database.onNotice((payload) => webhooks.noticed(payload)))
  onStop(database.onUp(() => void webhooks.changed()))
  return webhooks
}

/** Opens the sockets for Disconnects, and takes up what an earlier run left. */
export async function startEffects(
  parts: Base &
    Network &
    Effects &
    Pick<RefundReceiptParts, 'fiscal'> & { readonly payments: Pick<Payments, 'refunds'> },
): Promise<void> {
  const { outbox, disconnects, messages, webhooks, settings, payments } = parts
  const scope = { ...parts, timeZone: () => settings.get('TIME_ZONE') }
  await messages.start()
  await disconnects.start()
  await webhooks.start()
  await outbox.start({
    ...disconnects.handlers,
    notify: (effect, outboxId) => messages.notices.handle(effect, outboxId),
    refundReceipt: refundReceipts(scope),
    gatewayRefund: gatewayRefunds(scope, payments.refunds),
  })
}
