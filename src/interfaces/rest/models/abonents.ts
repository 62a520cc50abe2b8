import { readAttributes } from '../attributes.ts'
import * as field from '../../../platform/records/fields.ts'
import { type Model, modelOf } from '../../../platform/records/model.ts'
import { Abonent } from '../../../platform/storage/entities/subscribers.ts'
import { adminAccounts } from '../../../billing/accounts/account-record.ts'
import { abonentFolders, abonentsBlock, organizations } from './dictionaries.ts'
import { homes } from './homes.ts'
import { tarif } from './tarif.ts'

/**
 * SQL for {code: value} of the attributes that have a value. A code is sorm_field_code or else attr_<id> (contract
 * section 5).
 */
const attributesSql = (table: string) => `coalesce((
  SELECT json_object_agg(coalesce(nullif(attribute.sorm_field_code, ''), 'attr_' || attribute.id),
    CASE attribute.type_id
      WHEN 2 THEN CASE WHEN filled.value ~ '^-?[0-9]{1,18}$' THEN to_json(filled.value::int8) ELSE to_json(filled.value) END
      WHEN 4 THEN CASE WHEN filled.value IN ('true', 'false') THEN to_json(filled.value::bool) ELSE to_json(filled.value) END
      ELSE to_json(filled.value) END ORDER BY attribute.id)
  FROM user_attribute_values AS filled JOIN user_attributes AS attribute ON attribute.id = filled.attribute_id
  WHERE filled.abonent_id = ${table}.id), '{}'::json)`

const blockSql = (table: string) => `(
  SELECT json_build_object('b_negbal', coalesce(bool_or(block.b_negbal), false), 'b_admin', coalesce(bool_or(block.b_admin), false),
    'b_own', coalesce(bool_or(block.b_own), false), 'b_sys', coalesce(bool_or(block.b_sys), false))
  FROM abonents_block AS block WHERE block.abonent_id = ${table}.id)`

/** The account writes these fields, in a turn of its actor. */
const apart = { apart: true } as const

const flag = { type: 'boolean' } as const

export const abonents: Model = modelOf({
  name: 'Abonents',
  entity: Abonent,
  counted: true,
  doc: 'A subscriber. DELETE marks it deleted; lists leave deleted ones out unless they filter by `deleted`.',
  hiddenBy: 'deleted',
  access: true,
  fields: [
    field.key(),
    field.text('name', 'Name.', { ...field.required, indexedByParts: true }),
    field.text('contract_number', 'Number of the contract; unique among the not deleted.', {
      ...field.required,
      indexedByParts: true,
    }),
    field.text('email', 'E-mail.', { indexedByParts: true }),
    field.text('sms', 'Phone for messages.', { indexedByParts: true }),
    field.boolean(
      'enabled',
      'Access switch. false sets b_admin, true clears it; another block can keep it false.',
      apart,
    ),
    field.relation('tarif', 'Tariff; a change of it is settled for a month that has been charged.', () => tarif, apart),
    field.relation('next_tarif', 'Tariff from next_tarif_date on.', () => tarif),
    field.datetime('next_tarif_date', 'When next_tarif begins.'),
    field.relation('account', 'Personal account; a POST without one creates it.', () => adminAccounts, apart),
    field.money('promise_pay', 'Amount of the active promise payment', field.readOnly),
    field.datetime('promise_date_end', 'End of the active promise payment.', field.readOnly),
    field.datetime('create_date', 'Date of the contract.'),
    field.boolean('company', 'A legal entity.'),
    field.text('passport_series_number', 'Of individuals only.'),
    field.date('birth_date', 'Of individuals only.'),
    field.relation('parent', 'Folder; gives the organization.', () => abonentFolders),
    field.relation(
      'organization',
      'Organization, of the folder or the default one.',
      () => organizations,
      field.readOnly,
    ),
    field.relation('home', 'House.', () => homes),
    field.text('flat', 'Flat.', { max: 50 }),
    field.text('address', 'Address in words, made of home and flat.', {
      ...field.readOnly,
      indexedByParts: true,
    }),
    field.longText('comment', 'Comment.'),
    field.boolean('deleted', 'Marked deleted.', field.readOnly),
    field.json('attributes', 'Values of UserAttributes by code; null removes one.', {
      apart: true,
      sql: attributesSql,
      read: readAttributes,
      schema: { type: 'object', additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] } },
    }),
    field.json('block', 'Why access is closed.', {
      ...field.readOnly,
      column: 'id',
      target: () => abonentsBlock,
      sql: blockSql,
      schema: { type: 'object', properties: { b_negbal: flag, b_admin: flag, b_own: flag, b_sys: flag } },
    }),
  ],
})
