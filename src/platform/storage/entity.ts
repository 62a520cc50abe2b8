import type { OptionalProps } from '@mikro-orm/core'
import type { Column } from './columns.ts'

export type Columns = Readonly<Record<string, Column>>

/** Constraints and indexes by their names, beside those that columns have of their own. */
export type Rules<Name extends string = string> = {
  readonly checks?: Readonly<Record<string, string>>
  readonly uniques?: Readonly<Record<string, readonly Name[]>>
  /** As CREATE INDEX writes it after the name of the table; with UNIQUE in front a unique index. */
  readonly indexes?: Readonly<Record<string, string>>
}

/** A record as an EntityManager holds it. */
type RecordOf<C extends Columns> = { -readonly [Name in keyof C]: C[Name]['~value'] } & {
  [OptionalProps]?: { [Name in keyof C]: C[Name]['~presence'] extends 'optional' ? Name : never }[keyof C]
}

export type Table<C extends Columns = Columns> = {
  readonly table: string
  readonly columns: C
  readonly rules: Rules
}

/**
 * The one place where a table is defined: its columns, constraints and indexes. Row types (`RowOf`) and lists of
 * columns (`columnList`) are made of it, and storage/schema.ts makes MikroORM's schema of it. It is a class so that an
 * EntityManager takes it by itself. Importing it loads nothing, because worker threads and commands read entities as
 * well.
 */
export type Entity<C extends Columns> = Table<C> & (abstract new () => RecordOf<C>)

/** One whose columns the compiler does not know. */
export type AnyEntity = Table & (abstract new () => Record<string, unknown>)

export function entity<const C extends Columns>(
  table: string,
  { columns, ...rules }: { columns: C } & Rules<keyof C & string>,
): Entity<C> {
  const named = { [table]: class {} }[table]!
  return Object.assign(named, { table, columns, rules }) as unknown as Entity<C>
}

export type ColumnName<T extends Table> = keyof T['columns'] & string

/**
 * A row as a pool hands it out: int8 and decimals as text, moments as Dates, days as text. All columns, or those named.
 */
export type RowOf<T extends Table, Name extends ColumnName<T> = ColumnName<T>> = {
  readonly [Key in Name]: T['columns'][Key]['~read']
}

/** The columns of a LEFT JOIN, which may have found nothing. */
export type Joined<Row> = { readonly [Key in keyof Row]: Row[Key] | null }

export const columnNames = <T extends Table>(table: T): ColumnName<T>[] => Object.keys(table.columns) as ColumnName<T>[]

/** Columns for SQL: `op_id, op_date`, or with an alias `operation.op_id, operation.op_date`. */
export const columnList = (names: readonly string[], alias?: string): string =>
  names.map((name) => (alias === undefined ? quoted(name) : `${alias}.${quoted(name)}`)).join(', ')

/** `limit` is the one name of a column that is a keyword too. */
const quoted = (name: string): string => (name === 'limit' ? '"limit"' : name)
