import { type NasType, nasTypes, type Tristate } from '../../../domain/nas.ts'
import { boolean, id, inet, integer, sealed, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** An access server. */
export const Nas = entity('nas', {
  columns: {
    id: id(),
    name: text(),
    ip: inet().unique('nas_ip'),
    secret: sealed(),
    nas_type: text<NasType>().default('generic'),
    coa_port: integer().default(3799),
    enabled: boolean().default(true),
    require_message_authenticator: text<Tristate>().default('auto'),
    limit_proxy_state: text<Tristate>().default('auto'),
    /** What `auto` learned from the first valid request; null until then. */
    learned_message_authenticator: boolean().nullable(),
    learned_proxy_state: boolean().nullable(),
    /** A list of realms in place of the setting RADIUS_REALMS (domain/realms.ts). */
    realms: text().nullable(),
    interims: text<Tristate>().default('auto'),
    /** What `auto` learned; null until a session has lasted long enough. */
    learned_interims: boolean().nullable(),
    session_hours_max: integer().default(168),
    comment: text().nullable(),
  },
  checks: [
    {
      name: 'nas_type',
      expression: `nas_type IN (${nasTypes.map((type) => `'${type}'`).join(', ')})`,
    },
    { name: 'nas_require_message_authenticator', expression: `require_message_authenticator IN ('yes', 'no', 'auto')` },
    { name: 'nas_limit_proxy_state', expression: `limit_proxy_state IN ('yes', 'no', 'auto')` },
    { name: 'nas_interims', expression: `interims IN ('yes', 'no', 'auto')` },
  ],
})
