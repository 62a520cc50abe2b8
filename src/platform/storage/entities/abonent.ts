import { defineEntity, p } from '@mikro-orm/postgresql'
import { phoneDigits } from '../phone-digits.ts'
import { AbonentFolder } from './abonent-folder.ts'
import { AdminAccount } from './admin-account.ts'
import { createdNow, id, money } from './columns.ts'
import { Home } from './home.ts'
import { Organization } from './organization.ts'
import { Tarif } from './tarif.ts'

/** A subscriber (specification 2.2). */
export const Abonent = defineEntity({
  name: 'Abonent',
  tableName: 'abonents',
  properties: {
    id: id(),
    name: p.text(),
    contract_number: p.text(),
    email: p.text().nullable(),
    /** Phone for messages. */
    sms: p.text().nullable(),
    enabled: p.boolean().default(true),
    tarif: () => p.manyToOne(Tarif).deleteRule('restrict').updateRule('no action').nullable(),
    next_tarif: () => p.manyToOne(Tarif).deleteRule('restrict').updateRule('no action').nullable(),
    next_tarif_date: p.datetime().nullable(),
    account: () => p.manyToOne(AdminAccount).deleteRule('restrict').updateRule('no action'),
    promise_pay: money().nullable(),
    promise_date_end: p.datetime().nullable(),
    /** When the last promise payment was activated. */
    promise_last_date: p.datetime().nullable(),
    /** Charged from this moment of its month on; null: from the first. */
    charged_from: p.datetime().nullable(),
    create_date: createdNow(),
    /** A legal entity. */
    company: p.boolean().default(false),
    passport_series_number: p.text().nullable(),
    birth_date: p.date().nullable(),
    parent: () => p.manyToOne(AbonentFolder).deleteRule('restrict').updateRule('no action').nullable(),
    /** Null in rows brought over from elsewhere: the default one, until a backfill. */
    organization: () => p.manyToOne(Organization).deleteRule('restrict').updateRule('no action').nullable(),
    home: () => p.manyToOne(Home).deleteRule('restrict').updateRule('no action').nullable(),
    flat: p.text().nullable(),
    address: p.text().nullable(),
    comment: p.text().nullable(),
    deleted: p.boolean().default(false),
    deleted_date: p.datetime().nullable(),
  },
  uniques: [{ name: 'abonents_contract_number', properties: ['contract_number'], where: 'NOT deleted' }],
  indexes: [
    { name: 'abonents_account', properties: ['account'] },
    { name: 'abonents_tarif', properties: ['tarif'], where: 'tarif_id IS NOT NULL' },
    { name: 'abonents_next_tarif', properties: ['next_tarif'], where: 'next_tarif_id IS NOT NULL' },
    { name: 'abonents_next_tarif_date', properties: ['next_tarif_date'], where: 'next_tarif_date IS NOT NULL' },
    { name: 'abonents_promise_date_end', properties: ['promise_date_end'], where: 'promise_date_end IS NOT NULL' },
    { name: 'abonents_parent', properties: ['parent', 'id'] },
    { name: 'abonents_organization', properties: ['organization', 'id'] },
    { name: 'abonents_home', properties: ['home'], where: 'home_id IS NOT NULL' },
    { name: 'abonents_sms', properties: ['sms'], where: 'sms IS NOT NULL' },
    { name: 'abonents_live', properties: ['id'], where: 'NOT deleted' },
    { name: 'abonents_live_name', properties: ['name', 'id'], where: 'NOT deleted' },
    { name: 'abonents_live_tarif', properties: ['tarif', 'id'], where: 'NOT deleted' },
    { name: 'abonents_live_create_date', properties: ['create_date', 'id'], where: 'NOT deleted' },
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
      expression: `CREATE INDEX abonents_phone ON abonents (${phoneDigits('sms')}) WHERE sms IS NOT NULL AND NOT deleted`,
    },
  ],
})
