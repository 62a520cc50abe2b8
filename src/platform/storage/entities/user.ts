import { boolean, cidr, id, inet, integer, macaddr, radiusReply, reference, sealed, text } from '../columns.ts'
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
  checks: [{ name: 'users_vlan', expression: 'vlan BETWEEN 1 AND 4094' }],
  indexes: [
    { name: 'users_abonent', columns: ['abonent_id'] },
    { name: 'users_mac', columns: ['mac'], where: 'mac IS NOT NULL' },
    { name: 'users_ip', columns: ['ip'], where: 'ip IS NOT NULL' },
    { name: 'users_pool', columns: ['pool_id'], where: 'pool_id IS NOT NULL' },
    { name: 'users_switch', columns: ['switch_id'], where: 'switch_id IS NOT NULL' },
  ],
})
