import { createdNow, moment, reference, text, uuid } from '../columns.ts'
import { entity } from '../entity.ts'

/** A phone that is signed in: one family of refresh tokens, of which the last one counts. */
export const PhoneSession = entity('phone_sessions', {
  columns: {
    id: uuid().primary(),
    login_id: reference('users').onDelete('cascade'),
    refresh_hash: text(),
    created_at: createdNow(),
    refreshed_at: createdNow(),
    expires_at: moment(),
    ended_at: moment().nullable(),
    end_reason: text().nullable(),
    address: text().nullable(),
    user_agent: text().nullable(),
  },
  checks: [
    {
      name: 'phone_sessions_end_reason',
      expression: `end_reason IN ('signed_out', 'reused', 'password', 'expired')`,
    },
  ],
  indexes: [
    { name: 'phone_sessions_login', columns: ['login_id'] },
    { name: 'phone_sessions_expires_at', columns: ['expires_at'] },
  ],
})
