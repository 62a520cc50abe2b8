import { phoneDigitsSql } from '../../../domain/contacts.ts'
import { afterWords } from '../../../domain/search-words.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { addressSql } from '../../../platform/storage/addresses.ts'
import { type Asked, type Find, type Item, joined, rowsOf } from './asked.ts'
import type { FoundHomes } from './homes.ts'
import { subscribersByName } from './names.ts'

/** Subscribers by contract, phone, name, or street, house and flat; the surest first. */
export async function findSubscribers(asked: Asked, homes: FoundHomes): Promise<Item[]> {
  const ids = [
    ...(await byContractOrPhone(asked)),
    ...(await subscribersByName(asked)),
    ...(await atHomes(asked, homes)),
  ]
  return subscriberItems(asked, [...new Set(ids)].slice(0, asked.limit))
}

/** Of those whose number begins or ends with the digits so many are looked at, whoever they belong to. */
const lookedAtMax = 100

const contract = `ltrim(contract_number, '0')`
const phone = phoneDigitsSql('sms')
/** In every collation digits stand in the order of their values, and behind all of them comes a long row of nines. */
const digitsFrom = (text: string, digits: string): string =>
  `${text} >= ${digits} AND ${text} < ${digits} || '${'9'.repeat(24)}'`

const numbersSql = `SELECT abonents.id FROM (
    (SELECT id, 1 AS rank FROM abonents WHERE contract_number = ANY($2::text[]) AND NOT deleted)
    UNION ALL
    (SELECT id, 2 FROM abonents WHERE ${contract} = $3::text AND NOT deleted)
    UNION ALL
    (SELECT id, 3 FROM abonents WHERE ${digitsFrom(contract, '$3::text')} AND NOT deleted ORDER BY ${contract} LIMIT ${lookedAtMax})
    UNION ALL
    (SELECT found.id, 2 FROM unnest($4::text[]) AS asked(digits), LATERAL (SELECT id FROM abonents
      WHERE ${digitsFrom(phone, 'asked.digits')} AND sms IS NOT NULL AND NOT deleted LIMIT ${lookedAtMax}) AS found)
    UNION ALL
    (SELECT id, 2 FROM abonents WHERE ${digitsFrom(`reverse(${phone})`, 'reverse($5::text)')} AND sms IS NOT NULL AND NOT deleted
      LIMIT ${lookedAtMax})
  ) AS found JOIN abonents ON abonents.id = found.id
  WHERE ${visibleSql('abonents.organization_id', '$1')} GROUP BY abonents.id ORDER BY min(rank), abonents.id LIMIT $6`

async function byContractOrPhone({ question, visible, limit, client }: Asked): Promise<string[]> {
  const { text, phone, words } = question
  if (words.length === 0 && phone === null) return []
  const spellings = [...new Set([text, text.toUpperCase(), text.toLowerCase()])]
  // Leading zeros are left out by people.
  const digits = /^\d+$/.test(text) ? text.replace(/^0+/, '') || null : null
  const values = [visible, spellings, digits, phone?.beginnings ?? [], phone?.end ?? null, limit]
  const rows = await rowsOf<{ id: string }>(client, 'numbers', numbersSql, values)
  return rows.map(({ id }) => id)
}

/** A house may have a thousand flats. */
const atHomesSql = `SELECT id FROM abonents WHERE home_id = ANY($2::int8[]) AND NOT deleted
    AND ($3::text IS NULL OR lower(flat) = $3) AND ${visibleSql('organization_id', '$1')}
  ORDER BY length(flat), flat, id LIMIT $4`

async function atHomes({ visible, limit, client }: Asked, { houses, flat }: FoundHomes): Promise<string[]> {
  if (houses.length === 0) return []
  const rows = await rowsOf<{ id: string }>(client, 'at-homes', atHomesSql, [visible, houses, flat, limit])
  return rows.map(({ id }) => id)
}

const subscribersSql = `SELECT abonents.id, name, contract_number, deleted,
    coalesce(address, ${addressSql('abonents.home_id', 'abonents.flat')}) AS address
  FROM unnest($2::int8[]) WITH ORDINALITY AS asked(id, place) JOIN abonents USING (id)
  WHERE ${visibleSql('organization_id', '$1')} ORDER BY place`

async function subscriberItems({ visible, client }: Asked, ids: readonly string[]): Promise<Item[]> {
  if (ids.length === 0) return []
  type Row = { id: string; name: string; contract_number: string; deleted: boolean; address: string | null }
  const rows = await rowsOf<Row>(client, 'subscribers', subscribersSql, [visible, ids])
  return rows.map(({ id, name, contract_number, deleted, address }) => ({
    id: Number(id),
    title: name,
    subtitle: joined(contract_number, address),
    path: `/admin/subscribers/${id}/`,
    ...(deleted && { deleted: true as const }),
  }))
}

const login = 'lower(login) COLLATE "C"'

const loginsSql = `SELECT users.id, users.login, users.abonent_id, abonents.name, host(users.ip) AS ip, users.mac::text AS mac,
    coalesce(users.ipv6_prefix, users.delegated_ipv6_prefix)::text AS prefix
  FROM (
    (SELECT id, 1 AS rank FROM users WHERE login = $2::text)
    UNION ALL
    (SELECT id, 2 FROM users WHERE ${login} >= $3::text AND ${login} < $3 || '${afterWords}' ORDER BY ${login} LIMIT ${lookedAtMax})
    UNION ALL
    (SELECT id, 1 FROM users WHERE ip = $4::inet AND ip IS NOT NULL LIMIT ${lookedAtMax})
    UNION ALL
    (SELECT id, 1 FROM users WHERE mac = $5::macaddr AND mac IS NOT NULL LIMIT ${lookedAtMax})
    UNION ALL
    (SELECT id, 1 FROM users WHERE ipv6_prefix = ANY($6::cidr[]) AND ipv6_prefix IS NOT NULL LIMIT ${lookedAtMax})
    UNION ALL
    (SELECT id, 1 FROM users WHERE delegated_ipv6_prefix = ANY($6::cidr[]) AND delegated_ipv6_prefix IS NOT NULL LIMIT ${lookedAtMax})
  ) AS found JOIN users ON users.id = found.id JOIN abonents ON abonents.id = users.abonent_id
  WHERE ${visibleSql('abonents.organization_id', '$1')}
  GROUP BY users.id, abonents.id ORDER BY min(rank), users.login LIMIT $7`

/** Logins by their beginning, address, prefix or MAC. */
export const findLogins: Find = async ({ question, visible, limit, client }) => {
  const { text, mac, ip, prefixes } = question
  const values = [visible, text, text.toLowerCase(), ip, mac, prefixes, limit]
  type Row = Record<'id' | 'login' | 'abonent_id' | 'name', string> & Record<'ip' | 'mac' | 'prefix', string | null>
  const rows = await rowsOf<Row>(client, 'logins', loginsSql, values)
  return rows.map((row) => ({
    id: Number(row.id),
    title: row.login,
    subtitle: joined(row.name, row.ip, row.prefix, row.mac),
    path: `/admin/subscribers/${row.abonent_id}/connection/`,
  }))
}
