import type { MailingField } from '../../../domain/mailing-text.ts'

export const channels = ['auto', 'push', 'sms', 'email'] as const

/** What is written to many. */
export type Draft = { readonly channel: (typeof channels)[number]; readonly title: string; readonly text: string }

/** The fields that a text may have. */
export const fields = [
  'name',
  'contract',
  'balance',
  'debt',
  'tariff',
  'address',
] as const satisfies readonly MailingField[]
