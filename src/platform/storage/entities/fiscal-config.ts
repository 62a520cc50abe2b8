import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'
import { Organization } from './organization.ts'

/** Where an organization has its receipts issued (atol_config of specification 2.4), and what stands on them. */
export const FiscalConfig = defineEntity({
  name: 'FiscalConfig',
  tableName: 'fiscal_configs',
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).deleteRule('restrict').updateRule('no action'),
    name: p.text(),
    /** The interface without the group: `https://online.atol.ru/possystem/v4`. */
    url: p.text(),
    login: p.text(),
    /** Sealed by storage/secrets. */
    password: p.text(),
    /** The cash registers that may print it. */
    group_code: p.text(),
    inn: p.text(),
    payment_address: p.text(),
    company_email: p.text(),
    tax_system: p.text(),
    vat: p.text().default('none'),
    payment_method: p.text().default('full_prepayment'),
    payment_object: p.text().default('service'),
    enabled: p.boolean().default(true),
    /** Taken when nobody names one; one an organization. */
    is_default: p.boolean().default(false),
  },
  uniques: [{ name: 'fiscal_configs_default', properties: ['organization'], where: 'is_default' }],
})
