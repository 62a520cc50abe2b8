import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { AdminAccount } from './admin-account.ts'
import { createdNow, id } from './columns.ts'

/** What a client was told. */
export const Notification = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: id(),
    account: () => p.manyToOne(AdminAccount).deleteRule('cascade').updateRule('no action').nullable(),
    subscriber: () => p.manyToOne(Abonent).deleteRule('cascade').updateRule('no action').nullable(),
    kind: p.text(),
    /** sms, push, email; null while no provider took it. */
    channel: p.text().nullable(),
    text: p.text(),
    created_at: createdNow(),
    sent_at: p.datetime().nullable(),
  },
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
  ],
})
