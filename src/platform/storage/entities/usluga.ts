import { defineEntity, p } from '@mikro-orm/postgresql'
import { id, money, moneyFromZero } from './columns.ts'

/** A service. 30353, -3 and -4 are promise payments. */
export const Usluga = defineEntity({
  name: 'Usluga',
  tableName: 'uslugas',
  properties: {
    id: id(),
    name: p.text(),
    price: moneyFromZero(),
    summa: money().nullable(),
    system_type: p.integer().nullable(),
    end_count_days: p.integer().nullable(),
    enabled: p.boolean().default(true),
    is_public: p.boolean().default(false),
    description: p.text().nullable(),
    /** When a free service got a price: nothing is charged for the time before. */
    priced_from: p.datetime().nullable(),
  },
})
