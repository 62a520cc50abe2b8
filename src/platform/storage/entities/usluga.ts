import { boolean, id, integer, moment, money, moneyFromZero, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A service. 30353, -3 and -4 are promise payments. */
export const Usluga = entity('uslugas', {
  columns: {
    id: id(),
    name: text(),
    price: moneyFromZero(),
    summa: money().nullable(),
    system_type: integer().nullable(),
    end_count_days: integer().nullable(),
    enabled: boolean().default(true),
    is_public: boolean().default(false),
    description: text().nullable(),
    /** When a free service got a price: nothing is charged for the time before. */
    priced_from: moment().nullable(),
  },
})
