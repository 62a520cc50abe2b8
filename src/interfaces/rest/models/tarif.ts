import {
  boolean,
  decimal,
  integer,
  key,
  longText,
  type Model,
  modelOf,
  money,
  required,
  text,
} from '../../../platform/records/model.ts'
import { Tarif } from '../../../platform/storage/entities/services.ts'
import { radiusReply } from './radius-reply.ts'
import { vlanRange } from './vlan-range.ts'

export const tarif: Model = modelOf({
  name: 'Tarif',
  entity: Tarif,
  label: 'tarif',
  audit: 'TARIF',
  doc: 'A tariff plan.',
  access: true,
  usedBy: [
    { table: 'abonents', column: 'tarif_id', noun: 'subscribers' },
    { table: 'abonents', column: 'next_tarif_id', noun: 'planned tariff changes' },
  ],
  fields: [
    key(),
    text('name', 'Name.', required),
    money('price', 'Price of a month', { ...required, min: 0 }),
    decimal('speed_mbit', 'Speed to the client, Mbit/s; null for unlimited.'),
    decimal('upload_mbit', 'Speed from the client, Mbit/s; null for the same.'),
    boolean('enabled', 'In use.'),
    boolean('is_public', 'Offered to clients.'),
    longText('description', 'Description.'),
    integer('vlan', 'VLAN of its logins that have none of their own.', vlanRange),
    radiusReply,
    boolean('walled_garden', 'Debtors are let into an address list instead of being rejected.'),
  ],
})
