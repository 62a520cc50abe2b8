import {
  boolean,
  ip,
  key,
  type Model,
  network,
  optional,
  readOnly,
  required,
  text,
} from '../../../platform/records/model.ts'

export const ipPull: Model = {
  name: 'IpPull',
  table: 'ip_pulls',
  key: 'id',
  label: 'ip pull',
  audit: 'IP_PULL',
  doc: 'A pool of addresses for logins without one of their own.',
  access: true,
  usedBy: [{ table: 'users', column: 'pool_id', noun: 'logins' }],
  fields: [
    key(),
    text('name', 'Name.', required),
    network('network', 'Network as CIDR.', required),
    ip('gateway', 'Gateway; never given out.', optional),
    ip('netmask', 'Mask of the network.', { ...readOnly, sql: (table) => `netmask(${table}.network)` }),
    boolean('enabled', 'Addresses are given out.'),
  ],
}
