import { Parameters } from '../../../platform/storage/parameters.ts'
import { isVisible } from '../../../platform/staff/visible-organizations.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { isOfBalances, keysByBalance } from './by-balance.ts'
import { type AccountFilter, conditionsOf, type Sort } from './filter.ts'
import { type Page, patient, type Statement } from './statements.ts'

/** The ids of the accounts of one page of a list in its order. */
export async function readKeys(client: Client, filter: AccountFilter, sort: Sort, page: Page): Promise<string[]> {
  const read = async (statement: Statement) => {
    const { rows } = await client.query<{ id: string }>(patient(withPage(statement, page)))
    return rows.map(({ id }) => id)
  }
  if (orderOf(filter, sort).by === 'name') {
    // Accounts without a client come last, and to look for them costs more than a page of names.
    const named = await read(keysOfNamed(filter, sort))
    if (named.length === page.limit || !isVisible(filter.visible, null)) return named
  }
  if (sort.by === 'balance' && isOfBalances(filter)) {
    const { chip } = filter
    const keys = await keysByBalance(client, { chip, isDescending: sort.isDescending }, page)
    if (keys !== null) return keys
  }
  return read(accountKeys(filter, sort, page.offset + page.limit))
}

const withPage = ({ text, values }: Statement, { limit, offset }: Page): Statement => ({
  text: `${text} LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}`,
  values,
})

/** The statement for the ids of all accounts of a list in its order, or of so many from its beginning at least. */
export function accountKeys(filter: AccountFilter, sort: Sort, first: number | null = null): Statement {
  const parameters = new Parameters()
  const order = orderOf(filter, sort)
  const text =
    order.by === 'name'
      ? keysByName(filter, parameters, order, first)
      : keysByColumn(conditionsOf(filter, parameters), order)
  return { text, values: parameters.values }
}

const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`

const columns = { id: 'id', balance: 'ostatok', limit: '"limit"', create_date: 'create_date' } as const

/** Accounts without a client have no names to be sorted by. */
export const orderOf = ({ chip }: AccountFilter, sort: Sort): Sort =>
  sort.by === 'name' && chip === 'without_client' ? { by: 'id', isDescending: false } : sort

const directionOf = ({ isDescending }: Sort): string => (isDescending ? 'DESC' : 'ASC')

const keysByColumn = (conditions: readonly string[], sort: Sort): string =>
  `SELECT account.id FROM admin_accounts AS account${where(conditions)} ORDER BY ${orderByColumn(sort)}`

/** SQL: the order of a list that a column of `account` decides. */
export function orderByColumn(sort: Sort): string {
  const { by } = sort
  const direction = directionOf(sort)
  const first = by === 'id' || by === 'name' ? '' : `account.${columns[by]} ${direction}, `
  return `${first}account.id ${direction}`
}

/** By the name of the main client; accounts without a client come last in both directions. */
function keysByName(filter: AccountFilter, parameters: Parameters, sort: Sort, first: number | null): string {
  const direction = directionOf(sort)
  const limit = first === null ? '' : ` LIMIT ${Math.trunc(first)}`
  const named = conditionsOf(filter, parameters, 'client')
  const conditions = conditionsOf(filter, parameters, 'nobody')
  const ofClients = `(${namedSql('client.account_id AS id, client.name, client.id AS client', named, sort)}${limit})`
  const nobody = 'NOT EXISTS (SELECT FROM abonents WHERE account_id = account.id)'
  const ofNobody = `(SELECT account.id, NULL::text AS name, NULL::int8 AS client
    FROM admin_accounts AS account${where([nobody, ...conditions])} ORDER BY account.id${limit})`
  return `SELECT id FROM (${ofClients} UNION ALL ${ofNobody}) AS named
    ORDER BY name IS NULL, name ${direction}, client ${direction}, id`
}

/** The accounts that have a client, which an index gives in the order of the names. */
function keysOfNamed(filter: AccountFilter, sort: Sort): Statement {
  const parameters = new Parameters()
  const conditions = conditionsOf(filter, parameters, 'client')
  // Without a chip nothing is asked of the account but its id, which its client has.
  const account = filter.chip === null ? '(SELECT client.account_id AS id)' : accountOfClient
  const text = namedSql('client.account_id AS id', conditions, sort, account)
  return { text, values: parameters.values }
}

const accountOfClient = '(SELECT * FROM admin_accounts WHERE id = client.account_id)'

function namedSql(selected: string, conditions: readonly string[], sort: Sort, account = accountOfClient): string {
  const join = conditions.length === 0 ? '' : ` CROSS JOIN LATERAL ${account} AS account`
  const direction = directionOf(sort)
  return `SELECT ${selected} FROM abonents AS client${join}${where(['client.is_main', ...conditions])}
    ORDER BY client.name ${direction}, client.id ${direction}`
}
