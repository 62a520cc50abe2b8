import { switchFields, switchUsedBy } from '../../../network/radius/switch-record.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Switch } from '../../../platform/storage/entities/network.ts'
import { homes } from './homes.ts'

export const switches: Model = modelOf({
  name: 'Switch',
  entity: Switch,
  doc: 'A switch.',
  usedBy: switchUsedBy,
  fields: [field.key(), ...switchFields(() => homes)],
})
