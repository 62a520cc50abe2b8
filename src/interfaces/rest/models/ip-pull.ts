import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { IpPull } from '../../../platform/storage/entities/network.ts'

export const ipPull: Model = modelOf({
  name: 'IpPull',
  entity: IpPull,
  doc: 'A pool of addresses for logins without one of their own.',
  access: true,
  usedBy: [{ table: 'users', column: 'pool_id', noun: 'logins' }],
  fields: [
    field.key(),
    field.text('name', 'Name.', field.required),
    field.network('network', 'Network as CIDR.', field.required),
    field.ip('gateway', 'Gateway; never given out.'),
    field.ip('netmask', 'Mask of the network.', { ...field.readOnly, sql: (table) => `netmask(${table}.network)` }),
    field.boolean('enabled', 'Addresses are given out.'),
  ],
})
