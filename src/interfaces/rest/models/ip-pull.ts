import { poolFields, poolUsedBy } from '../../../network/radius/pool-record.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { IpPull } from '../../../platform/storage/entities/network.ts'

export const ipPull: Model = modelOf({
  name: 'IpPull',
  entity: IpPull,
  doc: 'A pool of addresses for logins without one of their own.',
  access: true,
  usedBy: poolUsedBy,
  fields: [field.key(), ...poolFields],
})
