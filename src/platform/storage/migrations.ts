import { readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Client } from './sql.ts'
import { codeOf } from './unavailability.ts'

const migrationsFolder = new URL('../../../migrations/', import.meta.url)

/** The table where MikroORM stores the names of the migrations it has applied. */
export const migrationsTable = 'mikro_orm_migrations'

/** As that of this module: `.ts` in a checkout and `.js` in a package. */
const ending = extname(import.meta.url)

/** Every migration of this program, in the order of their names. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(migrationsFolder)
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort()
}

/** The module of a migration. */
export const migrationModule = (name: string): URL => new URL(name + ending, migrationsFolder)

/**
 * True when the database lacks a migration. It reads the table itself, because loading MikroORM would slow down every
 * start.
 */
export async function isMigrationPending(client: Client): Promise<boolean> {
  const applied = new Set(await appliedMigrations(client))
  return (await migrationNames()).some((name) => !applied.has(name))
}

/** In the order of their names; none where no program has ever migrated. */
export async function appliedMigrations(client: Client): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${migrationsTable} ORDER BY name`)
    return rows.map(({ name }) => name)
  } catch (error) {
    if (codeOf(error) === undefinedTable) return []
    throw error
  }
}

/** Those of a database or an archive that this program does not know, because a newer one has made them. */
export async function unknownMigrations(names: readonly string[]): Promise<string[]> {
  const known = new Set(await migrationNames())
  return names.filter((name) => !known.has(name))
}

/** A table that is there while a database is being restored, so that one that was cut off is not taken for whole. */
export const restoreMark = 'restore_in_progress'

export async function isRestoreUnfinished(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('public.${restoreMark}') IS NOT NULL AS there`,
  )
  return rows[0]!.there
}

const undefinedTable = '42P01'
