import {
  boolean,
  datetime,
  type FieldSpec,
  key,
  longText,
  type Model,
  modelOf,
  money,
  readOnly,
  relation,
  text,
} from '../../platform/records/model.ts'
import { AdminAccount, Currency } from '../../platform/storage/entities/accounts.ts'

const currencies: Model = modelOf({
  name: 'Currency',
  entity: Currency,
  label: 'currency',
  audit: 'CURRENCIES',
  doc: 'A row of currencies.',
  fields: [key(), text('code', 'ISO 4217 letters.'), text('name', 'Name.')],
})

/** The account itself writes these fields, in a turn of its actor. */
const term = { apart: true } as const

/** The balance is never edited directly, only through finance operations (specification 2.3 rule 2). */
const balance = (name: string, doc: string): FieldSpec => money(name, doc, { access: 'refused' })

export const adminAccounts: Model = modelOf({
  name: 'AdminAccounts',
  entity: AdminAccount,
  label: 'admin accounts',
  audit: 'ADMIN_ACCOUNTS',
  counted: true,
  doc: 'A personal account. The balance is ostatok = debit - credit.',
  access: true,
  fields: [
    key(),
    balance('ostatok', 'Balance'),
    balance('debit', 'Sum of all receipts ever'),
    balance('credit', 'Sum of all write-offs ever'),
    money('limit', 'Lowest allowed balance while unlimited is false', term),
    boolean('unlimited', 'No blocking by balance.', term),
    datetime('unlimited_date', 'End of unlimited; null for none.', term),
    money('warn', 'Below it the client is told; null for never', term),
    datetime('sleep_date', 'Frozen until this moment.', term),
    money('bonus_score', 'Loyalty points'),
    relation('currency', 'Currency.', () => currencies),
    longText('comment', 'Comment.'),
    datetime('last_notification_date', 'When the client was told of a low balance; null tells again.'),
    datetime('create_date', 'When it was created.', readOnly),
  ],
})
