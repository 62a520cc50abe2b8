import { schemas } from '../../../../platform/http/schemas.ts'
import { accountOrganization, isVisible, visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { type Dictionary, type Relation, refused, type Shown } from './description.ts'
import { flag, matching, note, oneOf, relation, words } from './kinds.ts'
import { requisites } from './requisites.ts'

const organizationSight = (parameter: `$${number}`) => visibleSql('row.id', parameter)

export const anOrganization: Relation = { from: 'organizations', visible: organizationSight }

const anAccount: Relation = {
  from: 'admin_accounts',
  visible: (parameter) => visibleSql(accountOrganization('row.id'), parameter),
}

const ownOrganization = 1

export const organizations: Dictionary = {
  name: 'organizations',
  doc: 'Organizations',
  table: 'organizations',
  key: 'id',
  auditName: 'ORGANIZATIONS',
  rights: { read: 'view', write: 'settings' },
  fields: [{ name: 'name', kind: words(200), isRequired: true, doc: 'Name' }, ...requisites],
  visible: organizationSight,
  order: 'row.id',
  searched: 'row.name',
  uses: [
    { of: 'subscribers', rows: 'SELECT FROM abonents WHERE organization_id = $1' },
    { of: 'operations', rows: 'SELECT FROM finance_operations WHERE organization_id = $1' },
    { of: 'folders', rows: 'SELECT FROM abonent_folders WHERE organization_id = $1' },
    { of: 'staff', rows: 'SELECT FROM staff_organizations WHERE organization_id = $1' },
  ],
  organizationOf: ({ id }) => id as number,
  derive: async ({ before, visible }) =>
    before || visible === null ? {} : refused('Only staff who see all organizations may add one.', 403),
  mayRemove: async ({ visible }, id) => {
    if (visible !== null) return refused('Only staff who see all organizations may delete one.', 403)
    return id === ownOrganization ? refused('The default organization cannot be deleted.') : null
  },
}

/** Numbers below are fixed by the specification and by the program; a sequence of the table gives those of our own. */
const firstOwnType = 100

const operationsOfType = 'SELECT FROM finance_operations WHERE op_type_id = $1'

/** Specification 2.5. */
export const finTypes: Dictionary = {
  name: 'fin_types',
  listedAt: '/admin/dictionary/FinTypes',
  doc: 'Types of finance operations',
  table: 'fin_types',
  key: 'type_id',
  auditName: 'FIN_TYPES',
  rights: { read: 'view', write: 'settings' },
  fields: [
    { name: 'type_id', schema: schemas.integer, doc: 'The same as id' },
    { name: 'op_name', kind: words(256), isRequired: true, doc: 'Name' },
    { name: 'op_sign', kind: oneOf(-1, 0, 1), isRequired: true, doc: '1 income, -1 expense, 0 informational' },
    { name: 'op_descr', kind: note, isNullable: true, doc: 'Description' },
    { name: 'is_common', kind: flag, doc: 'Common types are listed first' },
    { name: 'enabled', kind: flag, doc: 'Offered in forms' },
  ],
  order: 'row.is_common DESC, row.op_name',
  searched: 'row.op_name',
  uses: [
    { of: 'operations', rows: operationsOfType },
    { of: 'operations paid by it', rows: 'SELECT FROM finance_operations WHERE credit_type_id = $1' },
  ],
  derive: async ({ client, before, values }) => {
    if (!before || values.op_sign === undefined || values.op_sign === before.op_sign) return {}
    if ((before.type_id as number) < firstOwnType) return refused('The sign of a fixed type cannot be changed.')
    const { rows } = await client.query(`${operationsOfType} LIMIT 1`, [before.type_id])
    return rows.length === 0 ? {} : refused('Operations of this type exist: its sign cannot be changed any more.')
  },
  mayRemove: async (_, id) =>
    id < firstOwnType ? refused('The number of this type is fixed: it can be disabled, not deleted.') : null,
}

export const currencies: Dictionary = {
  name: 'currencies',
  doc: 'Currencies',
  table: 'currencies',
  key: 'id',
  auditName: 'CURRENCIES',
  rights: { read: 'view', write: 'settings' },
  fields: [
    {
      name: 'code',
      kind: matching(/^[A-Z]{3}$/, 'be a code of ISO 4217 such as RUB'),
      isRequired: true,
      doc: 'Code of ISO 4217',
    },
    { name: 'name', kind: words(200), isRequired: true, doc: 'Name' },
    { name: 'is_default', kind: flag, doc: 'Just one is; setting it takes it from the other' },
  ],
  order: 'row.code',
  searched: `row.code || ' ' || row.name`,
  uses: [{ of: 'accounts', rows: 'SELECT FROM admin_accounts WHERE currency_id = $1' }],
  derive: async ({ before, values }) =>
    before?.is_default === true && values.is_default === false
      ? refused('Make another currency the default one instead.')
      : {},
  also: async ({ client, values }, id) => {
    if (values.is_default === true)
      await client.query('UPDATE currencies SET is_default = false WHERE is_default AND id <> $1', [id])
  },
  mayRemove: async ({ before }) =>
    before?.is_default === true ? refused('The default currency cannot be deleted.') : null,
}

/** Their accounts are no orphans (specification 2.3 rule 5). */
export const videoObjects: Dictionary = {
  name: 'video_objects',
  doc: 'Video objects',
  table: 'video_objects',
  key: 'id',
  auditName: 'VIDEO_OBJECTS',
  rights: { read: 'view', write: 'change' },
  fields: [
    { name: 'name', kind: words(200), isRequired: true, doc: 'Name' },
    { name: 'account', kind: relation, refersTo: anAccount, isNullable: true, doc: 'The account that pays' },
    { name: 'enabled', kind: flag, doc: 'In use' },
    { name: 'comment', kind: note, isNullable: true, doc: 'Comment' },
    { name: 'create_date', schema: schemas.moment, doc: 'When it was made' },
  ],
  visible: (parameter) => visibleSql(accountOrganization('row.account_id'), parameter),
  order: 'row.name',
  searched: 'row.name',
  uses: [],
  // Without an account it is of the default organization, and must not vanish from who wrote it.
  derive: async ({ before, values, visible }) =>
    (({ ...before, ...values }) as Shown).account || isVisible(visible, null)
      ? {}
      : refused('account: It must name one of yours.'),
}
