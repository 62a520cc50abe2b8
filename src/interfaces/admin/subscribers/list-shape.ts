import Type from 'typebox'
import { blockReasons } from '../../../domain/block.ts'
import { operationTypes } from '../../../domain/operation.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { keyOf, type Members, shapeOf } from '../shapes.ts'

const { integer, text, boolean, moment, rubles } = schemas
const words = nullable(text)

/** How many of the newest operations of an account are looked through for its last payment. */
const lookedThrough = 400

const columnsOfReasons = { debt: 'b_negbal', operator: 'b_admin', client: 'b_own', system: 'b_sys' } as const

/** The reasons of the blocks that stand. */
const reasonsSql = `(SELECT coalesce(json_agg(reason ORDER BY place), '[]'::json) FROM abonents_block AS block
  CROSS JOIN LATERAL unnest(ARRAY[${blockReasons.map((reason) => `'${reason}'`).join(', ')}], ARRAY[${blockReasons
    .map((reason) => `block.${columnsOfReasons[reason]}`)
    .join(', ')}]) WITH ORDINALITY AS stands(reason, yes, place)
  WHERE block.abonent_id = client.id AND yes)`

const lastPaymentSql = `(SELECT op_date FROM (SELECT op_date, op_id, op_summa, op_type_id FROM finance_operations
    WHERE account_id = client.account_id ORDER BY op_id DESC LIMIT ${lookedThrough}) AS newest
  WHERE op_summa > 0 AND op_type_id NOT IN (${operationTypes.promise}, ${operationTypes.recalculation})
  ORDER BY op_id DESC LIMIT 1)`

/** A subscriber as the list has them, over `client` and `account`. */
export const listedMembers = {
  id: integer,
  name: text,
  contract_number: text,
  address: words,
  phone: [words, 'sms'],
  ...keyOf('tarif'),
  tarif_name: [words, '(SELECT name FROM tarifs WHERE id = client.tarif_id)'],
  ...keyOf('account', integer),
  balance: [rubles, 'account.ostatok'],
  limit: [rubles, `account."limit"`],
  debt_since: [
    Type.With(nullable(moment), { description: 'Since when the balance has been below zero' }),
    'account.debt_since',
  ],
  enabled: boolean,
  deleted: boolean,
  blocks: [
    Type.With(Type.Array(Type.Enum([...blockReasons])), { description: 'The reasons for which access is closed' }),
    reasonsSql,
  ],
  promise_until: [
    Type.With(nullable(moment), { description: 'End of the promise payment that runs' }),
    'CASE WHEN client.promise_date_end > now() THEN client.promise_date_end END',
  ],
  last_payment_at: [
    Type.With(nullable(moment), { description: `Among the ${lookedThrough} newest operations of the account` }),
    lastPaymentSql,
  ],
  create_date: moment,
  ...keyOf('organization'),
} as const satisfies Members

const [schema, sql] = shapeOf('client', listedMembers)
export const itemSql = sql

/** As the tables have them; the line is added from memory. */
export type ListedSubscriber = { readonly id: number } & Readonly<Record<string, unknown>>

export const itemSchema = Type.Object({
  ...schema.properties,
  online: boolean,
  ip: Type.With(words, { description: 'Of the newest live session' }),
  online_since: nullable(moment),
})
