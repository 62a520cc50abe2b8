import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow } from './columns.ts'

/** What a client's request with an Idempotency-Key was answered; the same request gets it again, for ever. */
export const ClientAnswer = defineEntity({
  name: 'ClientAnswer',
  tableName: 'client_answers',
  properties: {
    subscriber: () => p.manyToOne(Abonent).primary().deleteRule('cascade').updateRule('no action'),
    key: p.text().primary(),
    request_hash: p.text(),
    /** Null while the first request is at work, or has died at it. */
    status: p.integer().nullable(),
    body: p.text().nullable(),
    created_at: createdNow(),
  },
})
