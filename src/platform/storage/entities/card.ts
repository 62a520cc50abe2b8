import { createdNow, id, moment, money, reference, sealed, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A payment card. */
export const Card = entity('cards', {
  columns: {
    id: id(),
    serial: text().unique('cards_serial'),
    pin: sealed(),
    nominal: money(),
    status: text<'new' | 'active' | 'used' | 'blocked'>().default('new'),
    abonent_id: reference('abonents').nullable(),
    used_date: moment().nullable(),
    create_date: createdNow(),
  },
  checks: [{ name: 'cards_status', expression: `status IN ('new', 'active', 'used', 'blocked')` }],
  indexes: [{ name: 'cards_abonent', columns: ['abonent_id'], where: 'abonent_id IS NOT NULL' }],
})
