import { recordRights } from '../../../../domain/record-rights.ts'
import { tariffFields, tariffUsedBy } from '../../../../network/radius/tariff-record.ts'
import { required } from '../../../../platform/records/fields.ts'
import { Tarif } from '../../../../platform/storage/entities/services.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, price } from './fields.ts'

/** Tariffs. Subscribers of every organization may have one. RADIUS follows a change at once. */
export const tariffDictionary: Dictionary = {
  model: dictionaryModel({
    name: 'tarifs',
    doc: 'Tariffs',
    entity: Tarif,
    audit: 'TARIF',
    access: true,
    rights: recordRights.common,
    fields: tariffFields(price('price', 'Price of a month', required)),
    usedBy: tariffUsedBy,
  }),
  order: 'this.name',
  searched: 'this.name',
}
