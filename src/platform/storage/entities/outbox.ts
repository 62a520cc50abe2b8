import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, id, looseId } from './columns.ts'

/** What must still happen outside after a commit; written in the same transaction. */
export const Outbox = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    id: id(),
    kind: p.text(),
    payload: p.json<Record<string, unknown>>(),
    subscriber_id: looseId(),
    created_at: createdNow(),
    due_at: createdNow(),
    attempts: p.integer().default(0),
    done_at: p.datetime().nullable(),
    result: p.json<Record<string, unknown>>().nullable(),
  },
  indexes: [
    { name: 'outbox_pending', properties: ['id'], where: 'done_at IS NULL' },
    {
      name: 'outbox_subscriber',
      expression: 'CREATE INDEX outbox_subscriber ON outbox (subscriber_id, id DESC) WHERE subscriber_id IS NOT NULL',
    },
    { name: 'outbox_done', properties: ['done_at'], where: 'done_at IS NOT NULL' },
  ],
})
