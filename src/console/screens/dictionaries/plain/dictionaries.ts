import { type Plain, type PlainField, plainOf } from './description.ts'
import type { PlainName } from './names.ts'

const name: PlainField & { readonly name: 'name' } = {
  kind: 'text',
  name: 'name',
  label: 'name',
  isRequired: true,
  column: 'first',
}
const enabled: PlainField & { readonly name: 'enabled' } = {
  kind: 'flag',
  name: 'enabled',
  label: 'enabled',
  column: 'card',
}

const organizations = plainOf('organizations', {
  title: 'organizations',
  add: 'newOrganization',
  right: 'settings',
  isAddedByAll: true,
  isKept: ({ id }) => id === 1,
  fields: [
    name,
    { kind: 'text', name: 'full_name', label: 'fullName', column: 'extra' },
    { kind: 'text', name: 'inn', label: 'inn', says: 'innSays', column: 'card' },
    { kind: 'text', name: 'kpp', label: 'kpp', says: 'kppSays' },
    { kind: 'text', name: 'ogrn', label: 'ogrn', says: 'ogrnSays' },
    { kind: 'text', name: 'address', label: 'address', column: 'usual' },
    { kind: 'text', name: 'phone', label: 'phone', column: 'card' },
    { kind: 'text', name: 'bank_name', label: 'bank' },
    { kind: 'text', name: 'bik', label: 'bik', says: 'kppSays' },
    { kind: 'text', name: 'settlement_account', label: 'settlement', says: 'accountSays' },
    { kind: 'text', name: 'correspondent_account', label: 'correspondent', says: 'accountSays' },
    { kind: 'text', name: 'director', label: 'director' },
    { kind: 'text', name: 'accountant', label: 'accountant' },
    {
      kind: 'choice',
      name: 'vat_rate',
      label: 'vat',
      isNumber: true,
      none: 'vatNone',
      options: [
        ['0', 'vat0'],
        ['5', 'vat5'],
        ['7', 'vat7'],
        ['10', 'vat10'],
        ['20', 'vat20'],
        ['22', 'vat22'],
      ],
    },
  ],
})

const operationTypes = plainOf('fin_types', {
  title: 'operationTypes',
  add: 'newOperationType',
  right: 'settings',
  isShared: true,
  // The numbers below are fixed by the program.
  isKept: ({ id }) => id < 100,
  fields: [
    { kind: 'text', name: 'op_name', label: 'name', isRequired: true, column: 'first' },
    { kind: 'number', name: 'type_id', label: 'typeNumber', isReadOnly: true, column: 'usual' },
    {
      kind: 'choice',
      name: 'op_sign',
      label: 'sign',
      isNumber: true,
      isRequired: true,
      column: 'card',
      options: [
        ['1', 'income'],
        ['-1', 'expense'],
        ['0', 'informational'],
      ],
    },
    { kind: 'flag', name: 'is_common', label: 'common', column: 'extra' },
    { kind: 'flag', name: 'enabled', label: 'offered', column: 'card' },
    { kind: 'note', name: 'op_descr', label: 'description' },
  ],
})

const folders = plainOf('folders', {
  title: 'folders',
  add: 'newFolder',
  right: 'change',
  fields: [
    name,
    { kind: 'folder', name: 'parent', label: 'parent', column: 'card' },
    { kind: 'organization', name: 'organization', label: 'folderOrganization', says: 'folderSays', column: 'card' },
  ],
})

const fields = plainOf('user_attributes', {
  title: 'fields',
  add: 'newField',
  right: 'settings',
  isShared: true,
  overruled: {
    code: 'sorm_rename_blocked',
    flag: 'force_sorm_rename',
    asks: 'renameAsks',
    says: 'renameSays',
    action: 'rename',
  },
  fields: [
    name,
    {
      kind: 'choice',
      name: 'type_id',
      label: 'type',
      isNumber: true,
      isRequired: true,
      column: 'card',
      options: [
        ['1', 'text'],
        ['2', 'number'],
        ['3', 'date'],
        ['4', 'flag'],
      ],
    },
    { kind: 'number', name: 'use_count', label: 'uses', isReadOnly: true, column: 'usual' },
    { kind: 'flag', name: 'is_sorm', label: 'sorm', column: 'usual' },
    { kind: 'text', name: 'sorm_field_code', label: 'sormCode', says: 'sormCodeSays', column: 'extra' },
    { kind: 'text', name: 'sorm_report_types', label: 'sormReports' },
    { kind: 'flag', name: 'sorm_required', label: 'sormRequired' },
    { kind: 'text', name: 'sorm_alt_names', label: 'sormNames' },
  ],
})

const cards = plainOf('cards', {
  title: 'cards',
  add: 'newCard',
  right: 'change',
  isShared: true,
  fields: [
    { kind: 'text', name: 'serial', label: 'serial', isRequired: true, column: 'first' },
    { kind: 'secret', name: 'pin', label: 'pin', says: 'pinSays', isRequired: true },
    { kind: 'money', name: 'nominal', label: 'nominal', isRequired: true, column: 'card' },
    {
      kind: 'choice',
      name: 'status',
      label: 'status',
      isRequired: true,
      column: 'card',
      options: [
        ['new', 'statusNew'],
        ['active', 'statusActive'],
        ['used', 'statusUsed'],
        ['blocked', 'statusBlocked'],
      ],
    },
    { kind: 'moment', name: 'used_date', label: 'usedAt', isReadOnly: true, column: 'usual' },
  ],
})

const currencies = plainOf('currencies', {
  title: 'currencies',
  add: 'newCurrency',
  right: 'settings',
  isShared: true,
  isKept: ({ is_default: isDefault }) => isDefault === true,
  fields: [
    { kind: 'text', name: 'code', label: 'code', says: 'codeSays', isRequired: true, column: 'first' },
    { kind: 'text', name: 'name', label: 'name', isRequired: true, column: 'card' },
    { kind: 'flag', name: 'is_default', label: 'isDefault', column: 'card' },
  ],
})

const video = plainOf('video_objects', {
  title: 'video',
  add: 'newVideo',
  right: 'change',
  fields: [
    name,
    { kind: 'number', name: 'account', label: 'account', says: 'accountPays', column: 'card' },
    enabled,
    { kind: 'note', name: 'comment', label: 'comment' },
  ],
})

export const plainDictionaries: Readonly<Record<PlainName, Plain>> = {
  organizations,
  'operation-types': operationTypes,
  folders,
  fields,
  cards,
  currencies,
  video,
}
