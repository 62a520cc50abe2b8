import { createdNow, moment, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A program that signed in by get_user_hash; the table has the SHA-256 of the hash_key only. */
export const SoapSession = entity('soap_sessions', {
  columns: {
    key_hash: text().primary(),
    staff_id: reference('staff').onDelete('cascade'),
    /** MD5 of the sealed password it signed in with: another password ends the session. */
    password_mark: text(),
    created_at: createdNow(),
    expires_at: moment(),
    address: text().nullable(),
  },
  indexes: [
    { name: 'soap_sessions_staff', columns: ['staff_id'] },
    { name: 'soap_sessions_expires_at', columns: ['expires_at'] },
  ],
})
