import type { Pool, PoolClient } from 'pg'
import { defaultOrganization } from '../../domain/ids.ts'
import type { Customer, Supplier } from './document.ts'

export type Sql = Pick<Pool | PoolClient, 'query'>

type PartyName =
  | 'company_name'
  | 'full_name'
  | 'inn'
  | 'kpp'
  | 'ogrn'
  | 'company_address'
  | 'phone'
  | 'bank_name'
  | 'bik'
  | 'settlement_account'
  | 'correspondent_account'
  | 'director'
  | 'accountant'
  | 'vat_rate'
  | 'name'
  | 'contract_number'
  | 'account_id'
  | 'home_address'
  | 'customer_inn'
  | 'customer_kpp'

/** A row with `partyColumns`. An int8 is text and a timestamp is a Date. */
export type PartyRow = { readonly contract_date: Date } & { readonly [K in PartyName]: string | null }

/**
 * Joins the organization that issues the document as `company`: the first of these columns that is not null, else the
 * default organization.
 */
export const joinCompany = (...columns: readonly string[]): string =>
  `JOIN organizations AS company ON company.id = coalesce(${[...columns, defaultOrganization].join(', ')})`

/**
 * The columns of supplier and customer, for a FROM with `abonents` and `company`. A legal entity's tax numbers are its
 * user attributes with the codes inn and kpp. The address is the one entered, else the path through the tree of homes.
 */
export const partyColumns = `company.name AS company_name, company.full_name, company.inn, company.kpp, company.ogrn,
  company.address AS company_address, company.phone, company.bank_name, company.bik, company.settlement_account,
  company.correspondent_account, company.director, company.accountant, company.vat_rate::text AS vat_rate,
  abonents.name, abonents.contract_number, abonents.create_date AS contract_date, abonents.account_id,
  nullif(btrim(coalesce(abonents.address, (
    WITH RECURSIVE path AS (
      SELECT id, parent_id, name, 1 AS depth FROM homes WHERE id = abonents.home_id
      UNION ALL SELECT homes.id, homes.parent_id, homes.name, depth + 1 FROM homes JOIN path ON homes.id = path.parent_id WHERE depth < 10)
    SELECT concat_ws(', ', string_agg(name, ', ' ORDER BY depth DESC), 'кв. ' || abonents.flat) FROM path))), '') AS home_address,
  ${attribute('inn')} AS customer_inn, ${attribute('kpp')} AS customer_kpp`

function attribute(code: 'inn' | 'kpp'): string {
  return `(SELECT nullif(btrim(value), '') FROM user_attribute_values JOIN user_attributes ON user_attributes.id = attribute_id
    WHERE abonent_id = abonents.id AND lower(btrim(sorm_field_code)) = '${code}' AND abonents.company ORDER BY attribute_id LIMIT 1)`
}

export const supplierOf = (row: PartyRow): Supplier => ({
  name: filled(row.full_name) ?? row.company_name!,
  inn: filled(row.inn),
  kpp: filled(row.kpp),
  ogrn: filled(row.ogrn),
  address: filled(row.company_address),
  phone: filled(row.phone),
  bankName: filled(row.bank_name),
  bik: filled(row.bik),
  settlementAccount: filled(row.settlement_account),
  correspondentAccount: filled(row.correspondent_account),
  director: filled(row.director),
  accountant: filled(row.accountant),
  vatRate: row.vat_rate === null ? null : Number(row.vat_rate),
})

export const customerOf = (row: PartyRow): Customer => ({
  name: row.name!,
  inn: filled(row.customer_inn),
  kpp: filled(row.customer_kpp),
  contractNumber: row.contract_number!,
  contractDate: row.contract_date,
  accountId: Number(row.account_id),
  address: filled(row.home_address),
})

const filled = (text: string | null | undefined): string | null => (text ? text : null)
