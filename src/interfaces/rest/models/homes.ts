import { choice, key, type Model, modelOf, relation, required, text } from '../../../platform/records/model.ts'
import { Home } from '../../../platform/storage/entities/subscribers.ts'

export const homes: Model = modelOf({
  name: 'Homes',
  entity: Home,
  label: 'homes',
  audit: 'HOMES',
  doc: 'A node of the address tree: city, street, house.',
  usedBy: [
    { table: 'homes', column: 'parent_id', noun: 'addresses' },
    { table: 'abonents', column: 'home_id', noun: 'subscribers' },
    { table: 'switches', column: 'home_id', noun: 'switches' },
  ],
  fields: [
    key(),
    relation('parent', 'The node above.', () => homes),
    choice('kind', 'What it is.', ['city', 'street', 'house'], required),
    text('name', 'Name.', required),
  ],
})
