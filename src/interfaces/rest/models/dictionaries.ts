import { nasTypes } from '../../../domain/nas.ts'
import * as field from '../../../platform/records/fields.ts'
import { type FieldSpec, type Model, modelOf } from '../../../platform/records/model.ts'
import { AbonentFolder, AbonentsBlock } from '../../../platform/storage/entities/subscribers.ts'
import { FinType } from '../../../platform/storage/entities/accounts.ts'
import { NasTemplate } from '../../../platform/storage/entities/network.ts'
import { Organization, Staff } from '../../../platform/storage/entities/organizations.ts'
import type { Table } from '../../../platform/storage/entity.ts'

/**
 * Models that the twelve models refer to. They have no routes of their own; they exist for filters across relations.
 */

const referenced = (
  name: string,
  entity: Table,
  fields: readonly FieldSpec[] = [field.key(), field.text('name', 'Name.')],
): Model => modelOf({ name, entity, doc: `A row of ${entity.table}.`, fields })

export const organizations = referenced('Organization', Organization)

export const abonentFolders: Model = referenced('AbonentFolders', AbonentFolder, [
  field.key(),
  field.text('name', 'Name.'),
  field.relation('parent', 'The folder above.', () => abonentFolders),
  field.relation('organization', 'Organization of the folder.', () => organizations),
])

/** Only the name of staff: nothing about their passwords can be found out, not even by a filter. */
export const staff = referenced('Staff', Staff, [field.key(), field.text('username', 'Name at the sign-in.')])

export const finTypes = referenced('FinTypes', FinType, [
  field.key('type_id'),
  field.key('id', 'type_id'),
  field.text('op_name', 'Name.'),
  field.integer('op_sign', '+1 income, -1 expense, 0 informational.'),
  field.text('op_descr', 'Description.'),
  field.boolean('is_common', 'Listed first.'),
  field.boolean('enabled', 'Offered.'),
])

const flag = (name: string, doc: string) =>
  // A subscriber without a record has no flag set.
  field.boolean(name, doc, { ...field.readOnly, sql: (table) => `coalesce(${table}.${name}, false)` })

/** Why a subscriber is cut off. */
export const abonentsBlock = referenced('AbonentsBlock', AbonentsBlock, [
  flag('b_negbal', 'Financial: the balance is under LIMIT.'),
  flag('b_admin', 'Administrative, by an operator.'),
  flag('b_own', 'Voluntary, by the client.'),
  flag('b_sys', 'By the system.'),
])

/** As much of a template as a NAS record leads to; it is edited in the web admin. */
export const nasTemplate = referenced('NasTemplate', NasTemplate, [
  field.key(),
  field.text('name', 'Name.'),
  field.choice('nas_type', 'The type of NAS it is made for.', nasTypes),
])
