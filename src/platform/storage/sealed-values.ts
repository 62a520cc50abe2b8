import { entities } from './entities/index.ts'
import type { Table } from './entity.ts'
import type { Client } from './sql.ts'

/** A column with secrets, and the key of its rows. */
export type SealedColumn = {
  readonly table: string
  readonly column: string
  readonly key: string
  /** Its type in PostgreSQL. */
  readonly keyType: 'int8' | 'text'
}

/** As a pool hands it out, keys as text. */
export type SealedValue = { readonly key: string; readonly value: string }

/** A setting that is no secret, and a secret that is empty, are stored as they are. */
const isSealed = (column: string): string => `${column} ~ '^sealed[12]:'`

const sealedColumnsOf = ({ table, columns }: Table): SealedColumn[] => {
  const [key = ''] = Object.keys(columns).filter((name) => columns[name]!.options.isPrimary)
  const keyType = columns[key]?.type.kind === 'text' ? 'text' : 'int8'
  return Object.keys(columns)
    .filter((name) => columns[name]!.type.kind === 'sealed')
    .map((column) => ({ table, column, key, keyType }))
}

export const sealedColumns: readonly SealedColumn[] = entities.flatMap((entity) => sealedColumnsOf(entity))

const pageRows = 2_000

/** Every sealed value of a column, page by page in the order of keys. */
export async function* sealedPages(client: Client, of: SealedColumn): AsyncGenerator<readonly SealedValue[]> {
  const sql = `SELECT ${of.key}::text AS key, ${of.column} AS value FROM ${of.table}
    WHERE ${isSealed(of.column)} AND ($1::${of.keyType} IS NULL OR ${of.key} > $1::${of.keyType})
    ORDER BY ${of.key} LIMIT ${pageRows}`
  let last: string | null = null
  for (;;) {
    const { rows }: { rows: SealedValue[] } = await client.query<SealedValue>(sql, [last])
    if (rows.length > 0) yield rows
    if (rows.length < pageRows) return
    last = rows.at(-1)!.key
  }
}

/** A few sealed values of each column. */
export async function someSealedValues(client: Client): Promise<string[]> {
  const values: string[] = []
  for (const { table, column } of sealedColumns) {
    const sql = `SELECT ${column} AS value FROM ${table} WHERE ${isSealed(column)} LIMIT 20`
    const { rows } = await client.query<{ value: string }>(sql)
    values.push(...rows.map(({ value }) => value))
  }
  return values
}

/** Replaces values that nobody has changed meanwhile. */
export async function replaceSealed(
  client: Client,
  { table, column, key, keyType }: SealedColumn,
  values: readonly { readonly key: string; readonly before: string; readonly after: string }[],
): Promise<void> {
  await client.query(
    `UPDATE ${table} SET ${column} = row.after
      FROM unnest($1::${keyType}[], $2::text[], $3::text[]) AS row(key, before, after)
      WHERE ${table}.${key} = row.key AND ${table}.${column} = row.before`,
    [values.map((one) => one.key), values.map(({ before }) => before), values.map(({ after }) => after)],
  )
}
