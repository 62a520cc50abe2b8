import type { PoolClient } from 'pg'

/** Anything that runs one statement: a client inside a transaction. */
export type Client = Pick<PoolClient, 'query'>

/** As much of a pg Pool as many need. 64-bit columns arrive as strings. */
export type Sql = {
  query(statement: { name?: string; text: string; values?: unknown[] }): Promise<{ rows: unknown[] }>
}

/**
 * A query with a limit of its own, in milliseconds, in place of that of its pool. node-postgres takes one with each
 * query, but its types lack it.
 */
export const limited = <Query extends object>(query: Query, limitMs: number): Query => ({
  ...query,
  query_timeout: limitMs,
})

/**
 * The limit, in milliseconds, of what a start reads of tables that grow. A million rows that no cache holds take
 * seconds, and a start that gave up would begin with the same.
 */
export const startReadMs = 60_000

/** Columns of a table and the SQL expression that each is to hold. */
export type Assignments = Readonly<Record<string, string>>

/** The beginning of an INSERT whose rows are selected; `FROM …` follows. */
export const insertInto = (table: string, values: Assignments): string =>
  `INSERT INTO ${table} (${Object.keys(values).map(quoted).join(', ')}) SELECT ${Object.values(values).join(', ')}`

/** The assignments after SET. */
export const assignments = (values: Assignments): string =>
  Object.entries(values)
    .map(([column, expression]) => `${quoted(column)} = ${expression}`)
    .join(', ')

/** Some columns have names that are words of SQL, such as `limit`. */
const quoted = (column: string): string => `"${column}"`

/**
 * An array of ids that is hidden from the planner. When it sees the array, it plans every call anew, because a short
 * array looks cheaper than the generic plan, and planning costs more than reading.
 */
export const hiddenFromPlanner = (parameter: string): string => `ARRAY(SELECT unnest(${parameter}::int8[]))`
