import { debtBeganBeforeSql } from '../../../billing/accounts/debt-age.ts'
import { phoneDigits, phoneDigitsSql } from '../../../domain/contacts.ts'
import { nameOrderSql, searchWords } from '../../../domain/search-words.ts'
import { choice, count, id, text } from '../../../platform/http/fields.ts'
import { homesWithin } from '../../../platform/storage/addresses.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { escaped } from '../accounts/filter.ts'
import type { Place } from '../cursors.ts'
import type { ListFilters } from '../list-filters.ts'

/** SQL: what the conditions are about. */
export const clientsSql = 'abonents AS client LEFT JOIN admin_accounts AS account ON account.id = client.account_id'

/** Which subscribers a list shows. */
const views = ['all', 'online', 'debtors', 'blocked', 'promised', 'deleted'] as const

/** New ones have the highest ids. */
const columns = ['name', 'contract_number', 'id'] as const

export const sorts = [...columns.flatMap((name) => [name, `-${name}`] as const), 'match'] as const

export const filterParameters = {
  show: { doc: 'Which of them; left out: all who are not deleted', schema: choice(views) },
  q: {
    doc: 'Words in any order: name, contract, phone, e-mail, address, login; fewer than three characters begin a name',
    schema: text(200),
  },
  tarif: { doc: 'Id of the tariff', schema: id },
  organization: { doc: 'Id of the organization', schema: id },
  home: { doc: 'Id of a house, or of a street or city with all its houses', schema: id },
  debt_days: { doc: 'Whose balance has been below zero for at least so many days', schema: count(36_500) },
  debt_days_to: { doc: 'Whose balance has been below zero for at most so many days', schema: count(36_500) },
} as const

export type Asked = {
  readonly show?: (typeof views)[number]
  readonly q?: string
  readonly tarif?: number
  readonly organization?: number
  readonly home?: number
  readonly debt_days?: number
  readonly debt_days_to?: number
}

const conditions = {
  all: 'NOT client.deleted',
  online: `NOT client.deleted AND client.id IN (SELECT session.abonent_id FROM radius_live_sessions AS live
    JOIN radius_sessions AS session ON session.id = live.session_id WHERE session.abonent_id IS NOT NULL)`,
  debtors: 'NOT client.deleted AND account.ostatok < 0',
  blocked: `NOT client.deleted AND client.id IN (SELECT block.abonent_id FROM abonents_block AS block
    WHERE block.b_negbal OR block.b_admin OR block.b_own OR block.b_sys)`,
  promised: 'NOT client.deleted AND client.promise_date_end > now()',
  deleted: 'client.deleted',
} as const satisfies Record<(typeof views)[number], string>

/** Adds the conditions of a list over `client` and `account`. `homes`: those of `asked.home`, where they are known. */
export function narrow(
  filters: ListFilters,
  asked: Asked,
  visible: VisibleOrganizations,
  homes?: readonly number[],
): void {
  const { show = 'all', q = '', tarif, organization, home, debt_days: days, debt_days_to: daysTo } = asked
  filters.where(conditions[show])
  if (tarif !== undefined) filters.where(`client.tarif_id = ${filters.add(tarif, 'int8')}`)
  if (organization !== undefined) filters.where(`client.organization_id = ${filters.add(organization, 'int8')}`)
  const within = homes ? filters.add(homes, 'int8[]') : home && homesWithin(filters.add(home, 'int8'))
  if (within) filters.where(`client.home_id = ANY(${within})`)
  if (days !== undefined) filters.where(`account.debt_since < ${debtBeganBeforeSql(filters.add(days, 'int4'))}`)
  if (daysTo !== undefined)
    filters.where(`account.debt_since >= ${debtBeganBeforeSql(filters.add(daysTo + 1, 'int4'))}`)
  filters.whereVisible('client.organization_id', visible, organization)
  if (q.trim() !== '') filters.where(searchSql(filters, q))
}

/** The number of characters from which on the indexes find any part of a word. */
const partLength = 3
const wordsMax = 8
const loginsMax = 1_000

