import { recordRights } from '../../../../domain/record-rights.ts'
import { tariffFields, tariffUsedBy } from '../../../../network/radius/tariff-record.ts'
import { required, rubles } from '../../../../platform/records/fields.ts'
import { Tarif } from '../../../../platform/storage/entities/services.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel } from './fields.ts'

const price = rubles('price', 'Price of a month', {
  ...required,
  fits: (value) => (value as bigint) >= 0n,
  must: 'be an amount in rubles, zero or more, with at most two places',
})

/** Tariffs. Subscribers of every organization may have one. RADIUS follows a change at once. */
export const tariffDictionary: Dictionary = {
  model: dictionaryModel({
    name: 'tarifs',
    doc: 'Tariffs',
    entity: Tarif,
    audit: 'TARIF',
    access: true,
    rights: recordRights.common,
    fields: tariffFields(price),
    usedBy: tariffUsedBy,
  }),
  order: 'this.name',
  searched: 'this.name',
}
