import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow } from './columns.ts'
import { User } from './user.ts'

/** A client signed in at the portal; the table has the SHA-256 of the key only. */
export const ClientSession = defineEntity({
  name: 'ClientSession',
  tableName: 'client_sessions',
  properties: {
    key_hash: p.text().primary(),
    login: () => p.manyToOne(User).deleteRule('cascade').updateRule('no action'),
    csrf_token: p.text(),
    created_at: createdNow(),
    expires_at: p.datetime(),
    seen_at: createdNow(),
    address: p.text().nullable(),
    user_agent: p.text().nullable(),
  },
  indexes: [
    { name: 'client_sessions_login', properties: ['login'] },
    { name: 'client_sessions_expires_at', properties: ['expires_at'] },
  ],
})
