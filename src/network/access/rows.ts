import { blocksToBits } from '../../domain/block.ts'
import { defaultOrganization } from '../../domain/ids.ts'
import { lastMoment } from '../../domain/moments.ts'
import type { Log } from '../../platform/log.ts'
import type { CopiedFields } from '../../platform/storage/copied-rows.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { parseIpv4, parseIpv6Prefix } from '../radius/wire/address.ts'
import { attributes } from '../radius/wire/attribute-types.ts'
import { ReplyReader } from './replies.ts'
import type { AccessFields } from './record.ts'
import { prefixBytes } from './record-layout.ts'
import { parseMacText } from './station.ts'

/** What a refresh may select the logins by. */
export const rowFilters = {
  users: 'u.id = ANY($3::int8[])',
  subscribers: 'u.abonent_id = ANY($3::int8[])',
  accounts: 'a.account_id = ANY($3::int8[])',
  tarifs: 'a.tarif_id = ANY($3::int8[])',
} as const
export type RowFilter = keyof typeof rowFilters

/** Epoch seconds within the range of Date. least() would ignore a null, so this is a CASE. */
const secondsOf = (column: string): string =>
  `extract(epoch FROM CASE WHEN ${column} > '${lastMoment.toISOString()}' THEN '${lastMoment.toISOString()}' ELSE ${column} END)::float8`

/**
 * Replies are selected as text, because most are empty and those of a tariff are all equal. The end of an unlimited
 * term counts only where it hides a debt (accessEnd in domain/account.ts).
 */
const rowsSql = (blocksCondition: string, selection: string): string => `
SELECT u.id::float8 AS id, u.login, u.password, host(u.ip) AS ip, u.ipv6_prefix::text AS ipv6_prefix,
  u.delegated_ipv6_prefix::text AS delegated_ipv6_prefix, u.mac::text AS mac, u.pool_id::float8 AS pool_id, u.enabled,
  u.disabled_by_hand, u.simultaneous_use, nullif(u.radius_reply::text, '[]') AS user_reply,
  u.abonent_id::float8 AS abonent_id, coalesce(a.organization_id, ${defaultOrganization})::float8 AS organization_id, a.deleted, a.enabled AS abonent_enabled,
  coalesce(b.b_negbal, false) AS b_negbal, coalesce(b.b_admin, false) AS b_admin,
  coalesce(b.b_own, false) AS b_own, coalesce(b.b_sys, false) AS b_sys,
  t.speed_mbit::float8 AS down_mbit, t.upload_mbit::float8 AS up_mbit, u.vlan, t.vlan AS tarif_vlan,
  coalesce(t.walled_garden, false) AS walled_garden,
  nullif(t.radius_reply::text, '[]') AS tarif_reply,
  c.id::float8 AS account_id, c.version, ${secondsOf('c.sleep_date')} AS asleep_until,
  CASE WHEN c.unlimited AND c.ostatok < c."limit" THEN ${secondsOf('c.unlimited_date')} END AS access_end
FROM users u
JOIN abonents a ON a.id = u.abonent_id
LEFT JOIN abonents_block b ON b.abonent_id = a.id${blocksCondition}
LEFT JOIN tarifs t ON t.id = a.tarif_id
LEFT JOIN admin_accounts c ON c.id = a.account_id
${selection}`

/** SQL: rows in the order of their ids. $1: the last id seen, $2: the maximum of rows, $3: the ids to select by. */
export const filteredRowsSql = (filter: RowFilter): string =>
  rowsSql('', `WHERE u.id > $1 AND ${rowFilters[filter]} ORDER BY u.id LIMIT $2`)

/** The login, and the subscriber who has it, after which a page of all logins begins. */
export type RowPlace = { readonly id: number; readonly abonent_id: number }
export const firstPlace: RowPlace = { id: 0, abonent_id: 0 }

/**
 * SQL: a page of all logins in the order of their subscribers and ids; `below` bounds it to the subscribers before this
 * one. It has no parameters, because COPY takes none. With the same bound for each of the three tables PostgreSQL reads
 * them side by side and searches for an account only.
 */
export function allRowsSql({ id, abonent_id: from }: RowPlace, limit: number, below: number | null = null): string {
  const until = below === null ? '' : ` AND u.abonent_id < ${below}`
  return rowsSql(
    ` AND b.abonent_id >= ${from}`,
    `WHERE u.abonent_id >= ${from} AND a.id >= ${from} AND (u.abonent_id, u.id) > (${from}, ${id})${until}
ORDER BY u.abonent_id, u.id
LIMIT ${limit}`,
  )
}

/** One login with the subscriber, tariff and account that its access depends on. */
export type AccessRow = ReturnType<typeof copiedRow>

