import { boolean, createdNow, id, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A camera or the like that is paid from an account; its account is not an orphan. */
export const VideoObject = entity('video_objects', {
  columns: {
    id: id(),
    name: text(),
    account_id: reference('admin_accounts').nullable(),
    enabled: boolean().default(true),
    comment: text().nullable(),
    create_date: createdNow(),
  },
  indexes: [{ name: 'video_objects_account', columns: ['account_id'], where: 'account_id IS NOT NULL' }],
})
