import { createdNow, moment, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A client signed in at the portal; the table has the SHA-256 of the key only. */
export const ClientSession = entity('client_sessions', {
  columns: {
    key_hash: text().primary(),
    login_id: reference('users').onDelete('cascade'),
    csrf_token: text(),
    created_at: createdNow(),
    expires_at: moment(),
    seen_at: createdNow(),
    address: text().nullable(),
    user_agent: text().nullable(),
  },
  indexes: [
    { name: 'client_sessions_login', columns: ['login_id'] },
    { name: 'client_sessions_expires_at', columns: ['expires_at'] },
  ],
})
