import { Parameters } from '../../../platform/storage/parameters.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { type AccountFilter, chipConditions, searchedClients, searchOfRow, type Sort } from './filter.ts'
import { orderByColumn } from './keys.ts'
import { type Page, patient } from './statements.ts'

/** The accounts of fewer clients are sooner found by the indexes on parts of words. */
const commonClients = 1_000
/** So many accounts are looked through in the order of the list before a search finds all that fit. */
const walkedRows = 5_000

/**
 * The ids of a page of a search for a word that many clients have, found among the first accounts along the index of
 * the order. Null: the word is rare, or these do not fill the page. Balances have no such index, and in the order of
 * names a surname stands in one place.
 */
export async function walkToPage(
  client: Client,
  { q, chip, visible }: AccountFilter,
  sort: Sort,
  { limit, offset }: Page,
): Promise<string[] | null> {
  if (visible !== null || chip === 'without_client' || sort.by === 'balance' || sort.by === 'name') return null
  if (!(await isCommon(client, q))) return null
  const parameters = new Parameters()
  const order = orderByColumn(sort)
  const fits = [...(chip === null ? [] : [chipConditions[chip]]), searchOfRow(q, parameters)].join(' AND ')
  const text = `SELECT account.id FROM (SELECT * FROM admin_accounts AS account ORDER BY ${order} LIMIT ${walkedRows}) AS account
    WHERE ${fits} ORDER BY ${order} LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}`
  const { rows } = await client.query<{ id: string }>(patient({ text, values: parameters.values }))
  return rows.length < limit ? null : rows.map(({ id }) => id)
}

async function isCommon(client: Client, q: string): Promise<boolean> {
  const parameters = new Parameters()
  const text = `SELECT count(*)::int4 AS found FROM (${searchedClients(q, parameters)} LIMIT ${commonClients}) AS client`
  const { rows } = await client.query<{ found: number }>(patient({ text, values: parameters.values }))
  return rows[0]!.found === commonClients
}
