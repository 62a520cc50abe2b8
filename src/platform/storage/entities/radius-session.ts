import { defineEntity, p } from '@mikro-orm/postgresql'
import { cidr, id, inet, looseId } from './columns.ts'

/**
 * A session a NAS told about. Without foreign keys: it outlives its login and its NAS, and an insert checks nothing.
 * No index holds a column that an interim update or a stop changes, so such an update stays within its page; which sessions are live
 * is told by RadiusLiveSession.
 */
export const RadiusSession = defineEntity({
  name: 'RadiusSession',
  tableName: 'radius_sessions',
  properties: {
    id: id(),
    login: p.text(),
    user_id: looseId(),
    abonent_id: looseId(),
    organization_id: looseId(),
    nas_id: p.bigint('number'),
    nas_ip: inet().nullable(),
    acct_session_id: p.text(),
    /** A NAS may use a session's name again after a reboot; this tells the rows apart. */
    generation: p.integer().default(0),
    /** What the Start looked like, to know its retransmission; null while only later packets were seen. */
    start_mark: p.uuid().nullable(),
    framed_ip: inet().nullable(),
    ipv6_prefix: cidr().nullable(),
    delegated_ipv6_prefix: cidr().nullable(),
    mac: p.text().nullable(),
    calling_station_id: p.text().nullable(),
    called_station_id: p.text().nullable(),
    nas_port: p.bigint('number').nullable(),
    nas_port_id: p.text().nullable(),
    started_at: p.datetime(),
    /** When the NAS was last heard about it. */
    updated_at: p.datetime(),
    /** Seconds. */
    session_time: p.bigint('number').defaultRaw('0'),
    input_octets: p.bigint().defaultRaw('0'),
    output_octets: p.bigint().defaultRaw('0'),
    input_packets: p.bigint().defaultRaw('0'),
    output_packets: p.bigint().defaultRaw('0'),
    terminate_cause: p.text().nullable(),
    class: p.text().nullable(),
    ended_at: p.datetime().nullable(),
    end_reason: p.text().nullable(),
  },
  uniques: [{ name: 'radius_sessions_generation', properties: ['nas_id', 'acct_session_id', 'login', 'generation'] }],
  indexes: [
    {
      name: 'radius_sessions_login',
      expression: 'CREATE INDEX radius_sessions_login ON radius_sessions (login, started_at DESC)',
    },
    {
      name: 'radius_sessions_abonent',
      expression:
        'CREATE INDEX radius_sessions_abonent ON radius_sessions (abonent_id, started_at DESC) WHERE abonent_id IS NOT NULL',
    },
    {
      name: 'radius_sessions_started_at',
      expression: 'CREATE INDEX radius_sessions_started_at ON radius_sessions (started_at DESC, id DESC)',
    },
  ],
})
