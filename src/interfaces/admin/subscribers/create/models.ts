import Type, { type TSchema } from 'typebox'
import { fitsLoginName, loginBytesMax, loginNameRule } from '../../../../domain/login-name.ts'
import { isLoginPassword, loginPasswordRule } from '../../../../domain/login-password.ts'
import { flag, id, rubles, text as textField } from '../../../../platform/http/fields.ts'
import { nullable } from '../../../../platform/http/schemas.ts'
import * as field from '../../../../platform/records/fields.ts'
import type { FieldSpec, Model } from '../../../../platform/records/model.ts'
import { bodySchema } from '../../../../platform/records/schema.ts'
import { IpPull, Switch, User } from '../../../../platform/storage/entities/network.ts'
import { Tarif } from '../../../../platform/storage/entities/services.ts'
import { Abonent, Home } from '../../../../platform/storage/entities/subscribers.ts'
import type { Table } from '../../../../platform/storage/entity.ts'
import { dictionaryModel, empty, isOneLine, line, note, positive } from '../../provider/dictionaries/fields.ts'
import { folders } from '../../provider/dictionaries/folders.ts'

/** A table that a new subscriber only points to. */
const named = (name: string, entity: Table) => {
  const model = dictionaryModel({ name, doc: '', entity, fields: [] })
  return () => model
}

const relation = (name: string, doc: string, target: () => Model, options: field.Options = {}) =>
  field.relation(name, doc, target, { ...positive, ...empty, nullable: true, ...options })

const tariffs = named('tarifs', Tarif)

/** The account, or the tariff's beginning, decides what the column gets. */
const apart = { apart: true } as const

/** The person, as the form of a new subscriber names it. */
export const person = dictionaryModel({
  name: 'abonents',
  doc: 'A subscriber',
  entity: Abonent,
  access: true,
  fields: [
    line('name', 'Name', 255, field.required),
    line('contract_number', 'Number of the contract, unique; left out: the next one', 255, {
      ...empty,
      nullable: true,
    }),
    line('email', 'E-mail', 255, empty),
    line('sms', 'Phone for messages', 255, empty),
    field.boolean('company', 'A legal entity'),
    line('passport_series_number', 'Of individuals only', 255, empty),
    field.date('birth_date', 'Of individuals only', empty),
    relation('parent', 'Folder; gives the organization', () => folders.model),
    field.relation('organization', 'Organization', null, field.readOnly),
    relation('home', 'House', named('homes', Home)),
    line('flat', 'Flat', 50, empty),
    field.text('address', 'Address in words', field.readOnly),
    note('comment', 'Comment', 10_000),
    relation('tarif', 'Tariff', tariffs, apart),
    field.datetime('from', 'When the tariff begins: a day or a moment; left out: now', {
      ...empty,
      nullable: true,
      access: 'instruction',
    }),
    field.relation('next_tarif', 'Tariff that is planned', null, field.readOnly),
    field.datetime('next_tarif_date', 'When it begins', field.readOnly),
    field.relation('account', 'Personal account', null, field.readOnly),
    field.boolean('enabled', 'Access switch', field.readOnly),
    field.datetime('create_date', 'Date of the contract', field.readOnly),
  ],
})

/** Of a login, as forms of the web admin name them. */
export const loginFields: readonly FieldSpec[] = [
  line('login', 'Login, unique; left out: one is made of the contract', loginBytesMax, {
    ...empty,
    nullable: true,
    fits: (value) => isOneLine(String(value)) && fitsLoginName(String(value)),
    must: `be one line and ${loginNameRule}`,
  }),
  field.text('password', 'Password, as in REST; left out: one is made, which the answer tells', {
    access: 'writeOnly',
    verbatim: true,
    onlyText: true,
    nullable: true,
    blankIsNull: true,
    min: 1,
    max: 128,
    fits: (value) => isLoginPassword(String(value)),
    must: loginPasswordRule,
  }),
  field.ip('ip', 'Address of its own', {
    ...empty,
    fits: (value) => !String(value).includes(':'),
    must: 'be an IPv4 address',
  }),
  relation('pool', 'Pool that its address comes from', named('ip_pulls', IpPull)),
  field.mac('mac', 'MAC address', { ...empty, must: 'be a MAC address' }),
  relation('switch', 'Switch', named('switches', Switch)),
  field.integer('switch_port', 'Port of the switch', { min: 1, max: 65_535, ...empty }),
]

/** The login of a new subscriber. */
export const login = dictionaryModel({
  name: 'users',
  doc: 'A login',
  entity: User,
  access: true,
  fields: [
    field.relation('abonent', 'The subscriber', null, field.readOnly),
    ...loginFields,
    field.boolean('enabled', 'Access switch', field.readOnly),
  ],
})

const { switch_port: switchPort, ...loginProperties } = bodySchema(login).properties

export const paymentFields = {
  amount: Type.With(rubles, { description: 'Rubles, more than zero' }),
  op_type_id: Type.Optional(Type.With(id, { description: 'A type of income; left out: 7, manual receipt' })),
  descr: Type.Optional(textField(10_000)),
  is_cash: Type.Optional(Type.With(flag, { description: 'Paid in banknotes, which a shift counts' })),
}

const orNone = (schema: TSchema, description: string) => Type.Optional(Type.With(nullable(schema), { description }))

/** The body of the request. */
export const body = Type.Object({
  ...bodySchema(person).properties,
  login: orNone(
    Type.Object({ ...loginProperties, port: switchPort! }),
    'Left out: no login; an empty object: one with a login and a password that are made for it',
  ),
  services: Type.Optional(Type.Array(Type.Integer(), { description: 'Services that are given at once, by Usluga.id' })),
  payment: orNone(Type.Object(paymentFields), 'The first payment; needs the right money'),
})
