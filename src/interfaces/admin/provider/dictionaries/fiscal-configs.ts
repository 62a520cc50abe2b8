import { paymentMethods, paymentObjects, taxSystems, vatRates } from '../../../../billing/fiscal/configuration.ts'
import { emailForm } from '../../../../domain/contacts.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import { type Destinations, isSafeAddress } from '../../../../platform/outgoing/destinations.ts'
import { boolean, choice, relation, required } from '../../../../platform/records/fields.ts'
import { FiscalConfig } from '../../../../platform/storage/entities/payments.ts'
import { type Refusal, wrongField } from '../../../../platform/records/refusals.ts'
import { type Current, plainValues } from '../../../../platform/records/values.ts'
import { addressErrors } from '../../../../platform/settings/settings.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { defaultOrganizationAmong } from '../../../../platform/staff/visible-records.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, line, matching, positive, secret } from './fields.ts'
import { organizations } from './plain-dictionaries.ts'

const model = dictionaryModel({
  name: 'fiscal_configs',
  doc: 'Fiscal configurations',
  entity: FiscalConfig,
  fields: [
    line('name', 'Name', 200, required),
    relation('organization', 'Whose operations; left out, the default organization', () => organizations, positive),
    line('url', 'Interface of the receiver without the group: https://online.atol.ru/possystem/v4', 1000, {
      ...required,
      // Amounts and credentials are sent to this address.
      fits: (value) => isSafeAddress(String(value)),
      must: 'be an https:// address (http:// only with a private IP address)',
      schema: { type: 'string', format: 'uri' },
    }),
    line('login', 'Login at the receiver', 200, required),
    secret('password', 'Password at the receiver, which a new url wants again', 200, required),
    line('group_code', 'Group of cash registers', 200, required),
    matching('inn', 'Tax number of the company', /^(\d{10}|\d{12})$/, 'have 10 or 12 digits', required),
    line('payment_address', 'Place of payment, as a site', 256, required),
    matching('company_email', 'Sender of the electronic receipt', emailForm, 'be an e-mail address', required),
    choice('tax_system', 'System of taxation', taxSystems, required),
    choice('vat', 'VAT of the line; left out: none', Object.keys(vatRates)),
    choice('payment_method', 'Left out: full_prepayment', paymentMethods),
    choice('payment_object', 'Left out: service', paymentObjects),
    boolean('enabled', 'False: its receipts wait'),
    boolean('is_default', 'One an organization; setting it takes it from the other, and the first has it'),
  ],
  rights: recordRights.fiscalConfig,
  visible: (table, parameter) => visibleSql(`${table}.organization_id`, parameter),
  usedBy: [{ table: 'fiscal_receipts', column: 'config_id', noun: 'receipts' }],
})

/**
 * Where receipts of an organization are printed, and the organization's data on them (atol_config of specification
 * 2.4).
 */
export const fiscalConfigs = (destinations: Pick<Destinations, 'admitsHost'>): Dictionary => ({
  model,
  order: 'this.name',
  searched: `this.name || ' ' || this.inn`,
  steps: {
    organizationOf: (_, { organization }) => organization as number,
    derive: async ({ manager, before, values, visible }) => {
      const sent = plainValues(values)
      const refused = addressRefusal(destinations, sent, before)
      if (refused) return refused
      const organization = (sent.organization ?? before?.organization ?? defaultOrganizationAmong(visible)) as number
      const moved = before !== null && organization !== before.organization
      const defaults = { organization_id: organization, is_default: true }
      const isFirst = before === null && (await manager.count(FiscalConfig, defaults)) === 0
      const wanted = sent.is_default ?? (moved ? false : before?.is_default) ?? isFirst
      if (wanted) {
        const others = { ...defaults, id: { $ne: Number(before?.id ?? 0) } }
        await manager.nativeUpdate(FiscalConfig, others, { is_default: false })
      }
      return [
        { column: 'organization_id', value: organization },
        { column: 'is_default', value: wanted },
      ]
    },
  },
})

/** As for the addresses of gateways: receipts and the password are sent there. */
function addressRefusal(
  destinations: Pick<Destinations, 'admitsHost'>,
  { url, password }: Readonly<Record<string, unknown>>,
  before: Current,
): Refusal | null {
  if (typeof url !== 'string' || url === before?.url) return null
  if (!destinations.admitsHost(new URL(url).hostname)) return wrongField('url', addressErrors.private)
  return before !== null && password === undefined ? wrongField('password', addressErrors.secretMissing) : null
}
