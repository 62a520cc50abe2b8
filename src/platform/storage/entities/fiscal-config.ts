import { boolean, id, reference, sealed, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** Where an organization has its receipts issued (atol_config of specification 2.4), and what stands on them. */
export const FiscalConfig = entity('fiscal_configs', {
  columns: {
    id: id(),
    organization_id: reference('organizations'),
    name: text(),
    /** The interface without the group: `https://online.atol.ru/possystem/v4`. */
    url: text(),
    login: text(),
    password: sealed(),
    /** The cash registers that may print it. */
    group_code: text(),
    inn: text(),
    payment_address: text(),
    company_email: text(),
    tax_system: text(),
    vat: text().default('none'),
    payment_method: text().default('full_prepayment'),
    payment_object: text().default('service'),
    enabled: boolean().default(true),
    /** Taken when nobody names one; one an organization. */
    is_default: boolean().default(false),
  },
  uniques: [{ name: 'fiscal_configs_default', columns: ['organization_id'], where: 'is_default' }],
})
