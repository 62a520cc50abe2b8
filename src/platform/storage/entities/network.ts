import { type NasType, nasTypes, type TemplateLine } from '../../../domain/nas.ts'
import {
  among,
  bigint,
  boolean,
  cidr,
  createdNow,
  id,
  inet,
  int8,
  integer,
  json,
  looseId,
  macaddr,
  moment,
  nodeOfConnection,
  oneOf,
  radiusReply,
  reference,
  sealed,
  text,
  uuid,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** A login of a subscriber. */
export const User = entity('users', {
  columns: {
    id: id(),
    abonent_id: reference('abonents'),
    login: text().unique('users_login'),
    /** CHAP and MS-CHAP need the clear text. */
    password: sealed(),
    ip: inet().nullable(),
    ipv6_prefix: cidr().nullable(),
    delegated_ipv6_prefix: cidr().nullable(),
    mac: macaddr().nullable(),
    pool_id: reference('ip_pulls').nullable(),
    switch_id: reference('switches').nullable(),
    switch_port: integer().nullable(),
    enabled: boolean().default(true),
    /** Switched off by an operator; unblocking does not switch it on. */
    disabled_by_hand: boolean().default(false),
    simultaneous_use: integer().default(1),
    /** In place of the tariff's. */
    vlan: integer().nullable(),
    radius_reply: radiusReply(),
  },
  checks: { users_vlan: 'vlan BETWEEN 1 AND 4094' },
  indexes: {
    users_abonent: '(abonent_id)',
    users_mac: '(mac) WHERE mac IS NOT NULL',
    users_ip: '(ip) WHERE ip IS NOT NULL',
    users_pool: '(pool_id) WHERE pool_id IS NOT NULL',
    users_switch_owner: '(switch_id, abonent_id) WHERE switch_id IS NOT NULL',
    users_login_lower: '((lower(login) COLLATE "C"))',
    users_ipv6_prefix: '(ipv6_prefix) WHERE ipv6_prefix IS NOT NULL',
    users_delegated_ipv6_prefix: '(delegated_ipv6_prefix) WHERE delegated_ipv6_prefix IS NOT NULL',
  },
})

const lines = () => json<readonly TemplateLine[]>().defaultSql(`'[]'`)

/** How NAS that name it are told speeds and the walled garden (AnswerTemplate in domain/nas.ts). */
export const NasTemplate = entity('nas_templates', {
  columns: {
    id: id(),
    name: text().unique('nas_templates_name'),
    /** The type it is made for. */
    nas_type: text<NasType>(),
    accept: lines(),
    coa: lines(),
    garden: lines(),
    comment: text().nullable(),
  },
  checks: {
    nas_templates_type: among('nas_type', nasTypes),
  },
})

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
    require_message_authenticator: oneOf('yes', 'no', 'auto').default('auto'),
    limit_proxy_state: oneOf('yes', 'no', 'auto').default('auto'),
    /** What `auto` learned from the first valid request; null until then. */
    learned_message_authenticator: boolean().nullable(),
    learned_proxy_state: boolean().nullable(),
    /** A list of realms in place of the setting RADIUS_REALMS (domain/realms.ts). */
    realms: text().nullable(),
    interims: oneOf('yes', 'no', 'auto').default('auto'),
    /** What `auto` learned; null until a session has lasted long enough. */
    learned_interims: boolean().nullable(),
    session_hours_max: integer().default(168),
    /** When the last packet from it came, as far as that has been written. */
    last_packet_at: moment().nullable(),
    /** How far its clock was ahead of ours then, by its accounting; negative where it was behind. */
    clock_ahead_seconds: int8().nullable(),
    comment: text().nullable(),
  },
  indexes: {
    nas_template: '(template_id)',
    nas_ip: `UNIQUE (ip, coalesce(identifier, ''))`,
    nas_network: `UNIQUE (network, coalesce(identifier, ''))`,
  },
  checks: {
    nas_place: 'num_nonnulls(ip, network) = 1',
    nas_type: among('nas_type', nasTypes),
  },
})

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
  indexes: { switches_home: '(home_id) WHERE home_id IS NOT NULL' },
})

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
    /** The node that heard of it last and counts what follows. */
    node: nodeOfConnection().nullable(),
    /** The node that wrote the row first, with an id of those that it had reserved. */
    first_node: nodeOfConnection().nullable(),
    /** When `node` heard of it last, by the clock of the database; null where there is only one program. */
    heard_at: moment().nullable(),
  },
  uniques: { radius_sessions_generation: ['nas_id', 'acct_session_id', 'login', 'generation'] },
  indexes: {
    radius_sessions_login: '(login, started_at DESC)',
    radius_sessions_abonent: '(abonent_id, started_at DESC) WHERE abonent_id IS NOT NULL',
    radius_sessions_started_at: '(started_at DESC, id DESC)',
    radius_sessions_ip: '(framed_ip) WHERE framed_ip IS NOT NULL',
    radius_sessions_ipv6_prefix: '(ipv6_prefix) WHERE ipv6_prefix IS NOT NULL',
    radius_sessions_mac: '(mac) WHERE mac IS NOT NULL',
  },
})

