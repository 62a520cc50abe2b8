import { defaultOrganization } from '../../domain/ids.ts'
import type { Customer, Supplier } from './document.ts'

/** A row with `partyColumns`. */
export type PartyRow = {
  readonly supplier: Supplier
  readonly customer: Omit<Customer, 'contractDate'>
  readonly contract_date: Date
}

/**
 * Joins the organization that issues the document as `company`: the first of these columns that is not null, else the
 * default organization.
 */
export const joinCompany = (...columns: readonly string[]): string =>
  `JOIN organizations AS company ON company.id = coalesce(${[...columns, defaultOrganization].join(', ')})`

/** SQL: a text, or null when nobody has entered it. */
const entered = (column: string): string => `nullif(${column}, '')`

/** The column of the supplier, for a FROM with `company`. */
export const supplierColumn = `json_build_object('name', coalesce(${entered('company.full_name')}, company.name),
    'inn', ${entered('company.inn')}, 'kpp', ${entered('company.kpp')}, 'ogrn', ${entered('company.ogrn')},
    'address', ${entered('company.address')}, 'phone', ${entered('company.phone')},
    'bankName', ${entered('company.bank_name')}, 'bik', ${entered('company.bik')},
    'settlementAccount', ${entered('company.settlement_account')},
    'correspondentAccount', ${entered('company.correspondent_account')}, 'director', ${entered('company.director')},
    'accountant', ${entered('company.accountant')}, 'vatRate', company.vat_rate) AS supplier`

/**
 * The columns of supplier and customer, for a FROM with `abonents` and `company`. A legal entity's tax numbers are its
 * user attributes with the codes inn and kpp. The address is the one entered, else the path through the tree of homes.
 */
export const partyColumns = `${supplierColumn},
  json_build_object('name', abonents.name, 'inn', ${attribute('inn')}, 'kpp', ${attribute('kpp')},
    'contractNumber', abonents.contract_number, 'accountId', abonents.account_id,
    'address', nullif(btrim(coalesce(abonents.address, (
      WITH RECURSIVE path AS (
        SELECT id, parent_id, name, 1 AS depth FROM homes WHERE id = abonents.home_id
        UNION ALL SELECT homes.id, homes.parent_id, homes.name, depth + 1 FROM homes JOIN path ON homes.id = path.parent_id WHERE depth < 10)
      SELECT concat_ws(', ', string_agg(name, ', ' ORDER BY depth DESC), 'кв. ' || abonents.flat) FROM path))), '')) AS customer,
  abonents.create_date AS contract_date`

function attribute(code: 'inn' | 'kpp'): string {
  return `(SELECT nullif(btrim(value), '') FROM user_attribute_values JOIN user_attributes ON user_attributes.id = attribute_id
    WHERE abonent_id = abonents.id AND lower(btrim(sorm_field_code)) = '${code}' AND abonents.company ORDER BY attribute_id LIMIT 1)`
}

export const partiesOf = ({ supplier, customer, contract_date }: PartyRow) => ({
  supplier,
  customer: { ...customer, contractDate: contract_date },
})
