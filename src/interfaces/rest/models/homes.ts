import { homeFields, homeUsedBy } from '../../../billing/accounts/home-record.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Home } from '../../../platform/storage/entities/subscribers.ts'

export const homes: Model = modelOf({
  name: 'Homes',
  entity: Home,
  doc: 'A node of the address tree: city, street, house.',
  usedBy: homeUsedBy,
  fields: [field.key(), ...homeFields(() => homes)],
})
