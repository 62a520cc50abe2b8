import * as field from '../../platform/records/fields.ts'
import { type FieldSpec, type Model, modelOf } from '../../platform/records/model.ts'
import { AdminAccount, Currency } from '../../platform/storage/entities/accounts.ts'

const currencies: Model = modelOf({
  name: 'Currency',
  entity: Currency,
  audit: 'CURRENCIES',
  doc: 'A row of currencies.',
  fields: [field.key(), field.text('code', 'ISO 4217 letters.'), field.text('name', 'Name.')],
})

/** The account itself writes these fields, in a turn of its actor. */
const term = { apart: true } as const

/** The balance is never edited directly, only through finance operations (specification 2.3 rule 2). */
const balance = (name: string, doc: string): FieldSpec => field.money(name, doc, { access: 'refused' })

export const adminAccounts: Model = modelOf({
  name: 'AdminAccounts',
  entity: AdminAccount,
  counted: true,
  doc: 'A personal account. The balance is ostatok = debit - credit.',
  access: true,
  fields: [
    field.key(),
    balance('ostatok', 'Balance'),
    balance('debit', 'Sum of all receipts ever'),
    balance('credit', 'Sum of all write-offs ever'),
    field.money('limit', 'Lowest allowed balance while unlimited is false', term),
    field.boolean('unlimited', 'No blocking by balance.', term),
    field.datetime('unlimited_date', 'End of unlimited; null for none.', term),
    field.money('warn', 'Below it the client is told; null for never', term),
    field.datetime('sleep_date', 'Frozen until this moment.', term),
    field.money('bonus_score', 'Loyalty points'),
    field.relation('currency', 'Currency.', () => currencies),
    field.longText('comment', 'Comment.'),
    field.datetime('last_notification_date', 'When the client was told of a low balance; null tells again.'),
    field.datetime('create_date', 'When it was created.', field.readOnly),
  ],
})
