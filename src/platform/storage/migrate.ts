import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Log } from '../log.ts'
import { StartRefusal } from '../start-refusal.ts'
import { holdLock } from './advisory-locks.ts'
import { withConnection, withSettings } from './connection.ts'
import { appliedMigrations, isMigrationPending, isRestoreUnfinished, unknownMigrations } from './migrations.ts'
import { noteRelease, refuseNewerTables } from './schema-release.ts'
import { codeOf } from './unavailability.ts'

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
    await refuseNewerTables(client)
    if (!(await isMigrationPending(client))) return []
    const applied = await applyPatiently(url, log)
    await noteRelease(client)
    log.info('database migrated', { applied })
    return applied
  })
}

/** How long a migration waits for a table: whoever wants it after that waits behind the migration. */
const lockMs = 1_000
const againMs = 500
const triesMax = 60

/**
 * Other programs may be serving. A migration that does not get a table soon, because of a transaction that takes long,
 * lets everybody go first and begins anew.
 */
async function applyPatiently(url: string, log: Log): Promise<string[]> {
  const { openMigrator } = await import('./migrator.ts')
  for (let tries = 1; ; tries++) {
    const orm = await openMigrator(withSettings(url, [`lock_timeout=${lockMs}`]))
    try {
      return (await orm.migrator.up()).map(({ name }) => name)
    } catch (error) {
      if (!isInTheWay(error) || tries === triesMax) throw error
      log.info('a table is in use; the migration lets others go first and begins again', { tries })
    } finally {
      await orm.close(true)
    }
    await pause(againMs)
  }
}

/** A lock that was not given in time, or a circle of those who wait. MikroORM wraps what PostgreSQL says. */
function isInTheWay(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { cause, previous } = error as { cause?: unknown; previous?: unknown }
  return ['55P03', '40P01'].includes(codeOf(error)) || isInTheWay(cause) || isInTheWay(previous)
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
