import { createdNow, id, int8, integer, looseId, moment, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** Each Disconnect-Request or CoA-Request to one NAS and what became of it. */
export const CoaRequest = entity('coa_requests', {
  columns: {
    id: id(),
    outbox_id: looseId(),
    nas_id: int8(),
    request: text<'disconnect' | 'coa'>(),
    login: text(),
    subscriber_id: looseId(),
    /** radius_sessions.id of the session the NAS was thought to hold. */
    session_id: looseId(),
    sent_at: createdNow(),
    answered_at: moment().nullable(),
    attempts: integer().default(1),
    /** Null while waiting. */
    result: text<'ack' | 'nak' | 'no_answer'>().nullable(),
    error_cause: integer().nullable(),
  },
  checks: [
    { name: 'coa_requests_request', expression: `request IN ('disconnect', 'coa')` },
    { name: 'coa_requests_result', expression: `result IN ('ack', 'nak', 'no_answer')` },
  ],
  indexes: [
    {
      name: 'coa_requests_sent_at',
      expression: 'CREATE INDEX coa_requests_sent_at ON coa_requests (sent_at DESC, id DESC)',
    },
    { name: 'coa_requests_outbox', columns: ['outbox_id'], where: 'outbox_id IS NOT NULL' },
    {
      name: 'coa_requests_subscriber',
      expression:
        'CREATE INDEX coa_requests_subscriber ON coa_requests (subscriber_id, id DESC) WHERE subscriber_id IS NOT NULL',
    },
    { name: 'coa_requests_nas', expression: 'CREATE INDEX coa_requests_nas ON coa_requests (nas_id, id DESC)' },
  ],
})
