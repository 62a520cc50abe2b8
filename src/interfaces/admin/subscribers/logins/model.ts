import * as field from '../../../../platform/records/fields.ts'
import { simultaneousUseRange, vlanRange } from '../../../../domain/nas.ts'
import { User } from '../../../../platform/storage/entities/network.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { dictionaryModel, empty } from '../../provider/dictionaries/fields.ts'
import { loginFields } from '../create/models.ts'

const prefix = (name: string, doc: string) =>
  field.network(name, doc, {
    ...empty,
    fits: (value) => String(value).includes(':'),
    must: 'be an IPv6 network such as 2001:db8:1::/64',
  })

/** A login as the card of its subscriber writes it. */
export const subscriberLogin = dictionaryModel({
  name: 'users',
  doc: 'A login of a subscriber',
  entity: User,
  access: true,
  fields: [
    field.relation('abonent', 'The subscriber', null, { ...field.required, access: 'createOnly', nullable: false }),
    ...loginFields,
    prefix('ipv6_prefix', 'Framed-IPv6-Prefix of its own'),
    prefix('delegated_ipv6_prefix', 'Delegated-IPv6-Prefix of its own'),
    field.integer('vlan', 'VLAN; null: as the tariff says', { ...vlanRange, ...empty }),
    field.integer('simultaneous_use', 'Live sessions at one time', simultaneousUseRange),
    field.boolean('enabled', 'Access switch; a login switched off by hand stays off after an unblock', { apart: true }),
  ],
  visible: (table, parameter) =>
    visibleSql(`(SELECT organization_id FROM abonents WHERE abonents.id = ${table}.abonent_id)`, parameter),
})
