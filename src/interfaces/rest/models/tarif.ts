import { tariffFields, tariffUsedBy } from '../../../network/radius/tariff-record.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Tarif } from '../../../platform/storage/entities/services.ts'

export const tarif: Model = modelOf({
  name: 'Tarif',
  entity: Tarif,
  doc: 'A tariff plan.',
  access: true,
  usedBy: tariffUsedBy,
  fields: [field.key(), ...tariffFields(field.money('price', 'Price of a month', { ...field.required, min: 0 }))],
})
