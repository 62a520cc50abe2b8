import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow } from './columns.ts'

/** Why a subscriber is cut off (specification 2.6); no row when nothing stands. */
export const AbonentsBlock = defineEntity({
  name: 'AbonentsBlock',
  tableName: 'abonents_block',
  properties: {
    abonent: () =>
      p.oneToOne(Abonent).owner().primary().deleteRule('restrict').updateRule('no action').joinColumn('abonent_id'),
    /** Under LIMIT. */
    b_negbal: p.boolean().default(false),
    /** By an operator. */
    b_admin: p.boolean().default(false),
    /** By the client. */
    b_own: p.boolean().default(false),
    b_sys: p.boolean().default(false),
    create_date: createdNow(),
    change_date: createdNow(),
  },
})
