import { boolean, decimal, id, integer, moment, money, radiusReply, text } from '../columns.ts'
import { entity } from '../entity.ts'

export const Tarif = entity('tarifs', {
  columns: {
    id: id(),
    name: text(),
    /** A month. */
    price: money(),
    speed_mbit: decimal(10, 3).nullable(),
    upload_mbit: decimal(10, 3).nullable(),
    enabled: boolean().default(true),
    /** Offered to clients. */
    is_public: boolean().default(false),
    description: text().nullable(),
    vlan: integer().nullable(),
    radius_reply: radiusReply(),
    /** Debtors get an address list instead of a Reject. */
    walled_garden: boolean().default(false),
    /** When a free tariff got a price: nothing is charged for the time before. */
    priced_from: moment().nullable(),
  },
  checks: [{ name: 'tarifs_vlan', expression: 'vlan BETWEEN 1 AND 4094' }],
})
