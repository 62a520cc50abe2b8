import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { beginWordsSql, type Find, joined, patternsOf, rowsOf } from './asked.ts'

/** An address or a device had so many sessions in the time that they are kept, at most. */
const lookedAtMax = 2000
const newestMax = 50

const liveWith = (condition: string): string =>
  `(SELECT past.id FROM (SELECT id FROM radius_sessions WHERE ${condition} LIMIT ${lookedAtMax}) AS past
    JOIN radius_live_sessions AS live ON live.session_id = past.id)`

const sessionsSql = `SELECT session.id, session.login, host(session.framed_ip) AS ip,
    coalesce(session.ipv6_prefix, session.delegated_ipv6_prefix)::text AS prefix, session.mac, nas.name AS nas
  FROM (
    (SELECT id FROM radius_sessions WHERE login = $2::text ORDER BY started_at DESC LIMIT ${newestMax})
    UNION ${liveWith('framed_ip = $3::inet AND framed_ip IS NOT NULL')}
    UNION ${liveWith('mac = $4::text AND mac IS NOT NULL')}
    UNION ${liveWith('ipv6_prefix = ANY($5::cidr[]) AND ipv6_prefix IS NOT NULL')}
  ) AS found JOIN radius_live_sessions AS live ON live.session_id = found.id
    JOIN radius_sessions AS session ON session.id = found.id LEFT JOIN nas ON nas.id = session.nas_id
  WHERE ${visibleSql('session.organization_id', '$1')}
  ORDER BY session.started_at DESC, session.id DESC LIMIT $6`

/** Live sessions by login, address, prefix or MAC. */
export const findSessions: Find = async ({ question, visible, limit, client }) => {
  const { text, ip, mac, prefixes } = question
  type Row = Record<'id' | 'login', string> & Record<'ip' | 'prefix' | 'mac' | 'nas', string | null>
  const rows = await rowsOf<Row>(client, 'sessions', sessionsSql, [visible, text, ip, mac, prefixes, limit])
  return rows.map((row) => ({
    id: Number(row.id),
    title: row.login,
    subtitle: joined(row.ip, row.prefix, row.mac, row.nas),
    path: `/admin/network/sessions/?${new URLSearchParams({ q: row.login })}`,
  }))
}

/** There are few of them, so that their names are read one after the other. */
const hasWords = `(cardinality($1::text[]) > 0 AND ${beginWordsSql('name', '$1')})`

const nasSql = `SELECT id, name, coalesce(host(ip), network::text) AS place, identifier FROM nas
  WHERE ${hasWords} OR ip = $2::inet OR coa_ip = $2::inet OR network >>= $2::inet OR network = $3::inet::cidr OR identifier = $4
  ORDER BY name, id LIMIT $5`

/** NAS by name, address or NAS-Identifier. */
export const findNas: Find = async ({ question, limit, client }) => {
  const { text, words, ip, network } = question
  type Row = { id: string; name: string; place: string; identifier: string | null }
  const rows = await rowsOf<Row>(client, 'nas', nasSql, [patternsOf(words), ip, network, text, limit])
  return rows.map(({ id, name, place, identifier }) => ({
    id: Number(id),
    title: name,
    subtitle: joined(place, identifier),
    path: `/admin/network/nas/${id}/`,
  }))
}

const poolsSql = `SELECT id, name, network::text AS network FROM ip_pulls
  WHERE ${hasWords} OR network >>= $2::inet OR network = $3::inet::cidr ORDER BY name, id LIMIT $4`

/** Pools by name, network or an address in them. */
export const findPools: Find = async ({ question: { words, ip, network }, limit, client }) => {
  const rows = await rowsOf<Record<'id' | 'name' | 'network', string>>(client, 'pools', poolsSql, [
    patternsOf(words),
    ip,
    network,
    limit,
  ])
  return rows.map(({ id, name, network }) => ({
    id: Number(id),
    title: name,
    subtitle: network,
    path: `/admin/network/pools/${id}/`,
  }))
}
