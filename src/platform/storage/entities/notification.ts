import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { AdminAccount } from './admin-account.ts'
import { createdNow, id, looseId } from './columns.ts'

/** What a client was told, or is to be told: one row for each message and address. */
export const Notification = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: id(),
    account: () => p.manyToOne(AdminAccount).deleteRule('cascade').updateRule('no action').nullable(),
    subscriber: () => p.manyToOne(Abonent).deleteRule('cascade').updateRule('no action').nullable(),
    /** The template of the text: payment_credited, low_balance … */
    kind: p.text(),
    /** What is told once: `outbox:<id>`, `promise_expiring:<subscriber>:<end>`. */
    key: p.text().nullable(),
    /** Of a copy for a further device: the row it was copied from. */
    original_id: looseId(),
    /** Null while no provider fits. */
    channel: p.text().$type<'push' | 'sms' | 'email'>().nullable(),
    /** push_devices.id of a push. */
    device_id: looseId(),
    /** Phone or e-mail address; of a push the platform. */
    address: p.text().nullable(),
    title: p.text().default(''),
    text: p.text(),
    state: p.text().$type<'waiting' | 'sent' | 'failed'>().default('waiting'),
    /** Counted before the provider is asked, so that a crash in between does not send for ever. */
    attempts: p.integer().default(0),
    /** What the last attempt came to, or why there was none; null when all is well. */
    error: p.text().nullable(),
    next_try_at: p.datetime().nullable().defaultRaw('now()'),
    /** Told later it would be of no use. */
    expires_at: p.datetime().defaultRaw(`now() + interval '3 days'`),
    created_at: createdNow(),
    sent_at: p.datetime().nullable(),
  },
  checks: [
    { name: 'notifications_state', expression: `state IN ('waiting', 'sent', 'failed')` },
    { name: 'notifications_channel', expression: `channel IN ('push', 'sms', 'email')` },
    { name: 'notifications_next_try', expression: `(state = 'waiting') = (next_try_at IS NOT NULL)` },
  ],
  indexes: [
    {
      name: 'notifications_account',
      expression:
        'CREATE INDEX notifications_account ON notifications (account_id, id DESC) WHERE account_id IS NOT NULL',
    },
    {
      name: 'notifications_subscriber',
      expression:
        'CREATE INDEX notifications_subscriber ON notifications (subscriber_id, id DESC) WHERE subscriber_id IS NOT NULL',
    },
    {
      name: 'notifications_key',
      expression: 'CREATE UNIQUE INDEX notifications_key ON notifications (key) WHERE key IS NOT NULL',
    },
    {
      name: 'notifications_due',
      expression: `CREATE INDEX notifications_due ON notifications (channel, next_try_at) WHERE state = 'waiting'`,
    },
    { name: 'notifications_original', properties: ['original_id'], where: 'original_id IS NOT NULL' },
    { name: 'notifications_created', properties: ['created_at'] },
  ],
})
