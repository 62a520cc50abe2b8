import { Parameters } from '../../../platform/storage/parameters.ts'
import { type AccountFilter, conditionsOf, isMain, type Sort } from './filter.ts'

/** A statement and its values. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] }

/**
 * The time limit of a search in milliseconds. It is longer than that of other queries, because searching a word that
 * half of all clients have takes some seconds on a busy machine.
 */
export const patientMs = 12_000

/**
 * The pool's own limit is a little above that of the server, so that the error of the server, which says more, comes
 * first.
 */
export const patient = ({ text, values }: Statement) => ({ text, values: [...values], query_timeout: patientMs + 500 })

export type Page = { readonly limit: number; readonly offset: number }

/** The statement for the ids of the accounts of a list in its order, either of one page or of all. */
export function accountKeys(filter: AccountFilter, sort: Sort, page: Page | null = null): Statement {
  const parameters = new Parameters()
  const conditions = conditionsOf(filter, parameters)
  const text = sort.by === 'name' ? keysByName(filter, conditions, sort, page) : keysByColumn(conditions, sort)
  const cut = page ? ` LIMIT ${Math.trunc(page.limit)} OFFSET ${Math.trunc(page.offset)}` : ''
  return { text: text + cut, values: parameters.values }
}

const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`

const columns = { id: 'id', balance: 'ostatok', limit: '"limit"', create_date: 'create_date' } as const

function keysByColumn(conditions: readonly string[], { by, isDescending }: Sort): string {
  const direction = isDescending ? 'DESC' : 'ASC'
  const first = by === 'id' || by === 'name' ? '' : `account.${columns[by]} ${direction}, `
  return `SELECT account.id FROM admin_accounts AS account${where(conditions)} ORDER BY ${first}account.id ${direction}`
}

/**
 * By the name of the main client; accounts without a client come last in both directions. An index gives the names of
 * clients that are not deleted in order, so that each part stops at the end of the page.
 */
function keysByName(
  { q, chip }: AccountFilter,
  conditions: readonly string[],
  { isDescending }: Sort,
  page: Page | null,
): string {
  const direction = isDescending ? 'DESC' : 'ASC'
  const limit = page ? ` LIMIT ${Math.trunc(page.offset + page.limit)}` : ''
  const join = conditions.length === 0 ? '' : ' JOIN admin_accounts AS account ON account.id = client.account_id'
  const ofClients = (which: string) => `(SELECT client.account_id AS id, client.name, client.id AS client
    FROM abonents AS client${join}${where([which, isMain, ...conditions])}
    ORDER BY client.name ${direction}, client.id ${direction}${limit})`
  const nobody = 'NOT EXISTS (SELECT FROM abonents WHERE account_id = account.id)'
  const ofNobody = `(SELECT account.id, NULL::text AS name, NULL::int8 AS client
    FROM admin_accounts AS account${where([nobody, ...conditions])} ORDER BY account.id${limit})`
  // The results of a search are sorted afterwards, so the index does not matter and one part is enough.
  const named = q === '' ? [ofClients('NOT client.deleted'), ofClients('client.deleted')] : [ofClients('true')]
  const parts = chip === 'without_client' ? [ofNobody] : [...named, ofNobody]
  return `SELECT id FROM (${parts.join(' UNION ALL ')}) AS named
    ORDER BY name IS NULL, name ${direction}, client ${direction}, id`
}
