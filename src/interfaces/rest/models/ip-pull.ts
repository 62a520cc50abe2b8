import {
  boolean,
  ip,
  key,
  type Model,
  modelOf,
  network,
  readOnly,
  required,
  text,
} from '../../../platform/records/model.ts'
import { IpPull } from '../../../platform/storage/entities/network.ts'

export const ipPull: Model = modelOf({
  name: 'IpPull',
  entity: IpPull,
  label: 'ip pull',
  audit: 'IP_PULL',
  doc: 'A pool of addresses for logins without one of their own.',
  access: true,
  usedBy: [{ table: 'users', column: 'pool_id', noun: 'logins' }],
  fields: [
    key(),
    text('name', 'Name.', required),
    network('network', 'Network as CIDR.', required),
    ip('gateway', 'Gateway; never given out.'),
    ip('netmask', 'Mask of the network.', { ...readOnly, sql: (table) => `netmask(${table}.network)` }),
    boolean('enabled', 'Addresses are given out.'),
  ],
})
