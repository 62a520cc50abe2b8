import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, id } from './columns.ts'
import { Staff } from './staff.ts'

/** A key of a program that acts for a staff user within its scopes. */
export const ApiToken = defineEntity({
  name: 'ApiToken',
  tableName: 'api_tokens',
  properties: {
    id: id(),
    staff: () => p.manyToOne(Staff).deleteRule('cascade').updateRule('no action'),
    name: p.text(),
    /** SHA-256 of the token in hex: who reads the table cannot sign in with it. */
    token_hash: p.text().unique('api_tokens_token_hash'),
    scopes: p.array(),
    created_at: createdNow(),
    /** Null: it holds until it is taken back. */
    expires_at: p.datetime().nullable(),
    used_at: p.datetime().nullable(),
  },
  indexes: [{ name: 'api_tokens_staff', properties: ['staff'] }],
})
