import { type NasType, nasTypes, type Tristate } from '../../../domain/nas.ts'
import { boolean, cidr, id, inet, integer, moment, reference, sealed, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** An access server. */
export const Nas = entity('nas', {
  columns: {
    id: id(),
    name: text(),
    /** The source of its packets, unless `network` is. */
    ip: inet().nullable(),
    network: cidr().nullable(),
    /** NAS-Identifier, where several NAS share the address or network. */
    identifier: text().nullable(),
    secret: sealed(),
    /** During a change of the secret: accepted as well. */
    secret_next: sealed().nullable(),
    /** When a request last proved that it was signed with each of the two; null until then and after every save. */
    secret_seen_at: moment().nullable(),
    secret_next_seen_at: moment().nullable(),
    nas_type: text<NasType>().default('generic'),
    /** How it is told speeds and the walled garden; null: as its type is. */
    template_id: reference('nas_templates').nullable(),
    /** Where it listens for Disconnect and CoA; null: where its packets come from. */
    coa_ip: inet().nullable(),
    coa_port: integer().default(3799),
    /** Our own address that Disconnect and CoA leave from; null: the one that it asked last. */
    coa_source: inet().nullable(),
    /** Our own address that it asked last, where it is known. */
    asked_ip: inet().nullable(),
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
  indexes: [
    { name: 'nas_template', columns: ['template_id'] },
    { name: 'nas_ip', expression: `CREATE UNIQUE INDEX nas_ip ON nas (ip, coalesce(identifier, ''))` },
    { name: 'nas_network', expression: `CREATE UNIQUE INDEX nas_network ON nas (network, coalesce(identifier, ''))` },
  ],
  checks: [
    { name: 'nas_place', expression: 'num_nonnulls(ip, network) = 1' },
    {
      name: 'nas_type',
      expression: `nas_type IN (${nasTypes.map((type) => `'${type}'`).join(', ')})`,
    },
    { name: 'nas_require_message_authenticator', expression: `require_message_authenticator IN ('yes', 'no', 'auto')` },
    { name: 'nas_limit_proxy_state', expression: `limit_proxy_state IN ('yes', 'no', 'auto')` },
    { name: 'nas_interims', expression: `interims IN ('yes', 'no', 'auto')` },
  ],
})
