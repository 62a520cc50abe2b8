import type { Client, ClientBase } from 'pg'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { importKey } from '../../domain/money-keys.ts'
import { rublesSql } from '../../platform/storage/rubles.ts'
import type { Blocker, Opening } from './opening.ts'
import type { LineReading } from './subscriber-line.ts'

/**
 * `fault`: why the line is not imported. `known`: the contract number exists. `note`: what differs of a known one.
 * `place`: where it stands in a source that is no CSV file. `of_line`: the line is a further login of the subscriber in
 * that one, which is in the same chunk.
 */
const createTable = `CREATE TEMP TABLE import_lines (line int4 NOT NULL, fault text, contract_number text, name text, login text,
  password text, ip inet, mac macaddr, tarif_id int8, folder_id int8, organization_id int8, email text, phone text,
  balance int8, "limit" int8, receipts int8, write_offs int8, debt bool, enabled bool, says_limit bool,
  known bool NOT NULL DEFAULT false, note text, place text, of_line int4, company bool, address text, comment text, blocked text,
  charged_from timestamptz, ipv6_prefix inet, delegated_ipv6_prefix inet, pool_id int8, simultaneous_use int4, vlan int4,
  radius_reply jsonb, login_disabled bool)`

const fileColumns = `line, fault, contract_number, name, login, password, ip, mac, tarif_id, folder_id, organization_id, email, phone,
  balance, "limit", receipts, write_offs, debt, enabled, says_limit`
const movedColumns = `place, of_line, company, address, comment, blocked, charged_from, ipv6_prefix, delegated_ipv6_prefix, pool_id,
  simultaneous_use, vlan, radius_reply, login_disabled`

/** What a line from another server says besides what a file may say; null: nothing. */
export type MovedColumns = {
  readonly place: string
  readonly ofLine: number | null
  readonly company: boolean
  readonly address: string | null
  readonly comment: string | null
  readonly blocked: Blocker | null
  readonly chargedFrom: Date | null
  readonly ipv6Prefix: string | null
  readonly delegatedIpv6Prefix: string | null
  readonly poolId: string | null
  readonly simultaneousUse: number | null
  readonly vlan: number | null
  /** JSON. */
  readonly radiusReply: string | null
  readonly isDisabled: boolean
}

/** The statements below mostly read a few thousand lines through indexes, but some sort the whole table. */
const sessionSettings = `SET temp_buffers = '32MB'; SET work_mem = '64MB'; SET random_page_cost = 1.1; SET jit = off`

/**
 * The file as a temporary table, so that SQL compares a million contract numbers and logins and not the program's
 * memory. PostgreSQL drops it with the connection.
 */
export async function createStaging(client: ClientBase): Promise<void> {
  await client.query(sessionSettings)
  await client.query(createTable)
}

/** The same table for the lines of one chunk, in the connection that creates them; each transaction begins empty. */
export async function createChunkStaging(client: ClientBase): Promise<void> {
  await client.query(sessionSettings)
  await client.query(`${createTable} ON COMMIT DELETE ROWS`)
}

/** Copies the lines after `after` up to `upTo` that are to be created from the staging table of the file. */
export async function copyChunk(file: Client, chunk: ClientBase, after: number, upTo: number): Promise<void> {
  const lines = `SELECT * FROM import_lines WHERE line > ${after} AND line <= ${upTo} AND fault IS NULL AND NOT known`
  const source = file.query(copyTo(`COPY (${lines}) TO STDOUT (FORMAT binary)`))
  try {
    await pipeline(source, chunk.query(copyFrom('COPY import_lines FROM STDIN (FORMAT binary)')))
  } catch (error) {
    // The connection may be in the middle of the lines, and whoever shares it would wait for their end for ever.
    file.connection.stream.destroy()
    throw error
  }
}

/** A stream that accepts the text of stagingRow. */
export const copyIntoStaging = (client: ClientBase) =>
  client.query(copyFrom(`COPY import_lines (${fileColumns}) FROM STDIN`))

/** A stream that accepts the text of movedRow. */
export const copyMovedIntoStaging = (client: ClientBase) =>
  client.query(copyFrom(`COPY import_lines (${fileColumns}, ${movedColumns}) FROM STDIN`))

/** A line in the text format of COPY. The password has to be encrypted. */
export const stagingRow = (reading: LineReading, opening: Opening | null, password: string | null): string =>
  `${stagedColumns(reading, opening, password)}\n`

/** The same of a line from another server. A further login has no opening. */
export function movedRow(
  reading: LineReading,
  opening: Opening | null,
  password: string | null,
  moved: MovedColumns,
): string {
  const { place, ofLine, company, address, comment, blocked, chargedFrom, ipv6Prefix, delegatedIpv6Prefix } = moved
  const { poolId, simultaneousUse, vlan, radiusReply, isDisabled } = moved
  const values = [
    ...[place, ofLine, company || null, address, comment, blocked, chargedFrom?.toISOString() ?? null, ipv6Prefix],
    ...[delegatedIpv6Prefix, poolId, simultaneousUse, vlan, radiusReply, isDisabled || null],
  ]
  return `${stagedColumns(reading, opening, password)}\t${row(values)}\n`
}

