import { serviceFields, serviceUsedBy } from '../../../billing/accounts/service-record.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Usluga } from '../../../platform/storage/entities/services.ts'

export const usluga: Model = modelOf({
  name: 'Usluga',
  entity: Usluga,
  doc: 'A service. 30353, -3 and -4 are promise payments.',
  usedBy: serviceUsedBy,
  fields: [
    field.key(),
    ...serviceFields({
      price: field.money('price', 'Price', { min: 0 }),
      summa: field.money('summa', 'Sum that goes before the price; null falls through to it', { min: 0 }),
    }),
  ],
})
