import { defineEntity, p } from '@mikro-orm/postgresql'
import { AdminAccount } from './admin-account.ts'
import { createdNow, id } from './columns.ts'

/** A camera or the like that is paid from an account; its account is not an orphan. */
export const VideoObject = defineEntity({
  name: 'VideoObject',
  tableName: 'video_objects',
  properties: {
    id: id(),
    name: p.text(),
    account: () => p.manyToOne(AdminAccount).deleteRule('restrict').updateRule('no action').nullable(),
    enabled: p.boolean().default(true),
    comment: p.text().nullable(),
    create_date: createdNow(),
  },
  indexes: [{ name: 'video_objects_account', properties: ['account'], where: 'account_id IS NOT NULL' }],
})
