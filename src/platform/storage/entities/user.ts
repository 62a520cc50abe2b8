import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { cidr, id, inet, macaddr, radiusReply } from './columns.ts'
import { IpPull } from './ip-pull.ts'
import { Switch } from './switch.ts'

/** A login of a subscriber. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: id(),
    abonent: () => p.manyToOne(Abonent).deleteRule('restrict').updateRule('no action'),
    login: p.text().unique('users_login'),
    /** Sealed by storage/secrets: CHAP and MS-CHAP need the clear text. */
    password: p.text(),
    ip: inet().nullable(),
    ipv6_prefix: cidr().nullable(),
    delegated_ipv6_prefix: cidr().nullable(),
    mac: macaddr().nullable(),
    pool: () => p.manyToOne(IpPull).deleteRule('restrict').updateRule('no action').nullable(),
    switch: () => p.manyToOne(Switch).deleteRule('restrict').updateRule('no action').nullable(),
    switch_port: p.integer().nullable(),
    enabled: p.boolean().default(true),
    /** Switched off by an operator; unblocking does not switch it on. */
    disabled_by_hand: p.boolean().default(false),
    simultaneous_use: p.integer().default(1),
    radius_reply: radiusReply(),
  },
  indexes: [
    { name: 'users_abonent', properties: ['abonent'] },
    { name: 'users_mac', properties: ['mac'], where: 'mac IS NOT NULL' },
    { name: 'users_ip', properties: ['ip'], where: 'ip IS NOT NULL' },
    { name: 'users_pool', properties: ['pool'], where: 'pool_id IS NOT NULL' },
    { name: 'users_switch', properties: ['switch'], where: 'switch_id IS NOT NULL' },
  ],
})
