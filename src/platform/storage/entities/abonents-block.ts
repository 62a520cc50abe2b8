import { boolean, createdNow, reference } from '../columns.ts'
import { entity } from '../entity.ts'

/** Why a subscriber is cut off (specification 2.6); no row when nothing stands. */
export const AbonentsBlock = entity('abonents_block', {
  columns: {
    abonent_id: reference('abonents').primary(),
    /** Under LIMIT. */
    b_negbal: boolean().default(false),
    /** By an operator. */
    b_admin: boolean().default(false),
    /** By the client. */
    b_own: boolean().default(false),
    b_sys: boolean().default(false),
    create_date: createdNow(),
    change_date: createdNow(),
  },
})
