import type { Author } from '../../domain/author.ts'
import type { SubscriberId } from '../../domain/ids.ts'

/** The client as author in the audit: `portal 12`, `phone 12` or `e-mail 12`; the number is the subscriber's id. */
export const clientAuthor = (channel: 'portal' | 'phone' | 'e-mail', id: SubscriberId, address: string): Author => ({
  staffId: null,
  name: `${channel} ${id}`,
  address,
})
