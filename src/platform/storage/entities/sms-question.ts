import { createdNow, moment, money, reference } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * A promise payment offered by SMS that waits for its ДА (specification 6); kept so that a restart forgets no question.
 */
export const SmsQuestion = entity('sms_questions', {
  columns: {
    subscriber_id: reference('abonents').onDelete('cascade').primary(),
    /** What was offered: the limit, and the end. */
    amount: money(),
    until: moment(),
    asked_at: createdNow(),
  },
})
