import { readdir } from 'node:fs/promises'
import type { Client } from './sql.ts'
import { codeOf } from './unavailability.ts'

export const migrationsFolder = new URL('../../../migrations/', import.meta.url)

/** The table where MikroORM stores the names of the migrations it has applied. */
export const migrationsTable = 'mikro_orm_migrations'

/** Every migration of this program, in the order of their names. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(migrationsFolder)
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
    .sort()
}

/**
 * True when the database lacks a migration. It reads the table itself, because loading MikroORM would slow down every
 * start.
 */
export async function isMigrationPending(client: Client): Promise<boolean> {
  const names = await migrationNames()
  try {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${migrationsTable}`)
    const applied = new Set(rows.map(({ name }) => name))
    return names.some((name) => !applied.has(name))
  } catch (error) {
    if (codeOf(error) === undefinedTable) return true
    throw error
  }
}

const undefinedTable = '42P01'
