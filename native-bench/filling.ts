import type pg from 'pg'

/**
 * Fills a table as a restore does: its indexes are made behind the rows, and references are not looked up row by row. Of an
 * operation that is put in with them four fifths of the CPU are theirs. What else its triggers do is done. A data folder of
 * which the filling was cut off is of no use.
 */
export async function withoutIndexes(database: pg.Client, table: string, fill: () => Promise<void>): Promise<void> {
  const { rows: indexes } = await database.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
      WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  )
  const { rows: references } = await database.query<{ name: string }>(
    `SELECT quote_ident(tgname) AS name FROM pg_trigger WHERE tgrelid = $1::regclass AND tgisinternal AND tgconstraint IN
      (SELECT oid FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'f')`,
    [table],
  )
  for (const { name } of references) await database.query(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`)
  for (const { name } of indexes) await database.query(`DROP INDEX ${name}`)
  await fill()
  await database.query(`SET maintenance_work_mem = '256MB'`)
  for (const { definition } of indexes) await database.query(definition)
  for (const { name } of references) await database.query(`ALTER TABLE ${table} ENABLE TRIGGER ${name}`)
}
