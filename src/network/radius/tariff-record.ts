import { vlanRange } from '../../domain/nas.ts'
import * as field from '../../platform/records/fields.ts'
import type { FieldSpec } from '../../platform/records/model.ts'
import { radiusReply } from './reply-fields.ts'

/** The fields of a tariff besides its id, at every door. `price` is how the price of a month is written there. */
export const tariffFields = (price: FieldSpec): FieldSpec[] => [
  field.text('name', 'Name.', field.required),
  price,
  field.decimal('speed_mbit', 'Speed to the client, Mbit/s; null for unlimited.'),
  field.decimal('upload_mbit', 'Speed from the client, Mbit/s; null for the same.'),
  field.boolean('enabled', 'In use.'),
  field.boolean('is_public', 'Offered to clients.'),
  field.longText('description', 'Description.'),
  field.integer('vlan', 'VLAN of its logins that have none of their own.', vlanRange),
  radiusReply,
  field.boolean('walled_garden', 'Debtors are let into an address list instead of being rejected.'),
]

/** The tables whose rows keep a tariff from being deleted. */
export const tariffUsedBy = [
  { table: 'abonents', column: 'tarif_id', noun: 'subscribers' },
  { table: 'abonents', column: 'next_tarif_id', noun: 'planned tariff changes' },
] as const
