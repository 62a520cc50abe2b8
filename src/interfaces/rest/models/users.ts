import {
  boolean,
  integer,
  ip,
  key,
  type Model,
  mac,
  network,
  optional,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { abonents } from './abonents.ts'
import { ipPull } from './ip-pull.ts'
import { radiusReply } from './radius-reply.ts'
import { switches } from './switch.ts'

export const users: Model = {
  name: 'Users',
  table: 'users',
  key: 'id',
  label: 'users',
  audit: 'USERS',
  counted: true,
  doc: 'A login of a subscriber.',
  access: true,
  fields: [
    key(),
    relation('abonent', 'Subscriber.', () => abonents, required),
    text('login', 'Login; unique.', required),
    text('password', 'Password, 1 to 128 characters.', {
      ...required,
      access: 'writeOnly',
      sealed: true,
      verbatim: true,
      min: 1,
      max: 128,
    }),
    ip('ip', 'Framed-IP-Address.', optional),
    network('ipv6_prefix', 'Framed-IPv6-Prefix.', optional),
    network('delegated_ipv6_prefix', 'Delegated-IPv6-Prefix.', optional),
    mac('mac', 'MAC address of IPoE clients.', optional),
    relation('pool', 'Pool of addresses for a login without one of its own.', () => ipPull, optional),
    relation('switch', 'Switch.', () => switches, optional),
    integer('switch_port', 'Port of the switch.', { ...optional, min: 0 }),
    boolean('enabled', 'Access switch; a login switched off by hand stays off after an unblock.', { apart: true }),
    integer('simultaneous_use', 'Live sessions at one time.', { min: 1, max: 1000 }),
    radiusReply,
  ],
}
