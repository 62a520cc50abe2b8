import { adminAccounts } from '../../../../billing/accounts/account-record.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import { boolean, datetime, integer, readOnly, relation, required } from '../../../../platform/records/fields.ts'
import type { FieldSpec, Model } from '../../../../platform/records/model.ts'
import { Currency, FinType, VideoObject } from '../../../../platform/storage/entities/accounts.ts'
import { Organization } from '../../../../platform/storage/entities/organizations.ts'
import { refusedWrite, wrongField } from '../../../../platform/records/refusals.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import { accountOrganization, isVisible, visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, empty, line, matching, note, oneOf, positive } from './fields.ts'

const ownOrganization = '1'

const digits = (name: string, doc: string, ...lengths: readonly number[]): FieldSpec =>
  matching(
    name,
    doc,
    new RegExp(`^(${lengths.map((length) => `\\d{${length}}`).join('|')})$`),
    `have ${lengths.join(' or ')} digits`,
    empty,
  )

/** The details of an organization on printed documents. All of them are optional. */
const requisites: readonly FieldSpec[] = [
  line('full_name', 'Name as registered, where it is another one', 300, empty),
  digits('inn', 'Tax number', 10, 12),
  digits('kpp', 'Reason code of the registration', 9),
  digits('ogrn', 'State registration number', 13, 15),
  line('address', 'Registered address', 300, empty),
  line('phone', 'Telephone', 100, empty),
  line('bank_name', 'Bank', 200, empty),
  digits('bik', 'Code of the bank', 9),
  digits('settlement_account', 'Settlement account', 20),
  digits('correspondent_account', 'Correspondent account of the bank', 20),
  line('director', 'Who signs as the head', 200, empty),
  line('accountant', 'Who signs as the accountant', 200, empty),
  oneOf('vat_rate', 'Per cent of VAT that prices include; empty: none is charged', [0, 5, 7, 10, 20, 22], empty),
]

export const organizations: Model = dictionaryModel({
  name: 'organizations',
  doc: 'Organizations',
  entity: Organization,
  fields: [line('name', 'Name', 200, required), ...requisites],
  rights: recordRights.organization,
  visible: (table, parameter) => visibleSql(`${table}.id`, parameter),
  usedBy: [
    { table: 'abonents', column: 'organization_id', noun: 'subscribers' },
    { table: 'finance_operations', column: 'organization_id', noun: 'operations' },
    { table: 'abonent_folders', column: 'organization_id', noun: 'folders' },
    { table: 'staff_organizations', column: 'organization_id', noun: 'staff' },
  ],
})

export const organizationDictionary: Dictionary = {
  model: organizations,
  order: 'this.id',
  searched: 'this.name',
  steps: {
    organizationOf: (_, { id }) => id as number,
    derive: async ({ before, visible }) =>
      before || visible === null
        ? []
        : refusedWrite('Only staff who see all organizations may add one.', 403, 'all_organizations'),
    mayRemove: async ({ visible }, id) => {
      if (visible !== null)
        return refusedWrite('Only staff who see all organizations may delete one.', 403, 'all_organizations')
      return id === ownOrganization
        ? refusedWrite('The default organization cannot be deleted.', 400, 'default_organization')
        : null
    },
  },
}

/**
 * Lower numbers are fixed by the specification and the program; the sequence of the table assigns numbers from here on.
 */
const firstOwnType = 100

/** Specification 2.5. */
export const finTypes: Dictionary = {
  model: dictionaryModel({
    name: 'fin_types',
    doc: 'Types of finance operations',
    entity: FinType,
    fields: [
      integer('type_id', 'The same as id', readOnly),
      line('op_name', 'Name', 256, required),
      oneOf('op_sign', '1 income, -1 expense, 0 informational', [-1, 0, 1], required),
      note('op_descr', 'Description'),
      boolean('is_common', 'Common types are listed first'),
      boolean('enabled', 'Offered in forms'),
    ],
    rights: recordRights.classification,
    usedBy: [
      { table: 'finance_operations', column: 'op_type_id', noun: 'operations' },
      { table: 'finance_operations', column: 'credit_type_id', noun: 'operations paid by it' },
    ],
  }),
  listedAt: '/admin/dictionary/FinTypes',
  order: 'this.is_common DESC, this.op_name',
  searched: 'this.op_name',
  steps: {
    derive: async ({ client, before, values }) => {
      const { op_sign } = plainValues(values)
      if (!before || op_sign === undefined || op_sign === before.op_sign) return []
      if ((before.type_id as number) < firstOwnType)
        return refusedWrite('The sign of a fixed type cannot be changed.', 400, 'fixed_sign')
      const text = 'SELECT FROM finance_operations WHERE op_type_id = $1 LIMIT 1'
      const { rowCount } = await client.query(text, [before.type_id])
      return rowCount === 0
        ? []
        : refusedWrite('Operations of this type exist: its sign cannot be changed any more.', 400, 'used_sign')
    },
    mayRemove: async (_, id) =>
      Number(id) < firstOwnType
        ? refusedWrite('The number of this type is fixed: it can be disabled, not deleted.', 400, 'fixed_type')
        : null,
  },
}

export const currencies: Dictionary = {
  model: dictionaryModel({
    name: 'currencies',
    doc: 'Currencies',
    entity: Currency,
    fields: [
      matching('code', 'Code of ISO 4217', /^[A-Z]{3}$/, 'be a code of ISO 4217 such as RUB', required),
      line('name', 'Name', 200, required),
      boolean('is_default', 'Just one is; setting it takes it from the other'),
    ],
    rights: recordRights.classification,
    usedBy: [{ table: 'admin_accounts', column: 'currency_id', noun: 'accounts' }],
  }),
  order: 'this.code',
  searched: `this.code || ' ' || this.name`,
  steps: {
    derive: async ({ before, values }) =>
      before?.is_default === true && values.get('is_default')?.value === false
        ? refusedWrite('Make another currency the default one instead.', 400, 'default_currency')
        : [],
    also: async ({ manager, values }, id) => {
      const others = { is_default: true, id: { $ne: Number(id) } }
      if (values.get('is_default')?.value === true) await manager.nativeUpdate(Currency, others, { is_default: false })
    },
    mayRemove: async ({ before }) =>
      before?.is_default === true
        ? refusedWrite('The default currency cannot be deleted.', 400, 'default_currency')
        : null,
  },
}

const accounts: Model = {
  ...adminAccounts,
  visible: (table, parameter) => visibleSql(accountOrganization(`${table}.id`), parameter),
}

/** An account with a video object is not an orphan (specification 2.3 rule 5). */
export const videoObjects: Dictionary = {
  model: dictionaryModel({
    name: 'video_objects',
    doc: 'Video objects',
    entity: VideoObject,
    fields: [
      line('name', 'Name', 200, required),
      relation('account', 'The account that pays', () => accounts, { ...positive, ...empty }),
      boolean('enabled', 'In use'),
      note('comment', 'Comment'),
      datetime('create_date', 'When it was made', readOnly),
    ],
    visible: (table, parameter) => visibleSql(accountOrganization(`${table}.account_id`), parameter),
  }),
  order: 'this.name',
  searched: 'this.name',
  steps: {
    // Without an account it belongs to the default organization, which the caller must be able to see.
    derive: async ({ before, values, visible }) => {
      const { account } = { ...before, ...plainValues(values) } as { account?: unknown }
      return account || isVisible(visible, null) ? [] : wrongField('account', 'It must name one of yours.', 'missing')
    },
  },
}
