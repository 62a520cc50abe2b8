import { id, inet, integer, macaddr, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

export const Switch = entity('switches', {
  columns: {
    id: id(),
    name: text(),
    ip: inet(),
    mac: macaddr().nullable(),
    model: text().nullable(),
    ports_count: integer().nullable(),
    home_id: reference('homes').nullable(),
    /** Sealed by storage/secrets. */
    snmp_community: text().nullable(),
    comment: text().nullable(),
  },
  indexes: [{ name: 'switches_home', columns: ['home_id'], where: 'home_id IS NOT NULL' }],
})
