import type { Field } from './description.ts'
import { matching, oneOf, words } from './kinds.ts'

const digits = (...lengths: readonly number[]) =>
  matching(
    new RegExp(`^(${lengths.map((length) => `\\d{${length}}`).join('|')})$`),
    `have ${lengths.join(' or ')} digits`,
  )

/** What a printed document says of the organization that is paid (documents/). All of it may be left out. */
export const requisites: readonly Field[] = [
  { name: 'full_name', kind: words(300), isNullable: true, doc: 'Name as registered, where it is another one' },
  { name: 'inn', kind: digits(10, 12), isNullable: true, doc: 'Tax number' },
  { name: 'kpp', kind: digits(9), isNullable: true, doc: 'Reason code of the registration' },
  { name: 'ogrn', kind: digits(13, 15), isNullable: true, doc: 'State registration number' },
  { name: 'address', kind: words(300), isNullable: true, doc: 'Registered address' },
  { name: 'phone', kind: words(100), isNullable: true, doc: 'Telephone' },
  { name: 'bank_name', kind: words(200), isNullable: true, doc: 'Bank' },
  { name: 'bik', kind: digits(9), isNullable: true, doc: 'Code of the bank' },
  { name: 'settlement_account', kind: digits(20), isNullable: true, doc: 'Settlement account' },
  { name: 'correspondent_account', kind: digits(20), isNullable: true, doc: 'Correspondent account of the bank' },
  { name: 'director', kind: words(200), isNullable: true, doc: 'Who signs as the head' },
  { name: 'accountant', kind: words(200), isNullable: true, doc: 'Who signs as the accountant' },
  {
    name: 'vat_rate',
    kind: oneOf(0, 5, 7, 10, 20, 22),
    isNullable: true,
    doc: 'Per cent of VAT that prices include; empty: none is charged',
  },
]
