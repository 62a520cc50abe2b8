import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow, id, money } from './columns.ts'
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
    create_date: createdNow(),
  },
  indexes: [
    { name: 'users_uslugas_abonent', properties: ['abonent'] },
    { name: 'users_uslugas_usluga', properties: ['usluga'] },
  ],
})