/** SQL over `client`: every word must be found somewhere; or all of them together are a phone. */
export function searchSql(filters: ListFilters, q: string): string {
  const words = wordsOf(q)
  const all = words.map((word) => `(${[nameSql(filters, word, words), elsewhereSql(filters, word)].join(' OR ')})`)
  const phone = phoneIn(q)
  if (phone === null) return `(${all.join(' AND ')})`
  const isPhone = `client.sms IS NOT NULL AND NOT client.deleted AND ${phoneDigitsSql('client.sms')} = ${filters.add(phone, 'text')}`
  return `((${all.join(' AND ')}) OR (${isPhone}))`
}

const wordsOf = (q: string): string[] => q.trim().toLowerCase().split(/\s+/).slice(0, wordsMax)

function phoneIn(q: string): string | null {
  const phone = /^[\d\s()+-]{7,20}$/.test(q) ? phoneDigits(q) : ''
  return phone.length < 7 ? null : phone
}

/**
 * What a search finds, in two parts: by the name alone, which the index of names tells without the rows, and those of
 * whom some word stands elsewhere. Null: the search is for no words, or for a phone as well.
 */
export function searchParts(q = ''): SearchParts | null {
  if (q.trim() === '' || phoneIn(q) !== null) return null
  return {
    byName: (filters) =>
      wordsOf(q)
        .map((word, _, words) => nameSql(filters, word, words))
        .join(' AND '),
    elsewhere: (filters) =>
      `(${wordsOf(q)
        .map((word) => elsewhereSql(filters, word))
        .join(' OR ')})`,
  }
}

export type SearchParts = Readonly<Record<'byName' | 'elsewhere', (filters: ListFilters) => string>>

/**
 * Any part of a name. A word too short for the indexes on parts is the beginning of the name, or of any word of it
 * where other words are searched for as well.
 */
function nameSql(filters: ListFilters, word: string, words: readonly string[]): string {
  const like = (pattern: string) => `lower(client.name) LIKE ${filters.add(pattern, 'text')}`
  if (word.length >= partLength) return like(`%${escaped(word)}%`)
  const begins = like(`${escaped(word)}%`)
  return words.length === 1 ? begins : `(${begins} OR ${like(`% ${escaped(word)}%`)})`
}

function elsewhereSql(filters: ListFilters, word: string): string {
  // Of deleted ones too the index on parts finds what is equal, where no other index does.
  if (word.length < partLength)
    return `client.contract_number = ${filters.add(word, 'text')} AND lower(client.contract_number) LIKE ${filters.add(escaped(word), 'text')}`
  const part = filters.add(`%${escaped(word)}%`, 'text')
  const found = ['contract_number', 'sms', 'email', 'address'].map((column) => `lower(client.${column}) LIKE ${part}`)
  // Collected in an array, because PostgreSQL cannot estimate how many logins have a part of a word.
  const logins = `client.id = ANY (ARRAY(SELECT abonent_id FROM users WHERE lower(login) LIKE ${part} LIMIT ${loginsMax}))`
  return [...found, logins].join(' OR ')
}

/** SQL over `client`: the order in which a search offers what it has found; null: the search has no words. */
export function matchOrder(filters: ListFilters, q = ''): string | null {
  const words = searchWords(q).slice(0, wordsMax)
  return words.length === 0 ? null : `${nameOrderSql('client.name', filters.add(words, 'text[]'))}, client.id`
}

/** Narrows to those whose name begins with the first word. */
export function narrowToBeginning(filters: ListFilters, q = ''): void {
  filters.where(`lower(client.name) LIKE ${filters.add(`${escaped(wordsOf(q)[0] ?? '')}%`, 'text')}`)
}

/** The order of a list, and how a page begins after a row. Rows with the same value follow by id. */
export function orderOf(sort: (typeof sorts)[number] = 'name') {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC'
  const column = columns.find((name) => sort.endsWith(name)) ?? 'name'
  const isId = column === 'id'
  return {
    isByName: column === 'name',
    sql: isId ? `client.id ${direction}` : `client.${column} ${direction}, client.id ${direction}`,
    valueSql: `client.${column}::text`,
    afterSql(filters: ListFilters, { value, id }: Place): string {
      const than = direction === 'ASC' ? '>' : '<'
      const after = filters.add(id, 'int8')
      return isId
        ? `client.id ${than} ${after}`
        : `(client.${column}, client.id) ${than} (${filters.add(value, 'text')}, ${after})`
    },
  }
}
