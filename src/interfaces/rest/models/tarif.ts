import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Tarif } from '../../../platform/storage/entities/services.ts'
import { radiusReply, vlanRange } from './radius-fields.ts'

export const tarif: Model = modelOf({
  name: 'Tarif',
  entity: Tarif,
  doc: 'A tariff plan.',
  access: true,
  usedBy: [
    { table: 'abonents', column: 'tarif_id', noun: 'subscribers' },
    { table: 'abonents', column: 'next_tarif_id', noun: 'planned tariff changes' },
  ],
  fields: [
    field.key(),
    field.text('name', 'Name.', field.required),
    field.money('price', 'Price of a month', { ...field.required, min: 0 }),
    field.decimal('speed_mbit', 'Speed to the client, Mbit/s; null for unlimited.'),
    field.decimal('upload_mbit', 'Speed from the client, Mbit/s; null for the same.'),
    field.boolean('enabled', 'In use.'),
    field.boolean('is_public', 'Offered to clients.'),
    field.longText('description', 'Description.'),
    field.integer('vlan', 'VLAN of its logins that have none of their own.', vlanRange),
    radiusReply,
    field.boolean('walled_garden', 'Debtors are let into an address list instead of being rejected.'),
  ],
})
