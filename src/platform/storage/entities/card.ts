import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow, id, money } from './columns.ts'

/** A payment card. */
export const Card = defineEntity({
  name: 'Card',
  tableName: 'cards',
  properties: {
    id: id(),
    serial: p.text().unique('cards_serial'),
    /** Sealed by storage/secrets. */
    pin: p.text(),
    nominal: money(),
    status: p.text().$type<'new' | 'active' | 'used' | 'blocked'>().default('new'),
    abonent: () => p.manyToOne(Abonent).deleteRule('restrict').updateRule('no action').nullable(),
    used_date: p.datetime().nullable(),
    create_date: createdNow(),
  },
  checks: [{ name: 'cards_status', expression: `status IN ('new', 'active', 'used', 'blocked')` }],
  indexes: [{ name: 'cards_abonent', properties: ['abonent'], where: 'abonent_id IS NOT NULL' }],
})
