import Type from 'typebox'
import { spelled, spellingsOf } from '../../../domain/text.ts'
import type { Reply } from '../../../platform/http/call.ts'
import { choice, field } from '../../../platform/http/fields.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { isVisible, type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import type { Parameters } from '../../../platform/storage/parameters.ts'
import { readQuery, trimmed } from '../body.ts'

/** Quick filters of the list: in debt, without a client (specification 2.3 rule 5), with money on the account. */
const chips = ['debtors', 'without_client', 'plus'] as const
export type Chip = (typeof chips)[number]

const sorts = ['id', 'name', 'balance', 'limit', 'create_date'] as const
export type Sort = { readonly by: (typeof sorts)[number]; readonly isDescending: boolean }

/** Which accounts a list shows. */
export type AccountFilter = { readonly q: string; readonly chip: Chip | null; readonly visible: VisibleOrganizations }

const searchMax = 200

export function readFilter(
  query: URLSearchParams,
  visible: VisibleOrganizations,
): { filter: AccountFilter; sort: Sort } | { refused: Reply } {
  const q = (query.get('q') ?? '').trim().slice(0, searchMax)
  const read = readQuery(filterParameters, trimmed(query), ['chip', 'sort'])
  if ('refused' in read) return read
  const { chip = null, sort = { by: 'id', isDescending: false } } = read.values
  return { filter: { q, chip, visible }, sort }
}

export const filterParameters = {
  q: {
    doc: 'Number of the account; name, contract, phone, e-mail, address or login of a client; name of a video object. Fewer than three characters begin a name.',
    schema: schemas.text,
  },
  chip: { doc: 'A quick filter', schema: choice(chips) },
  sort: {
    doc: 'With - before it the other way round',
    schema: field(
      Type.Enum(sorts.flatMap((name) => [name, `-${name}`])),
      `be one of ${sorts.join(', ')}`,
      (sent): Sort | null => {
        const by = sorts.find((name) => name === spelled(sent).replace(/^-/, ''))
        return by === undefined ? null : { by, isDescending: by !== sent }
      },
    ),
  },
} as const

/**
 * SQL: how many accounts have no client. They are those that are left when each main client has taken his own, and the
 * video objects theirs, by counts that are kept or of few rows.
 */
export const withoutClientCount = `((SELECT coalesce(sum(rows), 0) FROM row_counts WHERE table_name = 'admin_accounts')
  - (SELECT coalesce(sum(rows), 0) FROM row_counts WHERE table_name = 'abonents') - (SELECT count(*) FROM abonents WHERE deleted)
  + (SELECT count(*) FROM abonents WHERE NOT is_main)
  - (SELECT count(DISTINCT account_id) FROM video_objects AS object
    WHERE account_id IS NOT NULL AND NOT EXISTS (SELECT FROM abonents WHERE account_id = object.account_id)))::int4`

/**
 * Nobody refers to the account: neither a subscriber nor a video object (specification 2.3 rule 5). They are looked for
 * only where there are any. The sets are subtracted along their indexes, which takes a third of the time of a join, and
 * the few accounts that are left are looked up.
 */
const withoutClient = `account.id = ANY (CASE WHEN ${withoutClientCount} > 0 THEN ARRAY(
  SELECT id FROM admin_accounts EXCEPT SELECT account_id FROM abonents EXCEPT SELECT account_id FROM video_objects)
  ELSE ARRAY[]::int8[] END)`

/** Whose accounts are looked at: everybody's, those of `client`, which is the main one of each, or those of nobody. */
type Owner = 'any' | 'client' | 'nobody'

/** SQL of the conditions over `account`. Everything the caller sent goes through `parameters`. */
export function conditionsOf(
  { q, chip, visible }: AccountFilter,
  parameters: Parameters,
  owner: Owner = 'any',
): string[] {
  // They belong to the default organization.
  if (chip === 'without_client' && !isVisible(visible, null)) return ['false']
  return [
    ...(visible === null ? [] : [visibleCondition(visible, parameters, owner)]),
    ...(chip === null ? [] : [chipConditions[chip]]),
    ...(q === ''
      ? []
      : [chip === 'without_client' ? numberCondition(q, parameters) : searchCondition(q, visible, parameters)]),
  ]
}

export const chipConditions = {
  debtors: 'account.ostatok < 0',
  without_client: withoutClient,
  plus: 'account.ostatok > 0',
} as const satisfies Record<Chip, string>

/**
 * An account belongs to the organization of its main client, and without a client to the default one. Checking each row
 * takes three seconds for a million accounts; one set of accounts that are excluded takes less than one. Those of
 * another organization are collected in an array and looked up, because PostgreSQL would read all accounts for a
 * twentieth.
 */
