import {
  boolean,
  integer,
  key,
  longText,
  type Model,
  money,
  optional,
  required,
  text,
} from '../../../platform/records/model.ts'

export const usluga: Model = {
  name: 'Usluga',
  table: 'uslugas',
  key: 'id',
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
    money('summa', 'Sum that goes before the price; null falls through to it', { ...optional, min: 0 }),
    integer('system_type', 'Type of a built-in service.', optional),
    integer('end_count_days', 'Term, days.', { ...optional, min: 0 }),
    boolean('enabled', 'In use.'),
    boolean('is_public', 'Offered to clients.'),
    longText('description', 'Description.'),
  ],
}
