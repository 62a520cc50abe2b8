import { nasFields, nasUsedBy } from '../../../network/radius/nas-record.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { nasTemplate } from './dictionaries.ts'
import { Nas } from '../../../platform/storage/entities/network.ts'

export const nas: Model = modelOf({
  name: 'Nas',
  entity: Nas,
  doc: 'An access server.',
  access: true,
  usedBy: nasUsedBy,
  fields: [field.key(), ...nasFields(() => nasTemplate)],
})
