import { fitsLoginName, loginBytesMax, loginNameRule } from '../../../domain/login-name.ts'
import { isLoginPassword, loginPasswordRule } from '../../../domain/login-password.ts'
import { simultaneousUseRange, vlanRange } from '../../../domain/nas.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { User } from '../../../platform/storage/entities/network.ts'
import { abonents } from './abonents.ts'
import { ipPull } from './ip-pull.ts'
import { radiusReply } from '../../../network/radius/reply-fields.ts'
import { switches } from './switch.ts'

const passwordDoc =
  'Password, 1 to 128 characters: in clear text, or a hash as RFC 2307 writes it: {NT} (serves PAP and MS-CHAP), {CRYPT} with $1$, $5$, $6$, $2a$, $2b$, $2y$ or the 13 letters of DES crypt, {SSHA}, {SHA}, {SSHA256}, {SSHA512} and the like (serve PAP only). CHAP needs clear text. {CLEAR} introduces a clear password that begins like a hash.'

export const users: Model = modelOf({
  name: 'Users',
  entity: User,
  counted: true,
  doc: 'A login of a subscriber.',
  access: true,
  fields: [
    field.key(),
    field.relation('abonent', 'Subscriber.', () => abonents, field.required),
    field.text('login', `Login; unique, at most ${loginBytesMax} bytes.`, {
      ...field.required,
      indexedByParts: true,
      max: loginBytesMax,
      fits: (value) => fitsLoginName(String(value)),
      must: loginNameRule,
    }),
    field.text('password', passwordDoc, {
      ...field.required,
      access: 'writeOnly',
      verbatim: true,
      min: 1,
      max: 128,
      fits: (value) => isLoginPassword(String(value)),
      must: loginPasswordRule,
    }),
    field.ip('ip', 'Framed-IP-Address.'),
    field.prefix('ipv6_prefix', 'Framed-IPv6-Prefix.'),
    field.prefix('delegated_ipv6_prefix', 'Delegated-IPv6-Prefix.'),
    field.mac('mac', 'MAC address of IPoE clients.'),
    field.relation('pool', 'Pool of addresses for a login without one of its own.', () => ipPull),
    field.relation('switch', 'Switch.', () => switches),
    field.integer('switch_port', 'Port of the switch.', { min: 0 }),
    field.boolean('enabled', 'Access switch; a login switched off by hand stays off after an unblock.', {
      apart: true,
    }),
    field.integer('simultaneous_use', 'Live sessions at one time.', simultaneousUseRange),
    field.integer('vlan', 'VLAN; null: as the tariff says.', vlanRange),
    radiusReply,
  ],
})
