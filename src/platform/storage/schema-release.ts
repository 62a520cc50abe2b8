import { oldestBeside, isBefore, version } from '../release.ts'
import { StartRefusal } from '../start-refusal.ts'
import { migrationsTable } from './migrations.ts'
import type { Client } from './sql.ts'

/** What the release that has migrated a database has written at its table of migrations. */
type Note = { readonly release: string; readonly oldest: string }

/**
 * Throws StartRefusal when a release has migrated the tables beside which this one may not serve. One that is newer by
 * a minor release has only added to them.
 */
export async function refuseNewerTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ note: string | null }>(
    `SELECT obj_description(to_regclass('${migrationsTable}'), 'pg_class') AS note`,
  )
  const note = readNote(rows[0]!.note)
  if (note && isBefore(version, note.oldest))
    throw new StartRefusal(
      `The tables of this database are of Tollgate ${note.release}, beside which ${note.oldest} is the oldest that may serve, and this is ${version}. Start ${note.oldest} or newer, or go back to a backup that this release has made.`,
    )
}

/** Somebody else may have written a comment. */
function readNote(text: string | null): Note | null {
  try {
    const { release, oldest } = JSON.parse(text ?? 'null') ?? {}
    return typeof release === 'string' && typeof oldest === 'string' ? { release, oldest } : null
  } catch {
    return null
  }
}

/** After a migration, by the owner of the tables. */
export async function noteRelease(client: Client): Promise<void> {
  const note: Note = { release: version, oldest: oldestBeside }
  await client.query(`COMMENT ON TABLE ${migrationsTable} IS '${JSON.stringify(note)}'`)
}
