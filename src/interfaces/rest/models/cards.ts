import {
  choice,
  datetime,
  key,
  type Model,
  money,
  optional,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { abonents } from './abonents.ts'

export const cards: Model = {
  name: 'Cards',
  table: 'cards',
  key: 'id',
  label: 'cards',
  audit: 'CARDS',
  doc: 'A payment card.',
  fields: [
    key(),
    text('serial', 'Serial number; unique.', required),
    text('pin', 'PIN.', { ...required, access: 'writeOnly', sealed: true, verbatim: true }),
    money('nominal', 'Amount it credits', { ...required, min: 0 }),
    choice('status', 'State.', ['new', 'active', 'used', 'blocked']),
    relation('abonent', 'Who used it.', () => abonents, optional),
    datetime('used_date', 'When it was used.', optional),
  ],
}
