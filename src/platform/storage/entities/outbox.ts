import { createdNow, id, integer, json, looseId, moment, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** What must still happen outside after a commit; written in the same transaction. */
export const Outbox = entity('outbox', {
  columns: {
    id: id(),
    kind: text(),
    payload: json<Record<string, unknown>>(),
    subscriber_id: looseId(),
    created_at: createdNow(),
    due_at: createdNow(),
    attempts: integer().default(0),
    done_at: moment().nullable(),
    result: json<Record<string, unknown>>().nullable(),
  },
  indexes: [
    { name: 'outbox_pending', columns: ['id'], where: 'done_at IS NULL' },
    {
      name: 'outbox_subscriber',
      expression: 'CREATE INDEX outbox_subscriber ON outbox (subscriber_id, id DESC) WHERE subscriber_id IS NOT NULL',
    },
    { name: 'outbox_done', columns: ['done_at'], where: 'done_at IS NOT NULL' },
  ],
})
