import { cardFields } from '../../../billing/accounts/card-record.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Card } from '../../../platform/storage/entities/accounts.ts'
import { abonents } from './abonents.ts'

export const cards: Model = modelOf({
  name: 'Cards',
  entity: Card,
  doc: 'A payment card.',
  fields: [
    field.key(),
    ...cardFields(field.money('nominal', 'Amount it credits', { ...field.required, min: 0 })),
    field.relation('abonent', 'Who used it.', () => abonents),
    field.datetime('used_date', 'When it was used.'),
  ],
})
