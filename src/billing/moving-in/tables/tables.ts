/** A row by the names of its columns in small letters. */
export type Row = Readonly<Record<string, string | null>>

/** Which columns of which tables are read, by names in small letters. Nothing else is kept in memory. */
export type Wanted = Readonly<Record<string, readonly string[]>>

/** The file or database is not what it should be; the message says what to do. */
export class SourceFault extends Error {}

/** What was read of the wanted tables, as far as they are there, in the order of the source. */
export class Tables {
  readonly #rows = new Map<string, Row[]>()
  /** They are of a server that usually compares texts without regard to case. */
  isCaseless = false

  /** A table that is there, and may be empty. */
  add(table: string): Row[] {
    const known = this.#rows.get(table)
    if (known) return known
    const rows: Row[] = []
    this.#rows.set(table, rows)
    return rows
  }

  /** Puts another row in the place of each. */
  change(table: string, change: (row: Row) => Row): void {
    const rows = this.#rows.get(table)
    if (rows) this.#rows.set(table, rows.map(change))
  }

  has(table: string): boolean {
    return this.#rows.has(table)
  }

  /** Throws SourceFault where a table is missing that the source cannot do without. */
  require(tables: readonly string[], what: string): void {
    const missing = tables.filter((table) => !this.has(table))
    if (missing.length > 0) throw new SourceFault(`This is no ${what}: the table ${missing.join(', ')} is missing.`)
  }

  rows(table: string): readonly Row[] {
    return this.#rows.get(table) ?? []
  }
}

/** Rows by the value of a column, in their order; those without one are left out. */
export function grouped(rows: readonly Row[], column: string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = row[column]
    if (key === null || key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

/** The text of a column without spaces around it; null for nothing. */
export const textOf = (row: Row | undefined, column: string): string | null => row?.[column]?.trim() || null
