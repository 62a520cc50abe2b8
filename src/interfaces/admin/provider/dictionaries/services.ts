import {
  isPromiseServiceSql,
  serviceFields,
  serviceSteps,
  serviceUsedBy,
} from '../../../../billing/accounts/service-record.ts'
import { readSignedId } from '../../../../domain/ids.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import { boolean, readOnly } from '../../../../platform/records/fields.ts'
import { Usluga } from '../../../../platform/storage/entities/services.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, empty, price } from './fields.ts'

/** Services. Subscribers of every organization may have one. */
export const serviceDictionary: Dictionary = {
  model: dictionaryModel({
    name: 'uslugas',
    doc: 'Services',
    entity: Usluga,
    audit: 'USLUGA',
    rights: recordRights.common,
    fields: [
      ...serviceFields({
        price: price('price', 'Price of a month; of a promise payment the fee of a day'),
        summa: price('summa', 'Goes before the price; of a promise payment the amount that is lent', empty),
      }),
      boolean('is_promise', 'A promise payment, which is granted and not given', {
        ...readOnly,
        sql: isPromiseServiceSql,
      }),
    ],
    usedBy: serviceUsedBy,
  }),
  readId: readSignedId,
  order: 'this.name',
  searched: 'this.name',
  steps: serviceSteps,
}
