import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow, money } from './columns.ts'

/** A promise payment offered by SMS that waits for its ДА (specification 6); kept so that a restart forgets no question. */
export const SmsQuestion = defineEntity({
  name: 'SmsQuestion',
  tableName: 'sms_questions',
  properties: {
    subscriber: () => p.oneToOne(Abonent).primary().deleteRule('cascade').updateRule('no action'),
    /** What was offered: the limit, and the end. */
    amount: money(),
    until: p.datetime(),
    asked_at: createdNow(),
  },
})
