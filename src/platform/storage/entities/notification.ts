import { createdNow, id, integer, looseId, moment, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A message that was or will be sent to a client: one row for each message and address. */
export const Notification = entity('notifications', {
  columns: {
    id: id(),
    account_id: reference('admin_accounts').onDelete('cascade').nullable(),
    subscriber_id: reference('abonents').onDelete('cascade').nullable(),
    /** The template of the text: payment_credited, low_balance … */
    kind: text(),
    /** The key of a message that is sent only once: `outbox:<id>`, `promise_expiring:<subscriber>:<end>`. */
    key: text().nullable(),
    /** Of a copy for a further device: the row it was copied from. */
    original_id: looseId(),
    /** Null while no provider fits. */
    channel: text<'push' | 'sms' | 'email'>().nullable(),
    /** push_devices.id of a push. */
    device_id: looseId(),
    /** Phone or e-mail address; of a push the platform. */
    address: text().nullable(),
    title: text().default(''),
    text: text(),
    state: text<'waiting' | 'sent' | 'failed'>().default('waiting'),
    /** Counted before the provider is asked, so that a crash in between does not send for ever. */
    attempts: integer().default(0),
    /** What the last attempt came to, or why there was none; null when all is well. */
    error: text().nullable(),
    next_try_at: moment().nullable().defaultSql('now()'),
    /** After this time the message is of no use. */
    expires_at: moment().defaultSql(`now() + interval '3 days'`),
    created_at: createdNow(),
    sent_at: moment().nullable(),
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
    { name: 'notifications_original', columns: ['original_id'], where: 'original_id IS NOT NULL' },
    { name: 'notifications_created', columns: ['created_at'] },
  ],
})
