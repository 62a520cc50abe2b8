import { defineEntity, p } from '@mikro-orm/postgresql'
import { id, inet, macaddr } from './columns.ts'
import { Home } from './home.ts'

export const Switch = defineEntity({
  name: 'Switch',
  tableName: 'switches',
  properties: {
    id: id(),
    name: p.text(),
    ip: inet(),
    mac: macaddr().nullable(),
    model: p.text().nullable(),
    ports_count: p.integer().nullable(),
    home: () => p.manyToOne(Home).deleteRule('restrict').updateRule('no action').nullable(),
    /** Sealed by storage/secrets. */
    snmp_community: p.text().nullable(),
    comment: p.text().nullable(),
  },
  indexes: [{ name: 'switches_home', properties: ['home'], where: 'home_id IS NOT NULL' }],
})
