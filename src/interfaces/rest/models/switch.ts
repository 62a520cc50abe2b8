import {
  integer,
  ip,
  key,
  longText,
  type Model,
  mac,
  optional,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { homes } from './homes.ts'

export const switches: Model = {
  name: 'Switch',
  table: 'switches',
  key: 'id',
  label: 'switch',
  audit: 'SWITCH',
  doc: 'A switch.',
  usedBy: [{ table: 'users', column: 'switch_id', noun: 'logins' }],
  fields: [
    key(),
    text('name', 'Name.', required),
    ip('ip', 'Management address.', required),
    mac('mac', 'MAC address.', optional),
    text('model', 'Model.', optional),
    integer('ports_count', 'Number of ports.', { ...optional, min: 0 }),
    relation('home', 'House it stands in.', () => homes, optional),
    text('snmp_community', 'SNMP community.', { ...optional, access: 'writeOnly', sealed: true, verbatim: true }),
    longText('comment', 'Comment.'),
  ],
}
