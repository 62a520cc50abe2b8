import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow, id, money } from './columns.ts'
import { FinanceOperation } from './finance-operation.ts'
import { Usluga } from './usluga.ts'

/** A service of a subscriber; an active promise payment is one too (specification 2.6a). */
export const UsersUsluga = defineEntity({
  name: 'UsersUsluga',
  tableName: 'users_uslugas',
  properties: {
    id: id(),
    abonent: () => p.manyToOne(Abonent).deleteRule('restrict').updateRule('no action'),
    usluga: () => p.manyToOne(Usluga).deleteRule('restrict').updateRule('no action'),
    system_type: p.integer().nullable(),
    end_time: p.datetime().nullable(),
    /** The amount of a promise payment. */
    limit: money().nullable(),
    countt: p.integer().default(1),
    /** The subscriber's own price; null falls through to the service. */
    summ: money().nullable(),
    enabled: p.boolean().default(true),
    comment: p.text().nullable(),
    /** The operation that credited a promise payment. */
    op: () =>
      p.manyToOne(FinanceOperation).deleteRule('set null').updateRule('no action').nullable().joinColumn('op_id'),
    create_date: createdNow(),
    /** When it was switched on again or began to cost something: nothing is charged for the time before. */
    charged_from: p.datetime().nullable(),
  },
  indexes: [
    { name: 'users_uslugas_abonent', properties: ['abonent'] },
    { name: 'users_uslugas_usluga', properties: ['usluga'] },
    { name: 'users_uslugas_op', properties: ['op'], where: 'op_id IS NOT NULL' },
  ],
})
