import { paymentMethods, paymentObjects, taxSystems, vatRates } from '../../../../billing/fiscal/configuration.ts'
import { emailForm } from '../../../../domain/contacts.ts'
import { boolean, choice, relation, required } from '../../../../platform/records/model.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import * as setting from '../../../../platform/settings/kinds.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { usualOrganization } from '../../../../platform/staff/visible-records.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, line, matching, positive, secret } from './fields.ts'
import { organizations } from './plain-dictionaries.ts'

/** Where receipts of an organization are printed, and what stands on them (atol_config of specification 2.4). */
export const fiscalConfigs: Dictionary = {
  model: dictionaryModel({
    name: 'fiscal_configs',
    doc: 'Fiscal configurations',
    table: 'fiscal_configs',
    fields: [
      line('name', 'Name', 200, required),
      relation('organization', 'Whose operations; left out, the default organization', () => organizations, positive),
      line('url', 'Interface of the receiver without the group: https://online.atol.ru/possystem/v4', 1000, {
        ...required,
        // Amounts and credentials pass there.
        fits: (value) => setting.gatewayUrl.read(value) !== null,
        must: 'be an https:// address (http:// only for this machine)',
        schema: { type: 'string', format: 'uri' },
      }),
      line('login', 'Login at the receiver', 200, required),
      secret('password', 'Password at the receiver', 200, { ...required, sealed: true }),
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
    visible: (table, parameter) => visibleSql(`${table}.organization_id`, parameter),
    usedBy: [{ table: 'fiscal_receipts', column: 'config_id', noun: 'receipts' }],
  }),
  rights: { read: 'settings', write: 'settings' },
  order: 'this.name',
  searched: `this.name || ' ' || this.inn`,
  steps: {
    organizationOf: (_, { organization }) => organization as number,
    derive: async ({ client, before, values, visible }) => {
      const sent = plainValues(values)
      const organization = sent.organization ?? before?.organization ?? usualOrganization(visible)
      const moved = before !== null && organization !== before.organization
      const { rows } = await client.query('SELECT FROM fiscal_configs WHERE organization_id = $1 AND is_default', [
        organization,
      ])
      const isFirst = before === null && rows.length === 0
      const wanted = sent.is_default ?? (moved ? false : before?.is_default) ?? isFirst
      if (wanted)
        await client.query(
          'UPDATE fiscal_configs SET is_default = false WHERE organization_id = $1 AND is_default AND id <> $2',
          [organization, before?.id ?? 0],
        )
      return [
        { column: 'organization_id', value: organization },
        { column: 'is_default', value: wanted },
      ]
    },
  },
}
