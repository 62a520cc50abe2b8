import type { Column } from '../../platform/storage/binary-arrays.ts'
import { type Assignments, assignments, insertInto } from '../../platform/storage/sql.ts'

/** The place of a row's turn in the batch. */
export type Turn = { readonly turn: number }

export type SectionColumn<Row> = Column<Row> & {
  /** The type of the table's column where it is another than that of the parameter. */
  readonly cast?: string
  /** The table has no such column: expressions of others read it. */
  readonly isAside?: true
}

export type Columns<Row> = Readonly<Record<string, SectionColumn<Row>>>

export type Section<Row> = {
  readonly columns: Columns<Row>
  /** Each reads what it writes `FROM row`, which holds the rows of accepted turns. */
  readonly writes: readonly string[]
}

const turn: Column<Turn> = { type: 'int4', of: (row) => row.turn }

/** A section that writes its rows by statements of its own. */
export const written = <Row extends Turn>(columns: Columns<Row>, ...writes: readonly string[]): Section<Row> => ({
  columns: { turn, ...columns },
  writes,
})

/** A section that inserts its columns into a table, and what `more` says beside them. `conflict` is a clause of the INSERT. */
export const inserted = <Row extends Turn>(
  table: string,
  columns: Columns<Row>,
  more: Assignments = {},
  conflict = '',
): Section<Row> =>
  written(columns, `${insertInto(table, { ...expressionsOf(columns), ...more })} FROM row ${conflict}`.trim())

/** A section that updates the row of a table with the same `id`; where `more` names a column too, it decides what that holds. */
export function updated<Row extends Turn>(
  table: string,
  { id, ...columns }: Columns<Row> & { readonly id: SectionColumn<Row> },
  more: Assignments = {},
  condition = 'true',
): Section<Row> {
  const values = { ...expressionsOf(columns), ...more }
  return written<Row>(
    { id, ...columns },
    `UPDATE ${table} SET ${assignments(values)} FROM row WHERE ${table}.id = row.id AND ${condition}`,
  )
}

const expressionsOf = <Row>(columns: Columns<Row>): Assignments =>
  Object.fromEntries(
    Object.entries(columns)
      .filter(([, { isAside }]) => !isAside)
      .map(([name, { cast }]) => [name, `row."${name}"${cast ? `::${cast}` : ''}`]),
  )
