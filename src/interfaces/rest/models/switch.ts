import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Switch } from '../../../platform/storage/entities/network.ts'
import { homes } from './homes.ts'

export const switches: Model = modelOf({
  name: 'Switch',
  entity: Switch,
  doc: 'A switch.',
  usedBy: [{ table: 'users', column: 'switch_id', noun: 'logins' }],
  fields: [
    field.key(),
    field.text('name', 'Name.', field.required),
    field.ip('ip', 'Management address.', field.required),
    field.mac('mac', 'MAC address.'),
    field.text('model', 'Model.'),
    field.integer('ports_count', 'Number of ports.', { min: 0 }),
    field.relation('home', 'House it stands in.', () => homes),
    field.text('snmp_community', 'SNMP community.', { access: 'writeOnly', verbatim: true }),
    field.longText('comment', 'Comment.'),
  ],
})