function stagedColumns(reading: LineReading, opening: Opening | null, password: string | null): string {
  if (reading.kind === 'bad') {
    const { line, faults, contractNumber, login } = reading
    return `${row([line, faults.join('; '), contractNumber, null, login])}${'\t\\N'.repeat(15)}`
  }
  const { line, subscriber } = reading
  const { contractNumber, name, login, ip, mac, tariffId, folderId, organizationId, email, phone } = subscriber
  const { balance, limit, receipts, writeOffs, debt, enabled } = opening ?? nothingOpened
  return row([
    ...[line, null, contractNumber, name, login, password, ip, mac, tariffId, folderId],
    ...[organizationId, email, phone, balance, limit, receipts, writeOffs, debt, enabled, subscriber.limit !== null],
  ])
}

const nothingOpened: { readonly [name in keyof Opening]: null } = {
  ...{ balance: null, limit: null, receipts: null, writeOffs: null, debt: null, enabled: null },
}

const row = (values: readonly (string | number | bigint | boolean | null)[]): string =>
  values.map((value) => (value === null ? '\\N' : typeof value === 'string' ? escaped(value) : value)).join('\t')

/** Only backslashes need escaping: fields with tabs or line breaks were refused, and the texts of faults have none. */
const escaped = (text: string) => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text)

/**
 * From here on each statement is about one chunk. Left to itself the planner reads tables of a hundred thousand rows
 * whole for the check of each.
 */
const chunkSettings = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off'

/** Checks over the whole file: repeated contract numbers and logins, and contract numbers of deleted subscribers. */
const fileChecks = [
  'CREATE INDEX import_lines_line ON import_lines (line)',
  'ANALYZE import_lines',
  repeated('contract_number'),
  repeated('login'),
  `UPDATE import_lines AS line
  SET fault = concat_ws('; ', line.fault, format('contract_number "%s" belongs to a deleted subscriber', line.contract_number))
  FROM abonents AS gone
  WHERE gone.deleted AND gone.contract_number = line.contract_number
    AND NOT EXISTS (SELECT FROM abonents AS alive WHERE alive.contract_number = gone.contract_number AND NOT alive.deleted)`,
]

/** The later ones of several lines that say the same. A further login names the contract of its subscriber. */
function repeated(column: 'contract_number' | 'login'): string {
  const those = `${column} IS NOT NULL${column === 'contract_number' ? ' AND of_line IS NULL' : ''}`
  return `UPDATE import_lines AS line
  SET fault = concat_ws('; ', line.fault,
    format('${column} "%s" stands in %s already', line.${column}, coalesce(first_place, 'line ' || first)))
  FROM (SELECT line, first_value(line) OVER same AS first, first_value(place) OVER same AS first_place FROM import_lines
    WHERE ${those} WINDOW same AS (PARTITION BY ${column} ORDER BY line)) AS same
  WHERE same.line = line.line AND same.first < line.line`
}

export async function checkFile(client: ClientBase): Promise<void> {
  for (const statement of fileChecks) await client.query(statement)
  await client.query(chunkSettings)
}

/**
 * What the other server says of a known one and is otherwise here. The balance is compared with the one that was moved
 * in, because the account goes on from there.
 */
const movedNote = `nullif(concat_ws(', ',
          CASE WHEN line.balance <> coalesce(key.amount, 0) THEN format('balance (%s here at the beginning, %s there)',
            ${rublesSql('coalesce(key.amount, 0)')}, ${rublesSql('line.balance')}) END,
          CASE WHEN line.simultaneous_use <> login.simultaneous_use AND login.abonent_id = owner.id THEN 'simultaneous_use' END,
          CASE WHEN line.vlan IS DISTINCT FROM login.vlan AND login.abonent_id = owner.id THEN 'vlan' END,
          CASE WHEN coalesce(line.radius_reply, '[]') <> login.radius_reply AND login.abonent_id = owner.id THEN 'radius_reply' END,
          CASE WHEN line.login_disabled IS TRUE <> login.disabled_by_hand AND login.abonent_id = owner.id THEN 'enabled' END), '')`

/**
 * Compares the lines after $1 up to $2 with the current tables. A known subscriber is not changed, so its differences
 * are only noted. Balance and password are not compared: the balance has changed since, and the password is encrypted.
 */
