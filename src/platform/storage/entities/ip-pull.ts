import { defineEntity, p } from '@mikro-orm/postgresql'
import { cidr, id, inet } from './columns.ts'

/** A pool of addresses for logins without one of their own. */
export const IpPull = defineEntity({
  name: 'IpPull',
  tableName: 'ip_pulls',
  properties: {
    id: id(),
    name: p.text(),
    network: cidr(),
    gateway: inet().nullable(),
    enabled: p.boolean().default(true),
  },
})
