import type { FieldSpec } from '../../../../platform/records/model.ts'
import { empty, line, matching, oneOf } from './fields.ts'

const digits = (name: string, doc: string, ...lengths: readonly number[]): FieldSpec =>
  matching(
    name,
    doc,
    new RegExp(`^(${lengths.map((length) => `\\d{${length}}`).join('|')})$`),
    `have ${lengths.join(' or ')} digits`,
    empty,
  )

/** The details of an organization on printed documents. All of them are optional. */
export const requisites: readonly FieldSpec[] = [
  line('full_name', 'Name as registered, where it is another one', 300, empty),
  digits('inn', 'Tax number', 10, 12),
  digits('kpp', 'Reason code of the registration', 9),
  digits('ogrn', 'State registration number', 13, 15),
  line('address', 'Registered address', 300, empty),
  line('phone', 'Telephone', 100, empty),
  line('bank_name', 'Bank', 200, empty),
  digits('bik', 'Code of the bank', 9),
  digits('settlement_account', 'Settlement account', 20),
  digits('correspondent_account', 'Correspondent account of the bank', 20),
  line('director', 'Who signs as the head', 200, empty),
  line('accountant', 'Who signs as the accountant', 200, empty),
  oneOf('vat_rate', 'Per cent of VAT that prices include; empty: none is charged', [0, 5, 7, 10, 20, 22], empty),
]
