import { createdNow, id, moment, reference, text, textArray } from '../columns.ts'
import { entity } from '../entity.ts'

/** A key of a program that acts for a staff user within its scopes. */
export const ApiToken = entity('api_tokens', {
  columns: {
    id: id(),
    staff_id: reference('staff').onDelete('cascade'),
    name: text(),
    /** SHA-256 of the token in hex: who reads the table cannot sign in with it. */
    token_hash: text().unique('api_tokens_token_hash'),
    scopes: textArray(),
    created_at: createdNow(),
    /** Null: it holds until it is taken back. */
    expires_at: moment().nullable(),
    used_at: moment().nullable(),
  },
  indexes: [{ name: 'api_tokens_staff', columns: ['staff_id'] }],
})
