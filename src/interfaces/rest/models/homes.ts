import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Home } from '../../../platform/storage/entities/subscribers.ts'

export const homes: Model = modelOf({
  name: 'Homes',
  entity: Home,
  doc: 'A node of the address tree: city, street, house.',
  usedBy: [
    { table: 'homes', column: 'parent_id', noun: 'addresses' },
    { table: 'abonents', column: 'home_id', noun: 'subscribers' },
    { table: 'switches', column: 'home_id', noun: 'switches' },
  ],
  fields: [
    field.key(),
    field.relation('parent', 'The node above.', () => homes),
    field.choice('kind', 'What it is.', ['city', 'street', 'house'], field.required),
    field.text('name', 'Name.', field.required),
  ],
})
