import type { Client } from 'pg'
import type { Log } from '../log.ts'
import { StartRefusal } from '../start-refusal.ts'
import { holdLock } from './advisory-locks.ts'
import { withConnection } from './connection.ts'
import { appliedMigrations, isMigrationPending, isRestoreUnfinished, unknownMigrations } from './migrations.ts'

export type MigrationOrder = {
  readonly url: string
  readonly log: Log
  /** Looks at the server before anything is written or locked there. */
  readonly check?: (client: Client) => Promise<void>
}

/**
 * Applies the missing migrations, all of them or none, and returns their names. Programs that start together take
 * turns. MikroORM is loaded only when something is missing.
 */
export async function migrate({ url, log, check }: MigrationOrder): Promise<string[]> {
  return withConnection(url, async (client) => {
    await check?.(client)
    await holdLock(client, 'migrations')
    if (await isRestoreUnfinished(client))
      throw new StartRefusal(
        'A restore into this database was cut off, so it has only a part of its rows. Run `tollgate restore` with the archive again.',
      )
    if (!(await isMigrationPending(client))) return []
    const { openMigrator } = await import('./migrator.ts')
    const orm = await openMigrator(url)
    try {
      const applied = (await orm.migrator.up()).map(({ name }) => name)
      log.info('database migrated', { applied })
      return applied
    } finally {
      await orm.close(true)
    }
  })
}

/** Throws StartRefusal when a newer version has changed the tables. */
export async function requireNotNewer(client: Client): Promise<void> {
  const [unknown] = await unknownMigrations(await appliedMigrations(client))
  if (unknown !== undefined)
    throw new StartRefusal(
      `The tables were changed by a newer Tollgate (${unknown}), which this version does not understand. Start that version; or go back with its data: \`tollgate restore\` of an archive from before the upgrade into another data folder.`,
    )
}

/** Makes the tables of an empty database as these migrations leave them, as an earlier Tollgate had them. */
export async function migrateTo(url: string, names: readonly string[]): Promise<void> {
  const { openMigrator } = await import('./migrator.ts')
  const orm = await openMigrator(url)
  try {
    await orm.migrator.up({ migrations: [...names] })
  } finally {
    await orm.close(true)
  }
}
