import { boolean, createdNow, id, integer, moment, money, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A service of a subscriber; an active promise payment is one too (specification 2.6a). */
export const UsersUsluga = entity('users_uslugas', {
  columns: {
    id: id(),
    abonent_id: reference('abonents'),
    usluga_id: reference('uslugas'),
    system_type: integer().nullable(),
    end_time: moment().nullable(),
    /** The amount of a promise payment. */
    limit: money().nullable(),
    countt: integer().default(1),
    /** The subscriber's own price; null falls through to the service. */
    summ: money().nullable(),
    enabled: boolean().default(true),
    comment: text().nullable(),
    /** The operation that credited a promise payment. */
    op_id: reference('finance_operations').onDelete('set null').nullable(),
    create_date: createdNow(),
    /** When it was switched on again or began to cost something: nothing is charged for the time before. */
    charged_from: moment().nullable(),
  },
  indexes: [
    { name: 'users_uslugas_abonent', columns: ['abonent_id'] },
    { name: 'users_uslugas_usluga', columns: ['usluga_id'] },
    { name: 'users_uslugas_op', columns: ['op_id'], where: 'op_id IS NOT NULL' },
  ],
})
