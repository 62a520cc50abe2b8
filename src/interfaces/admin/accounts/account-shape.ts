import Type from 'typebox'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { operationSchema } from '../finops/operation-shape.ts'
import { rublesSql } from '../../../platform/storage/rubles.ts'

/** A record as JSON. */
export type Shown = Readonly<Record<string, unknown>>

/**
 * An account as the list and the card show it; `client` is the main one. The balance, everywhere, is OSTATOK (contract
 * section 1).
 */
const accountSql = `json_build_object('id', account.id,
    'balance', ${rublesSql('account.ostatok')}, 'ostatok', ${rublesSql('account.ostatok')},
    'debit', ${rublesSql('account.debit')}, 'credit', ${rublesSql('account.credit')},
    'limit', ${rublesSql('account."limit"')}, 'unlimited', account.unlimited, 'unlimited_date', account.unlimited_date,
    'warn', ${rublesSql('account.warn')}, 'bonus_score', ${rublesSql('account.bonus_score')},
    'currency', account.currency_id, 'currency_id', account.currency_id, 'currency_code', currency.code,
    'sleep_date', account.sleep_date, 'comment', account.comment, 'create_date', account.create_date,
    'last_notification_date', account.last_notification_date, 'last_operation_id', account.last_operation_id,
    'client', CASE WHEN main.id IS NOT NULL THEN json_build_object('id', main.id, 'name', main.name,
      'contract_number', main.contract_number, 'enabled', main.enabled, 'deleted', main.deleted) END,
    'clients_count', (SELECT count(*) FROM abonents WHERE account_id = account.id),
    'video_objects_count', (SELECT count(*) FROM video_objects WHERE account_id = account.id),
    'organization', main.organization_id, 'organization_id', main.organization_id, 'organization_name', organization.name)`

const accountFrom = `JOIN currencies AS currency ON currency.id = account.currency_id
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

const { integer, text, boolean, moment, rubles } = schemas
const id = nullable(integer)

export const mainClientSchema = Type.Object({
  id: integer,
  name: text,
  contract_number: text,
  enabled: boolean,
  deleted: boolean,
})

export const accountSchema = Type.Object({
  id: integer,
  balance: rubles,
  ostatok: Type.With(rubles, { description: 'The same as balance' }),
  debit: Type.With(rubles, { description: 'Sum of all receipts ever' }),
  credit: Type.With(rubles, { description: 'Sum of all write-offs ever' }),
  limit: rubles,
  unlimited: boolean,
  unlimited_date: nullable(moment),
  warn: nullable(rubles),
  bonus_score: rubles,
  currency: integer,
  currency_id: integer,
  currency_code: text,
  sleep_date: nullable(moment),
  comment: nullable(text),
  create_date: moment,
  last_notification_date: nullable(moment),
  last_operation_id: id,
  client: nullable(Type.With(mainClientSchema, { description: 'The main one: the first by id' })),
  clients_count: integer,
  video_objects_count: integer,
  organization: id,
  organization_id: id,
  organization_name: nullable(text),
})

export const operationsSchema = Type.Array(operationSchema)
