import { choice, key, type Model, optional, relation, required, text } from '../../../platform/records/model.ts'

export const homes: Model = {
  name: 'Homes',
  table: 'homes',
  key: 'id',
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
    relation('parent', 'The node above.', () => homes, optional),
    choice('kind', 'What it is.', ['city', 'street', 'house'], required),
    text('name', 'Name.', required),
  ],
}
