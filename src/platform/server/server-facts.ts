import { isAliveSql } from '../nodes/nodes-table.ts'
import { isMigrationPending } from '../storage/migrations.ts'
import type { Client } from '../storage/sql.ts'

/** Settings that the server, the database or the role may have, as `SHOW` tells them; null: the server is older. */
const shownSettings = [
  'standard_conforming_strings',
  'DateStyle',
  'IntervalStyle',
  'default_transaction_read_only',
  'default_transaction_isolation',
  'session_replication_role',
  'statement_timeout',
  'transaction_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'autovacuum',
  'min_wal_size',
  'autovacuum_naptime',
] as const

export type ServerFacts = {
  readonly version: string
  /** 150004 is 15.4. */
  readonly versionNumber: number
  /** It replays what another server writes, and writes nothing itself. */
  readonly isStandby: boolean
  readonly encoding: string
  /** `lower` knows letters beyond ASCII. */
  readonly foldsLetters: boolean
  readonly database: string
  readonly role: string
  /** Where new tables are made; null: nowhere. */
  readonly schema: string | null
  readonly settings: Readonly<Record<(typeof shownSettings)[number], string | null>>
  readonly minWalBytes: number
  readonly naptimeSeconds: number
  /** Connections that the role may have to this database; null: no limit but that of the server. */
  readonly limitOfRole: number | null
  /** Connections that the server has for ordinary roles. */
  readonly connections: number
  readonly lockSlots: number
  /** Tables and indexes. */
  readonly relations: number
  /** How far the clock of this machine is ahead. */
  readonly clockOffsetMs: number
  readonly isMigrationPending: boolean
  readonly mayMigrate: boolean
  /** A table in which the role may not read and write; null: there is none. */
  readonly closedTable: string | null
  /** The programs that serve the database now, by their role. */
  readonly nodes: readonly { readonly name: string; readonly role: string; readonly version: string }[]
}

/** Everything about a server that decides whether the program can work on it. Reads only. */
export async function readServerFacts(client: Client): Promise<ServerFacts> {
  const askedMs = Date.now()
  const { rows } = await client.query<ServerRow>(factsText, [shownSettings])
  const { nowMs, limitOfRole, limitOfDatabase, ...row } = rows[0]!
  const clockOffsetMs = (askedMs + Date.now()) / 2 - nowMs
  const limits = [limitOfRole, limitOfDatabase].filter((limit) => limit >= 0)
  return {
    ...row,
    clockOffsetMs,
    limitOfRole: limits.length > 0 ? Math.min(...limits) : null,
    foldsLetters: row.encoding !== 'UTF8' || (await foldsLetters(client)),
    isMigrationPending: await isMigrationPending(client),
    nodes: row.hasNodes ? await livingNodes(client) : [],
  }
}

/** By the letter Ж and its small one, which are named by number because not every encoding has them. */
async function foldsLetters(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ folds: boolean }>('SELECT lower(chr(1046)) = chr(1078) AS folds')
  return rows[0]!.folds
}

/** The column of the role is younger than the table. */
async function livingNodes(client: Client): Promise<ServerFacts['nodes']> {
  const { rows } = await client.query<{ name: string; role: string; version: string }>(
    `SELECT name, version, coalesce(to_jsonb(nodes)->>'role', 'full') AS role FROM nodes WHERE ${isAliveSql}`,
  )
  return rows
}

type ServerRow = Omit<
  ServerFacts,
  'clockOffsetMs' | 'foldsLetters' | 'isMigrationPending' | 'nodes' | 'limitOfRole'
> & {
  readonly nowMs: number
  readonly limitOfRole: number
  readonly limitOfDatabase: number
  readonly hasNodes: boolean
}

const ownTables = `SELECT oid, relname, relowner FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = to_regnamespace(quote_ident(current_schema()))`
const mayAll = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((right) => `has_table_privilege(oid, '${right}')`)

const factsText = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int4 AS "versionNumber",
  pg_is_in_recovery() AS "isStandby", current_setting('server_encoding') AS encoding,
  current_database() AS database, current_user AS role, current_schema() AS schema,
  (SELECT json_object_agg(name, current_setting(name, true)) FROM unnest($1::text[]) AS name) AS settings,
  pg_size_bytes(current_setting('min_wal_size'))::float8 AS "minWalBytes",
  extract(epoch FROM current_setting('autovacuum_naptime')::interval)::float8 AS "naptimeSeconds",
  (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS "limitOfRole",
  (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS "limitOfDatabase",
  current_setting('max_connections')::int4 - current_setting('superuser_reserved_connections')::int4
    - coalesce(current_setting('reserved_connections', true), '0')::int4 AS connections,
  current_setting('max_locks_per_transaction')::int4 * (current_setting('max_connections')::int4
    + current_setting('max_prepared_transactions')::int4) AS "lockSlots",
  (SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p', 'i', 'I'))::int4 AS relations,
  coalesce(has_schema_privilege(current_schema()::text, 'CREATE'), false)
    AND NOT EXISTS (SELECT FROM (${ownTables}) AS own WHERE NOT pg_has_role(relowner, 'USAGE')) AS "mayMigrate",
  (SELECT min(relname) FROM (${ownTables}) AS own WHERE NOT (${mayAll.join(' AND ')})) AS "closedTable",
  to_regclass('nodes') IS NOT NULL AS "hasNodes",
  extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"`
