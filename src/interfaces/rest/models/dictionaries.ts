import {
  boolean,
  type FieldSpec,
  integer,
  key,
  type Model,
  modelOf,
  readOnly,
  relation,
  text,
} from '../../../platform/records/model.ts'
import { AbonentFolder, AbonentsBlock } from '../../../platform/storage/entities/subscribers.ts'
import { FinType } from '../../../platform/storage/entities/accounts.ts'
import { Organization, Staff } from '../../../platform/storage/entities/organizations.ts'
import type { Table } from '../../../platform/storage/entity.ts'

/**
 * Models that the twelve models refer to. They have no routes of their own; they exist for filters across relations.
 */

const referenced = (
  name: string,
  label: string,
  entity: Table,
  fields: readonly FieldSpec[] = [key(), text('name', 'Name.')],
): Model =>
  modelOf({
    name,
    entity,
    label,
    audit: entity.table.toUpperCase(),
    doc: `A row of ${entity.table}.`,
    fields,
  })

export const organizations = referenced('Organization', 'organization', Organization)

export const abonentFolders: Model = referenced('AbonentFolders', 'abonent folders', AbonentFolder, [
  key(),
  text('name', 'Name.'),
  relation('parent', 'The folder above.', () => abonentFolders),
  relation('organization', 'Organization of the folder.', () => organizations),
])

/** Only the name of staff: nothing about their passwords can be found out, not even by a filter. */
export const staff = referenced('Staff', 'staff', Staff, [key(), text('username', 'Name at the sign-in.')])

export const finTypes: Model = modelOf({
  name: 'FinTypes',
  entity: FinType,
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
})

const flag = (name: string, doc: string) =>
  // A subscriber without a record has no flag set.
  boolean(name, doc, { ...readOnly, sql: (table) => `coalesce(${table}.${name}, false)` })

export const abonentsBlock: Model = modelOf({
  name: 'AbonentsBlock',
  entity: AbonentsBlock,
  label: 'abonents block',
  audit: 'ABONENTS_BLOCK',
  doc: 'Why a subscriber is cut off.',
  fields: [
    flag('b_negbal', 'Financial: the balance is under LIMIT.'),
    flag('b_admin', 'Administrative, by an operator.'),
    flag('b_own', 'Voluntary, by the client.'),
    flag('b_sys', 'By the system.'),
  ],
})
