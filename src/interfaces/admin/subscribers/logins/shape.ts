import Type from 'typebox'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { shapeOf } from '../../shapes.ts'

const { integer, text, boolean } = schemas
const words = nullable(text)

const replySchema = Type.Object({ name: text, value: Type.Union([text, Type.Number()]), op: Type.Optional(text) })

/** A login as cards and forms show it, over `login`. */
export const [loginSchema, loginSql] = shapeOf('login', {
  id: integer,
  login: text,
  ip: [words, 'host(login.ip)'],
  ipv6_prefix: [words, 'login.ipv6_prefix::text'],
  delegated_ipv6_prefix: [words, 'login.delegated_ipv6_prefix::text'],
  mac: [words, 'login.mac::text'],
  pool_id: nullable(integer),
  pool_name: [words, '(SELECT name FROM ip_pulls WHERE id = login.pool_id)'],
  switch_id: nullable(integer),
  switch_name: [words, '(SELECT name FROM switches WHERE id = login.switch_id)'],
  switch_port: nullable(integer),
  vlan: Type.With(nullable(integer), { description: 'In place of the tariff’s' }),
  simultaneous_use: Type.Integer({ description: 'Live sessions at one time' }),
  radius_reply: Type.With(Type.Array(replySchema), { description: 'Attributes of its own, which may be a speed' }),
  enabled: boolean,
  disabled_by_hand: Type.With(boolean, { description: 'Stays off after an unblock' }),
})
