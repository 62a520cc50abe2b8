import { id, smallint, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A company of the group. Every subscriber and every operation belongs to one. */
export const Organization = entity('organizations', {
  columns: {
    id: id(),
    name: text(),
    /** From here on: what is printed on documents. The name as registered, where it is another one. */
    full_name: text().nullable(),
    inn: text().nullable(),
    kpp: text().nullable(),
    ogrn: text().nullable(),
    address: text().nullable(),
    phone: text().nullable(),
    bank_name: text().nullable(),
    bik: text().nullable(),
    settlement_account: text().nullable(),
    correspondent_account: text().nullable(),
    director: text().nullable(),
    accountant: text().nullable(),
    /** Per cent of VAT that prices include; null: none is charged. */
    vat_rate: smallint().nullable(),
  },
})
