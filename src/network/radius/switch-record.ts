import * as field from '../../platform/records/fields.ts'
import type { FieldSpec, Model } from '../../platform/records/model.ts'

/** The fields of a switch besides its id, at every door. `home` is the model of the addresses there. */
export const switchFields = (home: () => Model): FieldSpec[] => [
  field.text('name', 'Name.', field.required),
  field.ip('ip', 'Management address.', field.required),
  field.mac('mac', 'MAC address.'),
  field.text('model', 'Model.'),
  field.integer('ports_count', 'Number of ports.', { min: 0 }),
  field.relation('home', 'House it stands in.', home),
  field.text('snmp_community', 'SNMP community.', { access: 'writeOnly', verbatim: true }),
  field.longText('comment', 'Comment.'),
]

/** The tables whose rows keep a switch from being deleted. */
export const switchUsedBy = [{ table: 'users', column: 'switch_id', noun: 'logins' }] as const