const lineCheck = `UPDATE import_lines AS line SET known = found.known, fault = nullif(found.fault, ''), note = nullif(found.note, '')
  FROM (
    SELECT line.line, owner.id IS NOT NULL AS known,
      CASE WHEN owner.id IS NULL THEN concat_ws('; ',
        CASE WHEN login.id IS NOT NULL 
          THEN format('login "%s" belongs to contract_number "%s"', line.login, holder.contract_number) END,
        CASE WHEN line.balance <> 0 AND key.key IS NOT NULL
          THEN format('the balance of contract_number "%s" was imported before (operation %s)', line.contract_number, key.op_id) END)
      END AS fault,
      CASE WHEN owner.id IS NOT NULL THEN concat_ws(', ',
        CASE WHEN line.name <> owner.name THEN 'name' END,
        CASE WHEN line.login IS NOT NULL AND login.abonent_id IS DISTINCT FROM owner.id THEN 'login' END,
        CASE WHEN line.ip IS NOT NULL AND login.abonent_id = owner.id AND line.ip IS DISTINCT FROM login.ip THEN 'ip' END,
        CASE WHEN line.mac IS NOT NULL AND login.abonent_id = owner.id AND line.mac IS DISTINCT FROM login.mac THEN 'mac' END,
        CASE WHEN line.tarif_id IS NOT NULL AND line.tarif_id IS DISTINCT FROM owner.tarif_id THEN 'tarif' END,
        CASE WHEN line.says_limit AND line."limit" <> account."limit" THEN 'limit' END,
        CASE WHEN line.email IS NOT NULL AND line.email IS DISTINCT FROM owner.email THEN 'email' END,
        CASE WHEN line.phone IS NOT NULL AND line.phone IS DISTINCT FROM owner.sms THEN 'phone' END,
        CASE WHEN line.folder_id IS NOT NULL AND line.folder_id IS DISTINCT FROM owner.parent_id THEN 'folder' END,
        CASE WHEN line.place IS NOT NULL THEN ${movedNote} END)
      END AS note
    FROM import_lines AS line
    LEFT JOIN abonents AS owner ON owner.contract_number = line.contract_number AND NOT owner.deleted
    LEFT JOIN admin_accounts AS account ON account.id = owner.account_id
    LEFT JOIN users AS login ON login.login = line.login
    LEFT JOIN abonents AS holder ON holder.id = login.abonent_id
    LEFT JOIN money_keys AS key ON key.key = ${importKey.sql('line.contract_number')}
    WHERE line.line > $1 AND line.line <= $2 AND line.fault IS NULL
  ) AS found
  WHERE found.line = line.line AND (found.known OR found.fault <> '')`

/** A subscriber comes with all of his logins or not at all, so a fault of one line is a fault of his others. */
const wholeSubscribers = `UPDATE import_lines AS line
  SET fault = 'another login of the same subscriber cannot be moved in', known = false, note = NULL
  FROM (SELECT DISTINCT coalesce(of_line, line) AS line FROM import_lines WHERE fault IS NOT NULL AND line > $1 AND line <= $2) AS faulty
  WHERE (line.line = faulty.line OR line.of_line = faulty.line) AND line.fault IS NULL AND line.line > $1 AND line.line <= $2`

/** `isMoved`: the lines are of another server, where a subscriber may have several. */
export async function checkChunk(client: ClientBase, after: number, upTo: number, isMoved = false): Promise<void> {
  await client.query(lineCheck, [after, upTo])
  if (isMoved) await client.query(wholeSubscribers, [after, upTo])
}

/** The lines of a chunk that was imported before: those that are good are known, whatever they are called by now. */
export async function leaveChunk(client: ClientBase, after: number, upTo: number): Promise<void> {
  await client.query(
    'UPDATE import_lines SET known = true WHERE line > $1 AND line <= $2 AND fault IS NULL AND NOT known',
    [after, upTo],
  )
}

export type Tally = { readonly lines: number; readonly fresh: number; readonly known: number; readonly bad: number }

export async function tally(client: ClientBase): Promise<Tally & { readonly differing: number }> {
  const { rows } = await client.query<Tally & { differing: number }>(`SELECT count(*)::int4 AS lines,
      count(*) FILTER (WHERE fault IS NULL AND NOT known)::int4 AS fresh, count(*) FILTER (WHERE known)::int4 AS known,
      count(*) FILTER (WHERE fault IS NOT NULL)::int4 AS bad, count(note)::int4 AS differing
    FROM import_lines`)
  return rows[0]!
}

const pageLines = 1_000

/** The faulty lines (`fault`), or the known ones that differ (`note`), in the order of the file. */
export async function* remarks(
  client: ClientBase,
  column: 'fault' | 'note',
): AsyncGenerator<{ line: number; place: string | null; contractNumber: string | null; text: string }> {
  for (let after = 0; ; ) {
    const { rows } = await client.query<{
      line: number
      place: string | null
      contractNumber: string | null
      text: string
    }>(
      `SELECT line, place, contract_number AS "contractNumber", ${column} AS text FROM import_lines
      WHERE ${column} IS NOT NULL AND line > $1 ORDER BY line LIMIT ${pageLines}`,
      [after],
    )
    yield* rows
    if (rows.length < pageLines) return
    after = rows.at(-1)!.line
  }
}
