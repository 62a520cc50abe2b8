import Type from 'typebox'
import { paymentMethods, paymentObjects, taxSystems, vatRates } from '../../../../billing/fiscal/configuration.ts'
import { emailForm } from '../../../../domain/contacts.ts'
import * as setting from '../../../../platform/settings/kinds.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { usualOrganization } from '../../../../platform/staff/visible-records.ts'
import type { Dictionary, Shown, Step } from './description.ts'
import { choice, type FieldKind, flag, matching, relation, secret, words } from './kinds.ts'
import { anOrganization } from './plain.ts'

/** Amounts and credentials pass there. */
const address: FieldKind = {
  must: 'be an https:// address (http:// only for this machine)',
  read: (input) => setting.gatewayUrl.read(input) || null,
  schema: Type.String({ format: 'uri' }),
  cast: 'text',
}

const passwordMax = 200

/** Where receipts of an organization are printed, and what stands on them (atol_config of specification 2.4). */
export const fiscalConfigs = (seal: (plain: string) => string): Dictionary => ({
  name: 'fiscal_configs',
  doc: 'Fiscal configurations',
  table: 'fiscal_configs',
  key: 'id',
  auditName: 'FISCAL_CONFIGS',
  rights: { read: 'settings', write: 'settings' },
  fields: [
    { name: 'name', kind: words(200), isRequired: true, doc: 'Name' },
    {
      name: 'organization',
      kind: relation,
      refersTo: anOrganization,
      doc: 'Whose operations; left out, the default organization',
    },
    {
      name: 'url',
      kind: address,
      isRequired: true,
      doc: 'Interface of the receiver without the group: https://online.atol.ru/possystem/v4',
    },
    { name: 'login', kind: words(200), isRequired: true, doc: 'Login at the receiver' },
    {
      name: 'password',
      shown: null,
      column: null,
      kind: secret(passwordMax),
      isRequired: true,
      doc: 'Password at the receiver',
    },
    { name: 'group_code', kind: words(200), isRequired: true, doc: 'Group of cash registers' },
    {
      name: 'inn',
      kind: matching(/^(\d{10}|\d{12})$/, 'have 10 or 12 digits'),
      isRequired: true,
      doc: 'Tax number of the company',
    },
    { name: 'payment_address', kind: words(256), isRequired: true, doc: 'Place of payment, as a site' },
    {
      name: 'company_email',
      kind: matching(emailForm, 'be an e-mail address'),
      isRequired: true,
      doc: 'Sender of the electronic receipt',
    },
    { name: 'tax_system', kind: choice(...taxSystems), isRequired: true, doc: 'System of taxation' },
    { name: 'vat', kind: choice(...Object.keys(vatRates)), doc: 'VAT of the line; left out: none' },
    { name: 'payment_method', kind: choice(...paymentMethods), doc: 'Left out: full_prepayment' },
    { name: 'payment_object', kind: choice(...paymentObjects), doc: 'Left out: service' },
    { name: 'enabled', kind: flag, doc: 'False: its receipts wait' },
    {
      name: 'is_default',
      kind: flag,
      doc: 'One an organization; setting it takes it from the other, and the first has it',
    },
  ],
  visible: (parameter) => visibleSql('row.organization_id', parameter),
  order: 'row.name',
  searched: `row.name || ' ' || row.inn`,
  uses: [{ of: 'receipts', rows: 'SELECT FROM fiscal_receipts WHERE config_id = $1' }],
  organizationOf: ({ organization }) => organization as number,
  prepare: async ({ password }) => (password === undefined ? {} : { password: seal(password as string) }),
  derive: async (step) => {
    const { client, before, values, visible } = step
    const organization = organizationOf(step) ?? usualOrganization(visible)
    const moved = before !== null && organization !== before.organization
    const { rows } = await client.query('SELECT FROM fiscal_configs WHERE organization_id = $1 AND is_default', [
      organization,
    ])
    const isFirst = before === null && rows.length === 0
    const wanted = ((values.is_default ?? (moved ? false : before?.is_default)) as boolean | undefined) ?? isFirst
    if (wanted)
      await client.query(
        'UPDATE fiscal_configs SET is_default = false WHERE organization_id = $1 AND is_default AND id <> $2',
        [organization, before?.id ?? 0],
      )
    return { organization_id: organization, is_default: wanted }
  },
})

const organizationOf = ({ before, values }: Step): number | null =>
  (({ ...before, ...values }) as Shown).organization as number | null