function visibleCondition(visible: NonNullable<VisibleOrganizations>, parameters: Parameters, owner: Owner): string {
  if (owner === 'client') return visibleSql('client.organization_id', parameters.place(visible))
  if (owner === 'nobody') return String(isVisible(visible, null))
  const seen = parameters.add(visible, 'int8[]')
  return isVisible(visible, null)
    ? `NOT EXISTS (SELECT FROM abonents AS client
        WHERE client.account_id = account.id AND client.organization_id <> ALL (${seen}) AND client.is_main)`
    : `account.id = ANY (ARRAY(SELECT client.account_id FROM abonents AS client
        WHERE client.organization_id = ANY (${seen}) AND client.is_main))`
}

/** The number of characters from which on the indexes find any part of a word. */
const partLength = 3

/** `№ 17` or `17`; null: it is no number of an account. */
const numberIn = (q: string): string | null => /^№?\s*(\d{1,15})$/.exec(q)?.[1] ?? null

/** An account without subscribers can be found by its number only. */
function numberCondition(q: string, parameters: Parameters): string {
  const number = numberIn(q)
  return number === null ? 'false' : `account.id = ${parameters.add(number, 'int8')}`
}

/**
 * What a search compares: over `client`, in several parts that have an index each, over `users` and over
 * `video_objects`. Fewer than three characters must begin a name.
 */
type Compared = {
  readonly clients: readonly string[]
  readonly login: string
  readonly object: string | null
}

function compared(q: string, parameters: Parameters): Compared {
  const wanted = q.toLowerCase()
  if (wanted.length >= partLength) {
    const part = parameters.add(`%${escaped(wanted)}%`, 'text')
    const columns = ['name', 'contract_number', 'sms', 'email', 'address']
    const client = columns.map((column) => `lower(client.${column}) LIKE ${part}`).join(' OR ')
    return { clients: [client], login: `lower(users.login) LIKE ${part}`, object: `lower(name) LIKE ${part}` }
  }
  const start = parameters.add(`${escaped(wanted)}%`, 'text')
  const exact = parameters.add(q, 'text')
  // One after the other along the index of names, which has the accounts as well.
  const names = spellingsOf(wanted).map(
    (spelling) =>
      `client.name LIKE ${parameters.add(`${escaped(spelling)}%`, 'text')} AND lower(client.name) LIKE ${start}`,
  )
  const contract = `(client.contract_number = ${exact} OR ltrim(client.contract_number, '0') = ${exact}) AND NOT client.deleted`
  return { clients: [...names, contract], login: `users.login = ${exact}`, object: null }
}

/**
 * By the number of the account, and by its clients, their logins and its video objects. The ids are collected in an
 * array, because PostgreSQL cannot estimate how many accounts the parts find and would look up a hundred thousand one
 * by one.
 */
function searchCondition(q: string, visible: VisibleOrganizations, parameters: Parameters): string {
  const { clients, login, object } = compared(q, parameters)
  const number = numberIn(q)
  const isVisible = visibleSql('client.organization_id', parameters.place(visible))
  const found = [
    ...(number === null ? [] : [`SELECT ${parameters.add(number, 'int8')}`]),
    ...clients.map((part) => `${ofClients} WHERE (${part}) AND ${isVisible}`),
    `SELECT client.account_id FROM users JOIN abonents AS client ON client.id = users.abonent_id WHERE ${login} AND ${isVisible}`,
    ...(object === null ? [] : [`SELECT account_id FROM video_objects WHERE ${object} AND account_id IS NOT NULL`]),
  ]
  return `account.id = ANY (ARRAY(${found.join(' UNION ALL ')}))`
}

const ofClients = 'SELECT client.account_id FROM abonents AS client'

/** SQL: a row for each client that a search finds by what stands in his own record. */
export const searchedClients = (q: string, parameters: Parameters): string =>
  compared(q, parameters)
    .clients.map((part) => `${ofClients} WHERE (${part})`)
    .join(' UNION ALL ')

/** The same told of an account by itself, for who sees all organizations: a few thousand are looked through so. */
export function searchOfRow(q: string, parameters: Parameters): string {
  const { clients, login, object } = compared(q, parameters)
  const number = numberIn(q)
  const ofLogin = `(SELECT bool_or(${login}) FROM users WHERE users.abonent_id = client.id)`
  const ofClient = [...clients.map((part) => `(${part})`), ofLogin].join(' OR ')
  const fits = [
    ...(number === null ? [] : [`account.id = ${parameters.add(number, 'int8')}`]),
    `(SELECT bool_or(${ofClient}) FROM abonents AS client WHERE client.account_id = account.id)`,
    ...(object === null ? [] : [`(SELECT bool_or(${object}) FROM video_objects WHERE account_id = account.id)`]),
  ]
  return `(${fits.join(' OR ')})`
}

/** Escapes the wildcards of LIKE, because the search text is not a pattern. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`)
