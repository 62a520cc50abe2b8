import { defineEntity, p } from '@mikro-orm/postgresql'
import { id, inet } from './columns.ts'

/** An access server. */
export const Nas = defineEntity({
  name: 'Nas',
  tableName: 'nas',
  properties: {
    id: id(),
    name: p.text(),
    ip: inet().unique('nas_ip'),
    /** Sealed by storage/secrets. */
    secret: p.text(),
    nas_type: p.text().default('generic'),
    coa_port: p.integer().default(3799),
    enabled: p.boolean().default(true),
    require_message_authenticator: p.text().default('auto'),
    limit_proxy_state: p.text().default('auto'),
    /** What `auto` learned from the first valid request; null until then. */
    learned_message_authenticator: p.boolean().nullable(),
    learned_proxy_state: p.boolean().nullable(),
    comment: p.text().nullable(),
  },
  checks: [
    {
      name: 'nas_type',
      expression: `nas_type IN ('mikrotik', 'cisco', 'juniper', 'huawei', 'accel', 'generic')`,
    },
    { name: 'nas_require_message_authenticator', expression: `require_message_authenticator IN ('yes', 'no', 'auto')` },
    { name: 'nas_limit_proxy_state', expression: `limit_proxy_state IN ('yes', 'no', 'auto')` },
  ],
})
