import { defineEntity, p } from '@mikro-orm/postgresql'
import { id, money, radiusReply } from './columns.ts'

export const Tarif = defineEntity({
  name: 'Tarif',
  tableName: 'tarifs',
  properties: {
    id: id(),
    name: p.text(),
    /** A month. */
    price: money(),
    speed_mbit: p.decimal('number').precision(10).scale(3).nullable(),
    upload_mbit: p.decimal('number').precision(10).scale(3).nullable(),
    enabled: p.boolean().default(true),
    /** Offered to clients. */
    is_public: p.boolean().default(false),
    description: p.text().nullable(),
    radius_reply: radiusReply(),
    /** Debtors get an address list instead of a Reject. */
    walled_garden: p.boolean().default(false),
    /** When a free tariff got a price: nothing is charged for the time before. */
    priced_from: p.datetime().nullable(),
  },
})
