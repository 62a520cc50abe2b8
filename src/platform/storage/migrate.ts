import type { Log } from '../log.ts'
import { withAdvisoryLock } from './advisory-locks.ts'
import { isMigrationPending } from './migrations.ts'

/**
 * Applies the missing migrations, all of them or none, and returns their names. Programs that start together take
 * turns. MikroORM is loaded only when something is missing.
 */
export async function migrate({ url, log }: { url: string; log: Log }): Promise<string[]> {
  return withAdvisoryLock(url, 'migrations', async (client) => {
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
