import { createdNow, id, moment, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

export const HdskMessage = entity('hdsk_messages', {
  columns: {
    id: id(),
    hdsk_id: reference('hdsks').onDelete('cascade'),
    author: text<'client' | 'staff'>(),
    staff_id: reference('staff').nullable(),
    body: text(),
    create_date: createdNow(),
    /** When the client saw a staff message, or staff a client's. */
    read_date: moment().nullable(),
  },
  checks: [{ name: 'hdsk_messages_author', expression: `author IN ('client', 'staff')` }],
  indexes: [
    { name: 'hdsk_messages_hdsk', columns: ['hdsk_id', 'id'] },
    {
      name: 'hdsk_messages_unread',
      expression: `CREATE INDEX hdsk_messages_unread ON hdsk_messages (hdsk_id) WHERE author = 'staff' AND read_date IS NULL`,
    },
    { name: 'hdsk_messages_staff', columns: ['staff_id'], where: 'staff_id IS NOT NULL' },
  ],
})
