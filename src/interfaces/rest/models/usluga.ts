import {
  boolean,
  integer,
  key,
  longText,
  type Model,
  modelOf,
  money,
  required,
  text,
} from '../../../platform/records/model.ts'
import { Usluga } from '../../../platform/storage/entities/services.ts'

export const usluga: Model = modelOf({
  name: 'Usluga',
  entity: Usluga,
  label: 'usluga',
  audit: 'USLUGA',
  doc: 'A service. 30353, -3 and -4 are promise payments.',
  usedBy: [
    { table: 'users_uslugas', column: 'usluga_id', noun: 'services of subscribers' },
    { table: 'finance_operations', column: 'usluga_id', noun: 'finance operations' },
  ],
  fields: [
    key(),
    text('name', 'Name.', required),
    money('price', 'Price', { min: 0 }),
    money('summa', 'Sum that goes before the price; null falls through to it', { min: 0 }),
    integer('system_type', 'Type of a built-in service.'),
    integer('end_count_days', 'Term, days.', { min: 0 }),
    boolean('enabled', 'In use.'),
    boolean('is_public', 'Offered to clients.'),
    longText('description', 'Description.'),
  ],
})
