import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow } from './columns.ts'
import { Staff } from './staff.ts'

export const StaffSession = defineEntity({
  name: 'StaffSession',
  tableName: 'staff_sessions',
  properties: {
    /** SHA-256 of the session key in hex: who reads the table cannot sign in with it. */
    key_hash: p.text().primary(),
    staff: () => p.manyToOne(Staff).deleteRule('cascade').updateRule('no action'),
    csrf_token: p.text(),
    created_at: createdNow(),
    expires_at: p.datetime(),
    seen_at: createdNow(),
    address: p.text().nullable(),
    user_agent: p.text().nullable(),
  },
  indexes: [
    { name: 'staff_sessions_staff', properties: ['staff'] },
    { name: 'staff_sessions_expires_at', properties: ['expires_at'] },
  ],
})
