import { id, inet, integer, macaddr, reference, sealed, text } from '../columns.ts'
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
    snmp_community: sealed().nullable(),
    comment: text().nullable(),
  },
  indexes: [{ name: 'switches_home', columns: ['home_id'], where: 'home_id IS NOT NULL' }],
})
