import Type from 'typebox'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { keyOf, shapeOf } from '../shapes.ts'

/** A record as JSON. */
export type Shown = Readonly<Record<string, unknown>>

const { integer, text, boolean, moment, rubles } = schemas
const id = nullable(integer)

export const mainClient = { id: integer, name: text, contract_number: text, enabled: boolean, deleted: boolean }

/**
 * An account as the list and the card show it; `client` is the main one. The balance, everywhere, is OSTATOK (contract
 * section 1).
 */
const [schema, accountSql] = shapeOf('account', {
  id: integer,
  balance: [rubles, 'ostatok'],
  ostatok: Type.With(rubles, { description: 'The same as balance' }),
  debit: Type.With(rubles, { description: 'Sum of all receipts ever' }),
  credit: Type.With(rubles, { description: 'Sum of all write-offs ever' }),
  limit: rubles,
  unlimited: boolean,
  unlimited_date: nullable(moment),
  warn: nullable(rubles),
  bonus_score: rubles,
  ...keyOf('currency', integer),
  currency_code: [text, 'currency.code'],
  sleep_date: nullable(moment),
  comment: nullable(text),
  create_date: moment,
  last_notification_date: nullable(moment),
  last_operation_id: id,
  client: mainClientShape(),
  clients_count: [integer, '(SELECT count(*) FROM abonents WHERE account_id = account.id)'],
  video_objects_count: [integer, '(SELECT count(*) FROM video_objects WHERE account_id = account.id)'],
  ...keyOf('organization', id, 'main.organization_id'),
  organization_name: [nullable(text), 'organization.name'],
})

export const accountSchema = schema

function mainClientShape() {
  const [client, sql] = shapeOf('main', mainClient)
  const described = Type.With(client, { description: 'The main one: the first by id' })
  return [nullable(described), `CASE WHEN main.id IS NOT NULL THEN ${sql} END`] as const
}

/** Joins the currency, the main client and its organization to `account`. */
export const accountFrom = `JOIN currencies AS currency ON currency.id = account.currency_id
    LEFT JOIN LATERAL (SELECT * FROM abonents WHERE account_id = account.id ORDER BY abonents.id LIMIT 1) AS main ON true
    LEFT JOIN organizations AS organization ON organization.id = main.organization_id`

/** In the order of the ids; accounts that no longer exist are left out. */
export async function readAccounts(client: Client, ids: readonly (number | string)[]): Promise<Shown[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<{ account: Shown }>(
    `SELECT ${accountSql} AS account
      FROM unnest($1::int8[]) WITH ORDINALITY AS page(id, place) JOIN admin_accounts AS account ON account.id = page.id
        ${accountFrom} ORDER BY page.place`,
    [ids],
  )
  return rows.map(({ account }) => account)
}

export const readAccount = async (client: Client, id: number): Promise<Shown | null> =>
  (await readAccounts(client, [id]))[0] ?? null

/** Why 404 is answered where an account is named. */
export const accountMissing = 'There is no such account, or it is of another organization'
