import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow } from './columns.ts'
import { User } from './user.ts'

/** A phone that is signed in: one family of refresh tokens, of which the last one counts. */
export const PhoneSession = defineEntity({
  name: 'PhoneSession',
  tableName: 'phone_sessions',
  properties: {
    id: p.uuid().primary(),
    login: () => p.manyToOne(User).deleteRule('cascade').updateRule('no action'),
    refresh_hash: p.text(),
    created_at: createdNow(),
    refreshed_at: createdNow(),
    expires_at: p.datetime(),
    ended_at: p.datetime().nullable(),
    end_reason: p.text().nullable(),
    address: p.text().nullable(),
    user_agent: p.text().nullable(),
  },
  checks: [
    {
      name: 'phone_sessions_end_reason',
      expression: `end_reason IN ('signed_out', 'reused', 'password', 'expired')`,
    },
  ],
  indexes: [
    { name: 'phone_sessions_login', properties: ['login'] },
    { name: 'phone_sessions_expires_at', properties: ['expires_at'] },
  ],
})