/** A row of allRowsSql, its columns in their order. */
export const copiedRow = (fields: CopiedFields) => ({
  id: fields.float()!,
  login: fields.text()!,
  password: fields.text()!,
  ip: fields.text(),
  ipv6_prefix: fields.text(),
  delegated_ipv6_prefix: fields.text(),
  mac: fields.text(),
  pool_id: fields.float(),
  enabled: fields.bool()!,
  disabled_by_hand: fields.bool()!,
  simultaneous_use: fields.int()!,
  user_reply: fields.text(),
  abonent_id: fields.float()!,
  organization_id: fields.float()!,
  deleted: fields.bool()!,
  abonent_enabled: fields.bool()!,
  b_negbal: fields.bool()!,
  b_admin: fields.bool()!,
  b_own: fields.bool()!,
  b_sys: fields.bool()!,
  down_mbit: fields.float(),
  up_mbit: fields.float(),
  vlan: fields.int(),
  tarif_vlan: fields.int(),
  walled_garden: fields.bool()!,
  tarif_reply: fields.text(),
  account_id: fields.float(),
  version: fields.int(),
  asleep_until: fields.float(),
  access_end: fields.float(),
})

/** Turns rows into entries. What cannot be used, such as a secret under another key, is logged and left out. */
export class RowReader {
  readonly #secrets: Secrets
  readonly #log: Log
  readonly #replies: ReplyReader

  constructor(secrets: Secrets, log: Log) {
    this.#secrets = secrets
    this.#log = log
    this.#replies = new ReplyReader(log)
  }

  /** Reads a row; with `staysSealed` its password is left encrypted as it is in the table. */
  read(row: AccessRow, staysSealed: boolean): AccessFields {
    const mac = row.mac === null ? -1 : parseMacText(row.mac)
    const down = kbit(row.down_mbit)
    const reply = this.#replies.read(row.user_reply, row.tarif_reply)
    return {
      ...reply,
      loginId: row.id,
      subscriberId: row.abonent_id,
      organizationId: row.organization_id,
      login: row.login,
      password: staysSealed ? row.password : openedPassword(this.#secrets, this.#log, row.id, row.password),
      isSealed: staysSealed,
      mac,
      // A login with an address from its replies is treated as if the address were its own: sessions and pools must
      // know the address that is really in force.
      ip: reply.ip ?? (row.ip === null ? null : parseIpv4(row.ip)) ?? -1,
      poolId: reply.ip === null ? (row.pool_id ?? 0) : 0,
      ipv6Prefix: reply.replaced.includes(attributes.framedIpv6Prefix) ? null : encodePrefix(row.ipv6_prefix),
      delegatedIpv6Prefix: reply.replaced.includes(attributes.delegatedIpv6Prefix)
        ? null
        : encodePrefix(row.delegated_ipv6_prefix),
      simultaneousUse: row.simultaneous_use,
      downKbit: down,
      upKbit: row.up_mbit === null ? down : kbit(row.up_mbit),
      vlan: row.vlan ?? row.tarif_vlan ?? 0,
      hasOwnVlan: row.vlan !== null,
      walledGarden: row.walled_garden,
      access: {
        accountId: row.account_id ?? 0,
        accountVersion: row.version ?? 0,
        deleted: row.deleted,
        disabledByHand: row.disabled_by_hand,
        loginEnabled: row.enabled,
        subscriberEnabled: row.abonent_enabled,
        blockBits: blocksToBits({ debt: row.b_negbal, operator: row.b_admin, client: row.b_own, system: row.b_sys }),
        asleepUntil: row.asleep_until ?? 0,
        accessEnd: row.access_end ?? 0,
      },
    }
  }
}

/** A login whose password cannot be opened gets an empty one, which no request can match. */
export function openedPassword(secrets: Secrets, log: Log, loginId: number, sealed: string): string {
  try {
    return secrets.open(sealed)
  } catch (error) {
    log.error('The password of a login cannot be read.', { loginId: String(loginId), error })
    return ''
  }
}

/** kbit/s, limited to the 31 bits that the record stores: two terabits per second. */
const kbit = (mbit: number | null): number => Math.min(Math.round((mbit ?? 0) * 1000), 0x7fff_ffff)

/** `2001:db8::/56` as RFC 3162 section 2.3 encodes it, with all sixteen octets of the address. */
function encodePrefix(text: string | null): Uint8Array | null {
  const prefix = text === null ? null : parseIpv6Prefix(text)
  if (!prefix) return null
  const bytes = new Uint8Array(prefixBytes)
  bytes[1] = prefix.bits
  bytes.set(prefix.address, 2)
  return bytes
}
