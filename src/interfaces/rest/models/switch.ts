import {
  integer,
  ip,
  key,
  longText,
  mac,
  type Model,
  modelOf,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { Switch } from '../../../platform/storage/entities/network.ts'
import { homes } from './homes.ts'

export const switches: Model = modelOf({
  name: 'Switch',
  entity: Switch,
  label: 'switch',
  audit: 'SWITCH',
  doc: 'A switch.',
  usedBy: [{ table: 'users', column: 'switch_id', noun: 'logins' }],
  fields: [
    key(),
    text('name', 'Name.', required),
    ip('ip', 'Management address.', required),
    mac('mac', 'MAC address.'),
    text('model', 'Model.'),
    integer('ports_count', 'Number of ports.', { min: 0 }),
    relation('home', 'House it stands in.', () => homes),
    text('snmp_community', 'SNMP community.', { access: 'writeOnly', verbatim: true }),
    longText('comment', 'Comment.'),
  ],
})
