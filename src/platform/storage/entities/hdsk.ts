import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { createdNow, id } from './columns.ts'

/** A help-desk ticket. */
export const Hdsk = defineEntity({
  name: 'Hdsk',
  tableName: 'hdsks',
  properties: {
    id: id(),
    abonent: () => p.manyToOne(Abonent).deleteRule('restrict').updateRule('no action'),
    subject: p.text(),
    body: p.text().default(''),
    status: p.text().$type<'open' | 'in_progress' | 'closed'>().default('open'),
    create_date: createdNow(),
  },
  checks: [{ name: 'hdsks_status', expression: `status IN ('open', 'in_progress', 'closed')` }],
  indexes: [
    { name: 'hdsks_abonent', expression: 'CREATE INDEX hdsks_abonent ON hdsks (abonent_id, id DESC)' },
    { name: 'hdsks_status', properties: ['status', 'id'] },
  ],
})
