import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Usluga } from '../../../platform/storage/entities/services.ts'

export const usluga: Model = modelOf({
  name: 'Usluga',
  entity: Usluga,
  doc: 'A service. 30353, -3 and -4 are promise payments.',
  usedBy: [
    { table: 'users_uslugas', column: 'usluga_id', noun: 'services of subscribers' },
    { table: 'finance_operations', column: 'usluga_id', noun: 'finance operations' },
  ],
  fields: [
    field.key(),
    field.text('name', 'Name.', field.required),
    field.money('price', 'Price', { min: 0 }),
    field.money('summa', 'Sum that goes before the price; null falls through to it', { min: 0 }),
    field.integer('system_type', 'Type of a built-in service.'),
    field.integer('end_count_days', 'Term, days.', { min: 0 }),
    field.boolean('enabled', 'In use.'),
    field.boolean('is_public', 'Offered to clients.'),
    field.longText('description', 'Description.'),
  ],
})
