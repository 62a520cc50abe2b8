import {
  boolean,
  integer,
  key,
  type Model,
  optional,
  readOnly,
  relation,
  text,
} from '../../../platform/records/model.ts'

/** Rows that the twelve models point at. They have no door of their own here; filter paths lead through them. */

const named = (name: string, table: string, label: string): Model => ({
  name,
  table,
  key: 'id',
  label,
  audit: table.toUpperCase(),
  doc: `A row of ${table}.`,
  fields: [key(), text('name', 'Name.')],
})

export const organizations = named('Organization', 'organizations', 'organization')

export const abonentFolders: Model = {
  ...named('AbonentFolders', 'abonent_folders', 'abonent folders'),
  fields: [
    key(),
    text('name', 'Name.'),
    relation('parent', 'The folder above.', () => abonentFolders, optional),
    relation('organization', 'Organization of the folder.', () => organizations),
  ],
}

/** Of staff only the name: nothing about passwords can be asked for, not even by a filter. */
export const staff: Model = {
  ...named('Staff', 'staff', 'staff'),
  fields: [key(), text('username', 'Name at the sign-in.')],
}

export const finTypes: Model = {
  name: 'FinTypes',
  table: 'fin_types',
  key: 'type_id',
  label: 'fin types',
  audit: 'FIN_TYPES',
  doc: 'A type of finance operation.',
  fields: [
    key('type_id'),
    key('id', 'type_id'),
    text('op_name', 'Name.'),
    integer('op_sign', '+1 income, -1 expense, 0 informational.'),
    text('op_descr', 'Description.'),
    boolean('is_common', 'Listed first.'),
    boolean('enabled', 'Offered.'),
  ],
}

const flag = (name: string, doc: string) =>
  // No record means that no flag is set.
  boolean(name, doc, { ...readOnly, sql: (table) => `coalesce(${table}.${name}, false)` })

export const abonentsBlock: Model = {
  name: 'AbonentsBlock',
  table: 'abonents_block',
  key: 'abonent_id',
  label: 'abonents block',
  audit: 'ABONENTS_BLOCK',
  doc: 'Why a subscriber is cut off.',
  fields: [
    flag('b_negbal', 'Financial: the balance is under LIMIT.'),
    flag('b_admin', 'Administrative, by an operator.'),
    flag('b_own', 'Voluntary, by the client.'),
    flag('b_sys', 'By the system.'),
  ],
}
