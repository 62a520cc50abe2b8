import { createdNow, id, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A help-desk ticket. */
export const Hdsk = entity('hdsks', {
  columns: {
    id: id(),
    abonent_id: reference('abonents'),
    subject: text(),
    body: text().default(''),
    status: text<'open' | 'in_progress' | 'closed'>().default('open'),
    create_date: createdNow(),
  },
  checks: [{ name: 'hdsks_status', expression: `status IN ('open', 'in_progress', 'closed')` }],
  indexes: [
    { name: 'hdsks_abonent', expression: 'CREATE INDEX hdsks_abonent ON hdsks (abonent_id, id DESC)' },
    { name: 'hdsks_status', columns: ['status', 'id'] },
  ],
})
