import { phoneDigitsSql } from '../../../domain/contacts.ts'
import { boolean, createdNow, day, id, moment, money, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A subscriber (specification 2.2). */
export const Abonent = entity('abonents', {
  columns: {
    id: id(),
    name: text(),
    contract_number: text(),
    email: text().nullable(),
    /** Phone for messages. */
    sms: text().nullable(),
    enabled: boolean().default(true),
    tarif_id: reference('tarifs').nullable(),
    next_tarif_id: reference('tarifs').nullable(),
    next_tarif_date: moment().nullable(),
    account_id: reference('admin_accounts'),
    promise_pay: money().nullable(),
    promise_date_end: moment().nullable(),
    /** When the last promise payment was activated. */
    promise_last_date: moment().nullable(),
    /** Charged from this moment of its month on; null: from the first. */
    charged_from: moment().nullable(),
    create_date: createdNow(),
    /** A legal entity. */
    company: boolean().default(false),
    passport_series_number: text().nullable(),
    birth_date: day().nullable(),
    parent_id: reference('abonent_folders').nullable(),
    /** Null in rows brought over from elsewhere: the default one, until a backfill. */
    organization_id: reference('organizations').nullable(),
    home_id: reference('homes').nullable(),
    flat: text().nullable(),
    address: text().nullable(),
    comment: text().nullable(),
    deleted: boolean().default(false),
    deleted_date: moment().nullable(),
  },
  uniques: [{ name: 'abonents_contract_number', columns: ['contract_number'], where: 'NOT deleted' }],
  indexes: [
    { name: 'abonents_account', columns: ['account_id'] },
    { name: 'abonents_tarif', columns: ['tarif_id'], where: 'tarif_id IS NOT NULL' },
    { name: 'abonents_next_tarif', columns: ['next_tarif_id'], where: 'next_tarif_id IS NOT NULL' },
    { name: 'abonents_next_tarif_date', columns: ['next_tarif_date'], where: 'next_tarif_date IS NOT NULL' },
    { name: 'abonents_promise_date_end', columns: ['promise_date_end'], where: 'promise_date_end IS NOT NULL' },
    { name: 'abonents_parent', columns: ['parent_id', 'id'] },
    { name: 'abonents_organization', columns: ['organization_id', 'id'] },
    { name: 'abonents_home', columns: ['home_id'], where: 'home_id IS NOT NULL' },
    { name: 'abonents_sms', columns: ['sms'], where: 'sms IS NOT NULL' },
    { name: 'abonents_live', columns: ['id'], where: 'NOT deleted' },
    { name: 'abonents_live_name', columns: ['name', 'id'], where: 'NOT deleted' },
    { name: 'abonents_live_tarif', columns: ['tarif_id', 'id'], where: 'NOT deleted' },
    { name: 'abonents_live_create_date', columns: ['create_date', 'id'], where: 'NOT deleted' },
    {
      name: 'abonents_name_lower',
      expression: 'CREATE INDEX abonents_name_lower ON abonents (lower(name) text_pattern_ops)',
    },
    {
      // Contract numbers match without leading zeros too (portal and mobile sign-in).
      name: 'abonents_contract_bare',
      expression: `CREATE INDEX abonents_contract_bare ON abonents (ltrim(contract_number, '0')) WHERE NOT deleted`,
    },
    {
      name: 'abonents_phone',
      expression: `CREATE INDEX abonents_phone ON abonents (${phoneDigitsSql('sms')}) WHERE sms IS NOT NULL AND NOT deleted`,
    },
  ],
})
