import {
  choice,
  datetime,
  key,
  type Model,
  modelOf,
  money,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { Card } from '../../../platform/storage/entities/accounts.ts'
import { abonents } from './abonents.ts'

export const cards: Model = modelOf({
  name: 'Cards',
  entity: Card,
  label: 'cards',
  audit: 'CARDS',
  doc: 'A payment card.',
  fields: [
    key(),
    text('serial', 'Serial number; unique.', required),
    text('pin', 'PIN.', { ...required, access: 'writeOnly', verbatim: true }),
    money('nominal', 'Amount it credits', { ...required, min: 0 }),
    choice('status', 'State.', ['new', 'active', 'used', 'blocked']),
    relation('abonent', 'Who used it.', () => abonents),
    datetime('used_date', 'When it was used.'),
  ],
})
