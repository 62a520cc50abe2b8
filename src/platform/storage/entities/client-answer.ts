import { createdNow, integer, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** What a client's request with an Idempotency-Key was answered; the same request gets it again, for ever. */
export const ClientAnswer = entity('client_answers', {
  columns: {
    subscriber_id: reference('abonents').onDelete('cascade').primary(),
    key: text().primary(),
    request_hash: text(),
    /** Null while the first request is at work, or has died at it. */
    status: integer().nullable(),
    body: text().nullable(),
    created_at: createdNow(),
  },
})
