import { cardFields } from '../../../../billing/accounts/card-record.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import { datetime, readOnly, required } from '../../../../platform/records/fields.ts'
import { Card } from '../../../../platform/storage/entities/accounts.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, price } from './fields.ts'

/** Payment cards. They are sold to the subscribers of every organization. */
export const cardDictionary: Dictionary = {
  model: dictionaryModel({
    name: 'cards',
    doc: 'Payment cards',
    entity: Card,
    rights: recordRights.common,
    fields: [
      ...cardFields(price('nominal', 'Amount it credits', required)),
      datetime('used_date', 'When it was used', readOnly),
    ],
  }),
  // A million of them is told by the indexes of serials and of parts of these alone.
  order: 'this.serial',
  isOrderUnique: true,
  searched: 'this.serial',
}
