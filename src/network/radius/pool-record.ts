import * as field from '../../platform/records/fields.ts'
import type { FieldSpec } from '../../platform/records/model.ts'

/** The fields of a pool besides its id, at every door. */
export const poolFields: FieldSpec[] = [
  field.text('name', 'Name.', field.required),
  field.network('network', 'Network as CIDR.', field.required),
  field.ip('gateway', 'Gateway; never given out.'),
  field.ip('netmask', 'Mask of the network.', { ...field.readOnly, sql: (table) => `netmask(${table}.network)` }),
  field.boolean('enabled', 'Addresses are given out.'),
]

/** The tables whose rows keep a pool from being deleted. */
export const poolUsedBy = [{ table: 'users', column: 'pool_id', noun: 'logins' }] as const
