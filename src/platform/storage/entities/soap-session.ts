import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow } from './columns.ts'
import { Staff } from './staff.ts'

/** A program that signed in by get_user_hash; the table has the SHA-256 of the hash_key only. */
export const SoapSession = defineEntity({
  name: 'SoapSession',
  tableName: 'soap_sessions',
  properties: {
    key_hash: p.text().primary(),
    staff: () => p.manyToOne(Staff).deleteRule('cascade').updateRule('no action'),
    /** MD5 of the sealed password it signed in with: another password ends the session. */
    password_mark: p.text(),
    created_at: createdNow(),
    expires_at: p.datetime(),
    address: p.text().nullable(),
  },
  indexes: [
    { name: 'soap_sessions_staff', properties: ['staff'] },
    { name: 'soap_sessions_expires_at', properties: ['expires_at'] },
  ],
})
