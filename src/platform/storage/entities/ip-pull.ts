import { boolean, cidr, id, inet, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A pool of addresses for logins without one of their own. */
export const IpPull = entity('ip_pulls', {
  columns: {
    id: id(),
    name: text(),
    network: cidr(),
    gateway: inet().nullable(),
    enabled: boolean().default(true),
  },
})
