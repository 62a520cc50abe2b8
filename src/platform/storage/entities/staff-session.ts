import { createdNow, moment, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

export const StaffSession = entity('staff_sessions', {
  columns: {
    /** SHA-256 of the session key in hex: who reads the table cannot sign in with it. */
    key_hash: text().primary(),
    staff_id: reference('staff').onDelete('cascade'),
    csrf_token: text(),
    created_at: createdNow(),
    expires_at: moment(),
    seen_at: createdNow(),
    address: text().nullable(),
    user_agent: text().nullable(),
  },
  indexes: [
    { name: 'staff_sessions_staff', columns: ['staff_id'] },
    { name: 'staff_sessions_expires_at', columns: ['expires_at'] },
  ],
})
