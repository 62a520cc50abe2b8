import type { Author } from '../../domain/author.ts'
import type { SubscriberId } from '../../domain/ids.ts'

/** A client in the audit: `portal 12`, `phone 12`; the number is the subscriber's. */
export const clientAuthor = (door: 'portal' | 'phone', id: SubscriberId, address: string): Author => ({
  staffId: null,
  name: `${door} ${id}`,
  address,
})
