import type { Column } from '../../platform/storage/binary-arrays.ts'
import type { ColumnType } from '../../platform/storage/columns.ts'
import type { Table } from '../../platform/storage/entity.ts'
import { type Assignments, assignments, insertInto } from '../../platform/storage/sql.ts'

/** The index of the turn in the batch that a row belongs to. */
export type Turn = { readonly turn: number }

export type SectionColumn<Row> = Column<Row> & {
  /** Set where the table has no such column, and only the expressions of other columns read it. */
  readonly isAside?: true
}

export type Columns<Row> = Readonly<Record<string, SectionColumn<Row>>>

export type Section<Row> = {
  readonly columns: Columns<Row>
  /** Statements that read their values `FROM row`, which holds the rows of accepted turns. */
  readonly writes: readonly string[]
}

const turn: Column<Turn> = { type: 'int4', of: (row) => row.turn }

/** A section with its own statements. */
export const written = <Row extends Turn>(columns: Columns<Row>, ...writes: readonly string[]): Section<Row> => ({
  columns: { turn, ...columns },
  writes,
})

/**
 * A section that inserts its columns and the assignments of `more` into a table. `conflict` is the ON CONFLICT clause.
 */
export const inserted = <Row extends Turn>(
  entity: Table,
  columns: Columns<Row>,
  more: Assignments = {},
  conflict = '',
): Section<Row> =>
  written(
    columns,
    `${insertInto(entity.table, { ...expressionsOf(entity, columns), ...more })} FROM row ${conflict}`.trim(),
  )

/** A section that updates the row with the same `id`. Where `more` names a column as well, its expression wins. */
export function updated<Row extends Turn>(
  entity: Table,
  { id, ...columns }: Columns<Row> & { readonly id: SectionColumn<Row> },
  more: Assignments = {},
  condition = 'true',
): Section<Row> {
  const { table } = entity
  const values = { ...expressionsOf(entity, columns), ...more }
  return written<Row>(
    { id, ...columns },
    `UPDATE ${table} SET ${assignments(values)} FROM row WHERE ${table}.id = row.id AND ${condition}`,
  )
}

const expressionsOf = <Row>(entity: Table, columns: Columns<Row>): Assignments =>
  Object.fromEntries(
    Object.entries(columns)
      .filter(([, { isAside }]) => !isAside)
      .map(([name, { type }]) => [name, expressionOf(entity, name, type)]),
  )

/** Throws when the entity has no such column, or one that takes another type. */
function expressionOf({ table, columns }: Table, name: string, type: ParameterType): string {
  const kind = columns[name]?.type.kind
  if (kind === 'json' && type === 'text') return `row."${name}"::jsonb`
  if (kind === undefined || parameterTypes[kind] !== type)
    throw new Error(`The column ${name} of ${table} does not take ${type}.`)
  return `row."${name}"`
}

type ParameterType = Column<unknown>['type']

const parameterTypes: Readonly<Partial<Record<ColumnType['kind'], ParameterType>>> = {
  int8: 'int8',
  bigint: 'int8',
  reference: 'int8',
  integer: 'int4',
  boolean: 'bool',
  text: 'text',
  varchar: 'text',
  moment: 'timestamptz',
  bytes: 'bytea',
}
