import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

/** A company of the group. Every subscriber and every operation belongs to one. */
export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    id: id(),
    name: p.text(),
    /** From here on: what is printed on documents. The name as registered, where it is another one. */
    full_name: p.text().nullable(),
    inn: p.text().nullable(),
    kpp: p.text().nullable(),
    ogrn: p.text().nullable(),
    address: p.text().nullable(),
    phone: p.text().nullable(),
    bank_name: p.text().nullable(),
    bik: p.text().nullable(),
    settlement_account: p.text().nullable(),
    correspondent_account: p.text().nullable(),
    director: p.text().nullable(),
    accountant: p.text().nullable(),
    /** Per cent of VAT that prices include; null: none is charged. */
    vat_rate: p.smallint().nullable(),
  },
})
