import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, id } from './columns.ts'
import { Hdsk } from './hdsk.ts'
import { Staff } from './staff.ts'

export const HdskMessage = defineEntity({
  name: 'HdskMessage',
  tableName: 'hdsk_messages',
  properties: {
    id: id(),
    hdsk: () => p.manyToOne(Hdsk).deleteRule('cascade').updateRule('no action'),
    author: p.text().$type<'client' | 'staff'>(),
    staff: () => p.manyToOne(Staff).deleteRule('restrict').updateRule('no action').nullable(),
    body: p.text(),
    create_date: createdNow(),
    /** When the client saw a staff message, or staff a client's. */
    read_date: p.datetime().nullable(),
  },
  checks: [{ name: 'hdsk_messages_author', expression: `author IN ('client', 'staff')` }],
  indexes: [
    { name: 'hdsk_messages_hdsk', properties: ['hdsk', 'id'] },
    {
      name: 'hdsk_messages_unread',
      expression: `CREATE INDEX hdsk_messages_unread ON hdsk_messages (hdsk_id) WHERE author = 'staff' AND read_date IS NULL`,
    },
    { name: 'hdsk_messages_staff', properties: ['staff'], where: 'staff_id IS NOT NULL' },
  ],
})
