import { bigint, cidr, id, inet, int8, integer, looseId, moment, text, uuid } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * A session that a NAS reported. It has no foreign keys, because it outlives its login and its NAS, and inserts stay
 * cheap. No index holds a column that an interim update or a stop changes, so such an update stays within its page;
 * which sessions are live is told by RadiusLiveSession.
 */
export const RadiusSession = entity('radius_sessions', {
  columns: {
    id: id(),
    login: text(),
    user_id: looseId(),
    abonent_id: looseId(),
    organization_id: looseId(),
    nas_id: int8(),
    nas_ip: inet().nullable(),
    /** As the session's own packets carry them; NAS behind one proxy are told apart by the first of them. */
    nas_ip_address: text().nullable(),
    nas_ipv6_address: text().nullable(),
    /** UTF-8, or hex after `0x`. */
    nas_identifier: text().nullable(),
    acct_session_id: text(),
    /** A NAS may use a session's name again after a reboot, and so may NAS behind one proxy; tells the rows apart. */
    generation: integer().default(0),
    /** What the Start looked like, to know its retransmission; null while only later packets were seen. */
    start_mark: uuid().nullable(),
    framed_ip: inet().nullable(),
    /** The address that the sign-in offered, where accounting names none. */
    offered_ip: inet().nullable(),
    ipv6_prefix: cidr().nullable(),
    delegated_ipv6_prefix: cidr().nullable(),
    mac: text().nullable(),
    calling_station_id: text().nullable(),
    called_station_id: text().nullable(),
    nas_port: int8().nullable(),
    nas_port_id: text().nullable(),
    started_at: moment(),
    /** When the last packet about it was received. */
    updated_at: moment(),
    /** Seconds. */
    session_time: int8().defaultSql('0'),
    input_octets: bigint().defaultSql('0'),
    output_octets: bigint().defaultSql('0'),
    input_packets: bigint().defaultSql('0'),
    output_packets: bigint().defaultSql('0'),
    terminate_cause: text().nullable(),
    class: text().nullable(),
    ended_at: moment().nullable(),
    end_reason: text().nullable(),
  },
  uniques: [{ name: 'radius_sessions_generation', columns: ['nas_id', 'acct_session_id', 'login', 'generation'] }],
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
