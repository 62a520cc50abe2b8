import { createdNow, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** The ids of the keys without which sealed values of this database do not open; no key itself. */
export const SecretKey = entity('secret_keys', {
  columns: {
    key_id: text().primary(),
    since: createdNow(),
  },
})
