import * as field from '../../../../platform/records/fields.ts'
import { simultaneousUseRange, vlanRange } from '../../../../domain/nas.ts'
import { User } from '../../../../platform/storage/entities/network.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { dictionaryModel, empty } from '../../provider/dictionaries/fields.ts'
import { loginFields } from '../create/models.ts'

/** A login as the card of its subscriber writes it. */
export const subscriberLogin = dictionaryModel({
  name: 'users',
  doc: 'A login of a subscriber',
  entity: User,
  access: true,
  fields: [
    field.relation('abonent', 'The subscriber', null, { ...field.required, access: 'createOnly', nullable: false }),
    ...loginFields,
    field.prefix('ipv6_prefix', 'Framed-IPv6-Prefix of its own', empty),
    field.prefix('delegated_ipv6_prefix', 'Delegated-IPv6-Prefix of its own', empty),
    field.integer('vlan', 'VLAN; null: as the tariff says', { ...vlanRange, ...empty }),
    field.integer('simultaneous_use', 'Live sessions at one time', simultaneousUseRange),
    field.boolean('enabled', 'Access switch; a login switched off by hand stays off after an unblock', { apart: true }),
  ],
  visible: (table, parameter) =>
    visibleSql(`(SELECT organization_id FROM abonents WHERE abonents.id = ${table}.abonent_id)`, parameter),
})