/** The sessions of RADIUS_SESSIONS that have not ended, apart from them so that an end writes to no index of theirs. */
export const RadiusLiveSession = entity('radius_live_sessions', {
  columns: {
    session_id: int8().primary(),
    nas_id: int8(),
  },
  indexes: { radius_live_sessions_nas: '(nas_id)' },
})

/**
 * The last Accounting-On or -Off of each NAS, which ends the sessions that it had before at whichever node, also those
 * that are heard of only afterwards.
 */
export const NasReboot = entity('nas_reboots', {
  columns: {
    id: id(),
    nas_id: int8(),
    nas_ip_address: text().nullable(),
    nas_ipv6_address: text().nullable(),
    nas_identifier: text().nullable(),
    /** The record had no other NAS, so sessions that name none are of it too. */
    is_one_nas: boolean(),
    /** Where packets of its sessions come from, in a record of a network; null: from anywhere. */
    nas_ip: inet().nullable(),
    at: moment(),
    /** The node that stored it; null: there were none. */
    node: nodeOfConnection().nullable(),
  },
  indexes: {
    nas_reboots_nas: `UNIQUE (nas_id, coalesce(nas_ip_address, nas_ipv6_address, nas_identifier, ''), coalesce(nas_ip, '0.0.0.0'))`,
    nas_reboots_at: '(nas_id, at)',
  },
})

/**
 * The sessions of RADIUS_SESSIONS that have ended, by their end. A trigger writes it when they leave the live ones; a
 * session that goes on after a presumed end stays in it until it ends.
 */
export const RadiusEndedSession = entity('radius_ended_sessions', {
  columns: {
    session_id: int8().primary(),
    nas_id: int8(),
    ended_at: moment(),
  },
  indexes: {
    radius_ended_sessions_ended_at: '(ended_at DESC, session_id DESC)',
    radius_ended_sessions_nas: '(nas_id, ended_at DESC, session_id DESC)',
  },
})

/** Each Disconnect-Request or CoA-Request to one NAS and what became of it. */
export const CoaRequest = entity('coa_requests', {
  columns: {
    id: id(),
    outbox_id: looseId(),
    nas_id: int8(),
    request: oneOf('disconnect', 'coa'),
    login: text(),
    subscriber_id: looseId(),
    /** radius_sessions.id of the session the NAS was thought to hold. */
    session_id: looseId(),
    sent_at: createdNow(),
    answered_at: moment().nullable(),
    attempts: integer().default(1),
    /** Null while waiting. */
    result: oneOf('ack', 'nak', 'no_answer').nullable(),
    error_cause: integer().nullable(),
  },
  indexes: {
    coa_requests_sent_at: '(sent_at DESC, id DESC)',
    coa_requests_outbox: '(outbox_id) WHERE outbox_id IS NOT NULL',
    coa_requests_subscriber: '(subscriber_id, sent_at DESC, id DESC) WHERE subscriber_id IS NOT NULL',
    coa_requests_nas: '(nas_id, sent_at DESC, id DESC)',
  },
})

/**
 * How Access-Requests were answered (network/radius/auth-log), a partition for each day of UTC. It has no foreign keys,
 * because a row outlives what it names, and programs that write it wait for nobody.
 */
export const RadiusAuthLog = entity('radius_auth_log', {
  columns: {
    at: moment().primary(),
    id: int8().primary(),
    accepted: boolean(),
    /** Why it was rejected, or `garden`; null for an accept without limits. */
    reason: text().nullable(),
    /** As it was sent; null for the sum of many logins. */
    login: text().nullable(),
    abonent_id: looseId(),
    organization_id: looseId(),
    nas_id: looseId(),
    mac: text().nullable(),
    port: text().nullable(),
    /** So many equal answers. */
    count: integer(),
  },
  indexes: {
    radius_auth_log_login: '(login, at)',
    radius_auth_log_abonent: '(abonent_id, at) WHERE abonent_id IS NOT NULL',
    radius_auth_log_organization: '(organization_id, at) WHERE organization_id IS NOT NULL',
    radius_auth_log_nas: '(nas_id, at)',
    radius_auth_log_mac: '(mac, at) WHERE mac IS NOT NULL',
    radius_auth_log_reason: '(reason, at) WHERE reason IS NOT NULL',
    radius_auth_log_accepted: '(at) WHERE accepted',
  },
})
